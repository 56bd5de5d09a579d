package site

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// The parameters of a search page, which say all that it shows.
const (
	paramQuery  = "q"
	paramStrict = "strict"
	paramSort   = "sort" // a field, or - and a field
	paramFrom   = "from" // how many hits are left out
	paramMore   = "more" // a field of which more values are shown
	paramPick   = "is."  // begins the names of those that are filters by keyword
	paramKeep   = "keep" // parameters whose values forms would change, as a query string
)

// asked is what a search page is asked for.
type asked struct {
	q      string
	strict bool   // what q cannot say is an error
	picks  []pair // sorted
	sort   string // "" for the best first
	more   []string
	from   int // hits to leave out
}

// pair is a field and a keyword.
type pair struct{ field, value string }

func readAsked(v url.Values) (a asked, err error) {
	if a.q = v.Get(paramQuery); !utf8.ValidString(a.q) {
		a.q = strings.ToValidUTF8(a.q, "\ufffd")
		return a, errors.New("the query is not UTF-8")
	}
	a.strict, a.sort = v.Has(paramStrict), v.Get(paramSort)
	a.pick(v)
	for _, keep := range v[paramKeep] {
		kept, err := url.ParseQuery(keep)
		if err != nil {
			return a, errors.New("keep is no query string")
		}
		a.pick(kept)
		a.sort = cmp.Or(a.sort, kept.Get(paramSort))
	}
	slices.SortFunc(a.picks, func(a, b pair) int { return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.value, b.value)) })
	a.picks = slices.Compact(a.picks)
	a.more = slices.Compact(slices.Sorted(slices.Values(v[paramMore])))
	if text := v.Get(paramFrom); text != "" {
		if a.from, err = strconv.Atoi(text); err != nil || a.from < 0 || a.from > lastHit-perPage {
			a.from = 0
			return a, fmt.Errorf("from is not a number up to %d", lastHit-perPage)
		}
	}
	return a, nil
}

// pick adds the filters in a query string.
func (a *asked) pick(v url.Values) {
	for name, values := range v {
		if f, ok := strings.CutPrefix(name, paramPick); ok {
			for _, value := range values {
				a.picks = append(a.picks, pair{f, value})
			}
		}
	}
}

// link returns the link to a page.
func (a asked) link() string {
	v := url.Values{paramQuery: {a.q}}
	if a.strict {
		v.Set(paramStrict, "")
	}
	for _, p := range a.picks {
		v.Add(paramPick+p.field, p.value)
	}
	if a.sort != "" {
		v.Set(paramSort, a.sort)
	}
	for _, field := range a.more {
		v.Add(paramMore, field)
	}
	if a.from > 0 {
		v.Set(paramFrom, strconv.Itoa(a.from))
	}
	return "./?" + v.Encode()
}

// kept is a parameter that the form of the box has beside the query.
type kept struct{ Name, Value string }

// kept returns what a search for something else keeps: filters and the order. Forms change line ends and what is not UTF-8.
func (a asked) kept() (all []kept) {
	add := func(name, value string) {
		if !plain(name) || !plain(value) {
			name, value = paramKeep, url.Values{name: {value}}.Encode()
		}
		all = append(all, kept{name, value})
	}
	if a.strict {
		add(paramStrict, "")
	}
	for _, p := range a.picks {
		add(paramPick+p.field, p.value)
	}
	if a.sort != "" {
		add(paramSort, a.sort)
	}
	return all
}

// plain reports whether a form sends a text as it is.
func plain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// at returns a from another hit on.
func (a asked) at(from int) asked { a.from = from; return a }

// with returns the first page of a with another filter.
func (a asked) with(p pair) asked {
	a.picks = append(slices.Clone(a.picks), p)
	return a.at(0)
}

// without returns the first page of a without a filter.
func (a asked) without(p pair) asked {
	a.picks = slices.DeleteFunc(slices.Clone(a.picks), func(x pair) bool { return x == p })
	return a.at(0)
}

// unfiltered returns the first page of a without filters.
func (a asked) unfiltered() asked { a.picks = nil; return a.at(0) }

// by returns the first page of a in another order.
func (a asked) by(sort string) asked { a.sort = sort; return a.at(0) }

// asking returns the first page of a for another query, which was not typed.
func (a asked) asking(q string) asked { a.q, a.strict = q, false; return a.at(0) }

// showing returns a with more values of a field.
func (a asked) showing(field string) asked {
	a.more = append(slices.Clone(a.more), field)
	return a
}

// filter returns the filters: a document has one of the values of each field.
func (a asked) filter() query.And {
	var all query.And
	for i := 0; i < len(a.picks); {
		in := query.In{Field: a.picks[i].field}
		for ; i < len(a.picks) && a.picks[i].field == in.Field; i++ {
			in.Values = append(in.Values, schema.KeywordValue(0, []byte(a.picks[i].value)))
		}
		all = append(all, in)
	}
	return all
}

// filterText returns the filters in the language of filters, "" if there are none.
func (a asked) filterText() string {
	if f := a.filter(); len(f) > 0 {
		return f.String()
	}
	return ""
}

// query returns what is searched for, where only filters are asked for all documents.
func (a asked) query() string {
	if strings.TrimSpace(a.q) == "" {
		return "*"
	}
	return a.q
}

// request returns what the index is asked for.
func (a asked) request(x *shown) *httpapi.Request {
	r := &httpapi.Request{Query: a.query(), Strict: a.strict, Filter: a.filterText(), K: perPage, Offset: a.from, Total: true, Fields: x.values}
	if a.sort != "" {
		r.Sort = []string{a.sort}
	}
	for _, field := range x.facets {
		f := httpapi.Facet{Field: field, K: fewValues + 1, IgnoreOwn: true}
		if slices.Contains(a.more, field) {
			f.K = manyValues
		}
		r.Facets = append(r.Facets, f)
	}
	if x.passages {
		r.Passages = &httpapi.Passages{Length: 300}
	}
	return r
}
