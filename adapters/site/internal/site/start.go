package site

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// example is something that can be typed, the link to what it finds, and what that is.
type example struct{ Text, To, Says string }

// maxExamples is how many fields of each kind the examples name.
const maxExamples = 3

// start fills the page on which nothing is asked for.
func (s *Site) start(ctx context.Context, a asked, p *page) error {
	answer, err := s.backend.Search(ctx, s.shown.sampling(a))
	if err != nil {
		return err
	}
	p.Total = *answer.Total
	p.Facets = facetsOf(a, answer.Facets)
	if p.Total > 0 {
		p.All = a.asking("*").link()
	}
	p.Help = s.shown.examples(answer)
	return nil
}

// teach adds examples of what can be typed.
func (s *Site) teach(ctx context.Context, p *page) error {
	answer, err := s.backend.Search(ctx, s.shown.sampling(asked{}))
	if err == nil {
		p.Help = s.shown.examples(answer)
	}
	return err
}

// sampling returns the request for what examples are made of: some document, keywords, and the bounds of numbers and times.
func (x *shown) sampling(a asked) *httpapi.Request {
	r := a.asking("*").request(x)
	r.K, r.Fields, r.Sort, r.Passages = 3, nil, nil, nil
	for _, t := range x.texts {
		if t.stored {
			r.Fields = append(r.Fields, t.name)
		}
	}
	var bounds httpapi.Facet
	for i := range x.schema.Fields {
		if f := &x.schema.Fields[i]; f.Column && f.Kind != schema.Keyword && len(bounds.Stats) < maxExamples {
			bounds.Stats = append(bounds.Stats, httpapi.Stat{Field: f.Name})
		}
	}
	if len(bounds.Stats) > 0 && len(r.Facets) < query.MaxFacets {
		r.Facets = append(r.Facets, bounds)
	}
	return r
}

// examples returns what can be typed, with words and values that documents of an answer have. There are none of an empty index.
func (x *shown) examples(answer *httpapi.Response) (all []example) {
	add := func(text, says string) {
		all = append(all, example{printable(text), asked{}.asking(text).link(), says})
	}
	one, two := x.sample(answer, "")
	if one == "" {
		return nil
	}
	add(one, "Documents with the word")
	if two != "" {
		add(one+" "+two, "Documents with one of the words. Those with both come first")
		says := "The words one after the other"
		if !x.positions() {
			says = "Both words: this index does not know which word follows which"
		}
		add(`"`+one+" "+two+`"`, says)
		add("+"+one+" +"+two, "Both words")
		add(one+" -"+two, "Documents without the second word")
	}
	add(prefix(one)+"*", "Words that begin so")
	for _, t := range x.texts[:min(len(x.texts), maxExamples)] {
		if word, _ := x.sample(answer, t.name); word != "" && typeable(t.name) && len(x.texts) > 1 {
			add(t.name+":"+word, "Documents that have the word in the field "+t.name)
		}
	}
	keywords := 0
	for _, f := range answer.Facets {
		if len(f.Counts) > 0 && typeable(f.Field) && keywords < maxExamples {
			if value, ok := f.Counts[0].Value.(httpapi.Text); ok && utf8.ValidString(string(value)) {
				add(f.Field+":"+quoted(string(value)), "Documents with this value in the field "+f.Field)
				keywords++
			}
		}
		for _, stats := range f.Stats {
			if least, most := bound(stats.Min), bound(stats.Max); least != "" && typeable(stats.Field) {
				add(stats.Field+":"+least+".."+most, "Documents with a value of the field "+stats.Field+" from the one to the other")
			}
		}
	}
	return all
}

// sample returns a word, and if there is one the word behind it, of a document in a field, or with "" in any: long words if it
// can, as short ones say little.
func (x *shown) sample(answer *httpapi.Response, field string) (one, two string) {
	for _, least := range []int{6, 4} {
		for i := range answer.Hits {
			for _, t := range x.texts {
				if field != "" && t.name != field {
					continue
				}
				a, b := neighbors(head(stored(&answer.Hits[i], t.name)), least)
				if b != "" {
					return a, b
				}
				one = cmp.Or(one, a)
			}
		}
	}
	return one, ""
}

// neighbors returns the first two different words beside each other that have a number of letters at least, or the first one.
func neighbors(text string, least int) (one, two string) {
	before := ""
	for _, word := range strings.Fields(text) {
		if word = strings.ToLower(word); !typeable(word) || utf8.RuneCountInString(word) < least {
			before = ""
			continue
		}
		if before != "" && before != word {
			return before, word
		}
		one, before = cmp.Or(one, word), word
	}
	return one, ""
}

// stored returns the first value of a field, which may have no name.
func stored(h *httpapi.Hit, field string) string {
	if len(h.Values[field]) == 0 {
		return ""
	}
	text, _ := h.Values[field][0].(httpapi.Text)
	return string(text)
}

// head returns the beginning of a text, up to white space.
func head(s string) string {
	if len(s) > 2000 {
		s = s[:2000]
		s = s[:max(0, strings.LastIndexFunc(s, unicode.IsSpace))]
	}
	return s
}

// prefix returns the first half of a word, and a character more.
func prefix(word string) string {
	r := []rune(word)
	return string(r[:len(r)/2+1])
}

// positions reports whether phrases are found as such.
func (x *shown) positions() bool {
	for i := range x.schema.Fields {
		if f := &x.schema.Fields[i]; f.Kind == schema.Text && f.Positions && f.Of == "" {
			return true
		}
	}
	return false
}

// typeable reports whether a name or word stands in the query language as it is.
func typeable(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}

// bound returns a number or time as the query language reads it, of a time the day, or "".
func bound(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Time:
		return v.UTC().Format(time.DateOnly)
	case string:
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return t.UTC().Format(time.DateOnly)
		}
	case fmt.Stringer:
		return v.String()
	}
	return ""
}
