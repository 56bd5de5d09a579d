package site

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

// page is what the templates show. The README says which names they may use.
type page struct {
	Site         string // the title of all pages
	Title, Query string
	Kept         []kept // what the form of the box has beside the query
	Error        string // alone
	Asked        bool   // for something
	Fresh        bool   // nothing is asked for, and the box takes the first key
	Total        uint64 // documents that match, or if nothing is asked for, that there are
	From         int    // the rank of the first hit
	Hits         []hit
	Slips        bool     // no document has what was typed, and Hits are for words like it
	Words        string   // what of the query could not be read otherwise
	Meant        *choice  // what may have been meant
	Known        []string // words of the query that documents have
	Unknown      []string // that none has
	Left         []string // that the index leaves out
	Ways         []choice // what finds something, if there are no hits
	Picked       []picked
	Clear        string // link to the page without filters
	Facets       []facet
	Sorts        []choice
	Pages        *pages // nil if there is one
	Help         []example
	All          string // link to all documents
	Document     *document
	Took         string
}

// choice is a link, what it says, how many documents it leads to, and whether the page is that.
type choice struct {
	Text, To string
	Count    uint64
	Current  bool
}

// picked is a filter: what it is, and the link to the page without it.
type picked struct{ Field, Text, To string }

// facet is the counts of the keywords of a field.
type facet struct {
	Field  string
	Values []choice
	More   string // link to the page with more of them
}

// pages are links to other pages.
type pages struct {
	Prev, Next string
	Numbers    []choice
	Limit      int // on the last page, unless 0: the rank of the last hit that pages show
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

// search shows the page with its hits.
func (s *Site) search(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	ctx, cancel := s.within(r)
	defer cancel()
	a, err := readAsked(r.URL.Query())
	p := newPage(a)
	switch {
	case err != nil:
		err = &httpapi.Error{Status: http.StatusBadRequest, Message: err.Error()}
	case p.Asked:
		err = s.find(ctx, a, p)
	default:
		err = s.start(ctx, a, p)
	}
	if err == nil {
		p.Took = fmt.Sprintf("%.1f ms", float64(time.Since(began).Microseconds())/1000)
	}
	return s.show(w, p, err)
}

// newPage returns a page of what is asked for.
func newPage(a asked) *page {
	p := &page{Query: a.q, Kept: a.kept(), From: a.from + 1, Asked: a.q != "" || len(a.picks) > 0 || a.sort != "", Clear: a.unfiltered().link()}
	p.Fresh = !p.Asked
	for _, x := range a.picks {
		p.Picked = append(p.Picked, picked{printable(x.field), printable(x.value), a.without(x).link()})
	}
	return p
}

// find fills a page with hits, or with why there are none.
func (s *Site) find(ctx context.Context, a asked, p *page) error {
	r := a.request(&s.shown)
	answer, err := s.backend.Search(ctx, r)
	if err == nil && *answer.Total == 0 && !a.strict {
		r.Typos = true
		answer, err = s.backend.Search(ctx, r)
		p.Slips = err == nil && *answer.Total > 0
	}
	if err != nil {
		return err
	}
	p.fill(a, &s.shown, answer)
	if a.from > 0 {
		return nil
	}
	return s.advise(ctx, a, p)
}

// fill takes what the index answers.
func (p *page) fill(a asked, x *shown, r *httpapi.Response) {
	p.Words = printable(strings.Join(r.Words, " "))
	p.Total = *r.Total
	for i := range r.Hits {
		p.Hits = append(p.Hits, newHit(x, &r.Hits[i]))
	}
	p.Pages = pagesOf(a, p.Total)
	p.Facets = facetsOf(a, r.Facets)
	if len(x.sorts) > 0 {
		p.Sorts = append(p.Sorts, choice{Text: "best first", To: a.by("").link(), Current: a.sort == ""})
	}
	for _, o := range x.sorts {
		p.Sorts = append(p.Sorts, choice{Text: printable(o.says), To: a.by(o.sort).link(), Current: a.sort == o.sort})
	}
}

// pagesOf returns links to the pages around the one that is asked for, the first and the last.
func pagesOf(a asked, total uint64) *pages {
	n := int((min(total, lastHit) + perPage - 1) / perPage)
	if n < 2 {
		return nil
	}
	at := a.from / perPage // of pages, the first is 0
	p := &pages{}
	if a.from > 0 {
		p.Prev = a.at(max(a.from-perPage, 0)).link()
	}
	if next := a.from + perPage; uint64(next) < total && next <= lastHit-perPage {
		p.Next = a.at(next).link()
	} else if total > lastHit {
		p.Limit = lastHit
	}
	for i := max(0, min(at-1, n-4)); i < min(n, max(at+2, 4)); i++ {
		p.Numbers = append(p.Numbers, choice{Text: fmt.Sprint(i + 1), To: a.at(i * perPage).link(), Current: i == at && a.from%perPage == 0})
	}
	return p
}

// within returns a context with the deadline of the site.
func (s *Site) within(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), cmp.Or(s.o.HTTP.Deadline, httpapi.DefaultDeadline))
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
	p.Document = s.shown.document(p.Title, &answer.Hits[0])
	return s.show(w, p, nil)
}

// document returns the stored values of a hit, in the order of the schema.
func (x *shown) document(id string, h *httpapi.Hit) *document {
	d := &document{ID: id}
	for i := range x.schema.Fields {
		f := field{Name: x.schema.Fields[i].Name}
		for _, v := range h.Values[f.Name] {
			if text, ok := v.(httpapi.Text); ok {
				v = string(text)
			}
			f.Values = append(f.Values, printable(fmt.Sprint(v)))
		}
		if len(f.Values) > 0 {
			d.Fields = append(d.Fields, f)
		}
	}
	return d
}

// contentPolicy lets the page load its style, its script and its icon, and ask its own server, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// show writes the page, with an error if there is one that people can do something about.
func (s *Site) show(w http.ResponseWriter, p *page, err error) error {
	status := http.StatusOK
	if err != nil {
		e := httpapi.ErrorOf(err)
		status, p.Error = e.Status, printable(e.Error())
	}
	if p.Site = s.o.Title; p.Title == "" {
		p.Title = strings.TrimSpace(printable(p.Query))
	}
	var b bytes.Buffer
	if err := s.theme.page.ExecuteTemplate(&b, pageName, p); err != nil {
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
