package site

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

//go:embed page.html
var pageText string

//go:embed style.css
var styleText []byte

func parsePage() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
}

// The page shows perPage hits, up to the one of rank lastHit.
const (
	perPage = 10
	lastHit = 1000
)

// shown is what the page shows of an index.
type shown struct {
	title, url string   // fields; "" if there are none
	texts      []string // fields of text
	values     []string // title and url, as far as there are
	facets     []httpapi.Facet
	passages   bool
}

// shownOf returns what the page shows of an index: a stored field that is called title or name as the heading of a hit,
// one called url or link as where it leads, and counts of the keywords of all fields that have columns of them.
func shownOf(s *schema.Schema) (x shown) {
	stored := func(names ...string) string {
		for _, name := range names {
			if f, ok := s.Field(name); ok && f.Stored && (f.Kind == schema.Text || f.Kind == schema.Keyword) {
				x.values = append(x.values, name)
				return name
			}
		}
		return ""
	}
	x.title, x.url = stored("title", "name"), stored("url", "link")
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind == schema.Text {
			x.passages = x.passages || f.Stored
			x.texts = append(x.texts, f.Name)
		}
		if f.Column && f.Kind == schema.Keyword && len(x.facets) < query.MaxFacets {
			x.facets = append(x.facets, httpapi.Facet{Field: f.Name, K: perPage})
		}
	}
	return x
}

// page is what the template shows.
type page struct {
	Title, Query string
	Picked       []picked // filters by keyword
	Error        string
	Words        string // what of the query could not be read otherwise
	Meant        *link  // what may have been meant
	Asked        bool   // for something
	Strict       bool   // what Query cannot say is an error
	Total        uint64
	From         int // the rank of the first hit
	Hits         []hit
	Facets       []facet
	Prev, Next   string
	Document     *document
	Root         string // link to the first page
	Took         string
}

// picked is a filter: what it is, and the link to the page without it.
type picked struct{ Field, Value, Without string }

// link is a link, and what it says.
type link struct{ Text, To string }

// hit is a document that matches.
type hit struct {
	link
	ID      string  // unless Text is it
	Heading []piece // Text, with words of the query marked, if it is what matches
	Passage []piece
}

// piece is a part of a text: a word of the query, or what is between them.
type piece struct {
	Text string
	Mark bool
}

// facet is the counts of the keywords of a field.
type facet struct {
	Field  string
	Counts []count
}

type count struct {
	link
	Count uint64
}

// document is all that is stored of a document.
type document struct {
	ID     string
	Fields []field
}

type field struct {
	Name   string
	Values []string
}

// pick is the beginning of the names of parameters that are filters by keyword.
const pick = "is."

// asked is what a search page is asked for.
type asked struct {
	q      string
	strict bool   // what q cannot say is an error
	picks  []pair // sorted
	from   int    // hits to leave out
}

// pair is a field and a keyword.
type pair struct{ field, value string }

func readAsked(v url.Values) (a asked, err error) {
	if a.q = v.Get("q"); !utf8.ValidString(a.q) {
		return a, errors.New("the query is not UTF-8")
	}
	a.strict = v.Has("strict")
	for name, values := range v {
		if f, ok := strings.CutPrefix(name, pick); ok {
			for _, value := range values {
				a.picks = append(a.picks, pair{f, value})
			}
		}
	}
	slices.SortFunc(a.picks, func(a, b pair) int { return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.value, b.value)) })
	a.picks = slices.Compact(a.picks)
	if text := v.Get("from"); text != "" {
		if a.from, err = strconv.Atoi(text); err != nil || a.from < 0 || a.from > lastHit-perPage {
			return a, fmt.Errorf("from is not a number up to %d", lastHit-perPage)
		}
	}
	return a, nil
}

// link returns the link to a page.
func (a asked) link() string {
	v := url.Values{"q": {a.q}}
	if a.strict {
		v.Set("strict", "")
	}
	for _, p := range a.picks {
		v.Add(pick+p.field, p.value)
	}
	if a.from > 0 {
		v.Set("from", strconv.Itoa(a.from))
	}
	return "./?" + v.Encode()
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

// request returns what the index is asked for.
func (a asked) request(x *shown) *httpapi.Request {
	r := &httpapi.Request{Query: a.q, Strict: a.strict, K: perPage, Offset: a.from, Total: true, Fields: x.values, Facets: x.facets}
	if x.passages {
		r.Passages = &httpapi.Passages{Length: 300}
	}
	var all query.And
	for _, p := range a.picks {
		all = append(all, query.In{Field: p.field, Values: []any{schema.KeywordValue(0, []byte(p.value))}})
	}
	if len(all) > 0 {
		r.Filter = all.String()
	}
	if strings.TrimSpace(a.q) == "" {
		r.Query = "*"
	}
	return r
}

// search shows the page with its hits.
func (s *Site) search(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	ctx, cancel := s.within(r)
	defer cancel()
	a, err := readAsked(r.URL.Query())
	p := &page{Query: a.q, Strict: a.strict, From: a.from + 1, Asked: a.q != "" || len(a.picks) > 0}
	for _, x := range a.picks {
		p.Picked = append(p.Picked, picked{x.field, x.value, a.without(x).link()})
	}
	if err != nil {
		return s.show(w, p, &httpapi.Error{Status: http.StatusBadRequest, Message: err.Error()})
	}
	if p.Asked {
		answer, err := s.backend.Search(ctx, a.request(&s.shown))
		if err != nil {
			return s.show(w, p, err)
		}
		p.fill(a, &s.shown, answer)
		if p.Total == 0 && a.from == 0 {
			p.Meant = s.meant(ctx, a)
		}
		p.Took = fmt.Sprintf("%.1f ms", float64(time.Since(began).Microseconds())/1000)
	}
	return s.show(w, p, nil)
}

// within returns a context with the deadline of the site.
func (s *Site) within(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), cmp.Or(s.o.HTTP.Deadline, httpapi.DefaultDeadline))
}

// fill takes what the index answers.
func (p *page) fill(a asked, x *shown, r *httpapi.Response) {
	p.Words = printable(strings.Join(r.Words, " "))
	if r.Total != nil {
		p.Total = *r.Total
	}
	for i := range r.Hits {
		p.Hits = append(p.Hits, newHit(x, &r.Hits[i]))
	}
	if a.from > 0 {
		p.Prev = a.at(max(a.from-perPage, 0)).link()
	}
	if next := a.from + perPage; uint64(next) < p.Total && next <= lastHit-perPage {
		p.Next = a.at(next).link()
	}
	for _, f := range r.Facets {
		to := facet{Field: f.Field}
		for _, c := range f.Counts {
			text, ok := c.Value.(httpapi.Text)
			if x := (pair{f.Field, string(text)}); ok && c.Count > 0 && !slices.Contains(a.picks, x) {
				to.Counts = append(to.Counts, count{link{printable(x.value), a.with(x).link()}, c.Count})
			}
		}
		if len(to.Counts) > 0 {
			p.Facets = append(p.Facets, to)
		}
	}
}

func newHit(x *shown, h *httpapi.Hit) (to hit) {
	to.Text, to.To = printable(string(h.ID)), "doc?"+url.Values{"id": {string(h.ID)}}.Encode()
	if title := first(h, x.title); title != "" {
		to.ID, to.Text = to.Text, title
	}
	if at := first(h, x.url); at != "" {
		to.To = at // the template lets only links to pages and mail pass
	}
	switch p := h.Passage; {
	case p == nil:
	case to.ID != "" && !p.Before && !p.Behind && strings.TrimSpace(printable(string(p.Text))) == to.Text:
		to.Heading = pieces(p) // which need not be there twice
	default:
		to.Passage = pieces(p)
	}
	return to
}

// first returns the first value of a field, if there is one.
func first(h *httpapi.Hit, field string) string {
	if field == "" || len(h.Values[field]) == 0 {
		return ""
	}
	text, _ := h.Values[field][0].(httpapi.Text)
	return strings.TrimSpace(printable(string(text)))
}

// pieces returns a passage with the words of the query marked.
func pieces(p *httpapi.Passage) (out []piece) {
	add := func(text httpapi.Text, mark bool) {
		if len(text) > 0 {
			out = append(out, piece{printable(string(text)), mark})
		}
	}
	if p.Before {
		out = append(out, piece{Text: "… "})
	}
	from := 0
	for _, x := range p.Spans {
		add(p.Text[from:x[0]], false)
		add(p.Text[x[0]:x[1]], true)
		from = x[1]
	}
	add(p.Text[from:], false)
	if p.Behind {
		out = append(out, piece{Text: " …"})
	}
	return out
}

// printable replaces control characters, and those that turn the direction of the text behind them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s)
}

// meant returns a query of words that the index has, each like one of the query, or nil.
func (s *Site) meant(ctx context.Context, a asked) *link {
	words := strings.Fields(a.q)
	changed := false
	s.index.View(ctx, func(v *pinion.View) error {
		for i, word := range words {
			var best pinion.Suggestion
			for _, f := range s.shown.texts {
				near, err := v.Similar(ctx, f, word)
				if err == nil && len(near) > 0 && near[0].Docs > best.Docs {
					best = near[0]
				}
			}
			if best.Docs > 0 {
				words[i], changed = best.Text, true
			}
		}
		return nil
	})
	if !changed {
		return nil
	}
	a.q = strings.Join(words, " ")
	return &link{printable(a.q), a.at(0).link()}
}

// document shows all that is stored of a document.
func (s *Site) document(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := s.within(r)
	defer cancel()
	id := r.URL.Query().Get("id")
	p := &page{Title: printable(id)}
	answer, err := s.backend.Search(ctx, &httpapi.Request{Query: "*", Filter: query.IDs{id}.String(), K: 1, Values: true})
	if err == nil && len(answer.Hits) == 0 {
		err = &httpapi.Error{Status: http.StatusNotFound, Message: "There is no such document."}
	}
	if err != nil {
		return s.show(w, p, err)
	}
	d := &document{ID: p.Title}
	h := &answer.Hits[0]
	for _, name := range s.fields() {
		if len(h.Values[name]) == 0 {
			continue
		}
		f := field{Name: name}
		for _, v := range h.Values[name] {
			if text, ok := v.(httpapi.Text); ok {
				v = string(text)
			}
			f.Values = append(f.Values, printable(fmt.Sprint(v)))
		}
		d.Fields = append(d.Fields, f)
	}
	p.Document = d
	return s.show(w, p, nil)
}

// fields returns the names of all fields in their order.
func (s *Site) fields() (names []string) {
	for i := range s.schema.Fields {
		names = append(names, s.schema.Fields[i].Name)
	}
	return names
}

// contentPolicy lets the page load its style, and nothing else.
const contentPolicy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// show writes the page, with an error if there is one that people can do something about.
func (s *Site) show(w http.ResponseWriter, p *page, err error) error {
	status := http.StatusOK
	if err != nil {
		e := httpapi.ErrorOf(err)
		status, p.Error = e.Status, printable(e.Error())
	}
	if p.Root = s.o.Title; p.Title == "" {
		p.Title = strings.TrimSpace(printable(p.Query))
	}
	var b bytes.Buffer
	if err := s.page.Execute(&b, p); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // an error is the client's
	if status < http.StatusInternalServerError {
		return nil
	}
	return err
}

func style(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "max-age=3600")
	w.Write(styleText) // an error is the client's
	return nil
}
