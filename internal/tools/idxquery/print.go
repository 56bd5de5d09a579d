package idxquery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Answer is what idxquery prints for one query.
type Answer struct {
	QID         string     `json:"qid"`
	Query       string     `json:"query"`
	Terms       []cli.Text `json:"terms"`
	NoTerms     bool       `json:"no_terms,omitempty"` // the analyzer leaves none
	Seconds     float64    `json:"seconds"`
	Total       *uint64    `json:"total,omitempty"`
	Hits        []Hit      `json:"hits"`
	Facets      []Facet    `json:"facets,omitempty"`
	Limited     []string   `json:"limited,omitempty"`     // parts of the query that stand for too many terms
	Approximate bool       `json:"approximate,omitempty"` // nearer documents may be missing
	Words       []string   `json:"words,omitempty"`       // parts of the query that could not be read otherwise
	Trace       *Trace     `json:"trace,omitempty"`
	trace       *search.Trace
	terms       []query.Term
}

// label returns a term as it is printed, with its field, unless that has no name.
func label(field, term string) string {
	if field == "" {
		return term
	}
	return field + ":" + term
}

// Hit is one document of an Answer.
type Hit struct {
	Rank    int             `json:"rank"`
	Doc     uint32          `json:"doc"`
	ID      cli.Text        `json:"id"`
	Score   float32         `json:"score"`
	Sort    []any           `json:"sort,omitempty"`    // what it is sorted by; null where it has no value
	Nearest []NearestVector `json:"nearest,omitempty"` // of --nearest
	Text    string          `json:"text,omitempty"`
	Group   *Group          `json:"group,omitempty"` // of --group
	shown   string          // in a table
}

// NearestVector is the vector of a hit that is nearest to that of the query.
type NearestVector struct {
	Field  string  `json:"field"`
	Number int     `json:"number"` // from 0, in the order in which the document has them
	Score  float32 `json:"score"`
	Error  float32 `json:"error,omitempty"` // of Score, at most, in a field of int8
}

// answer returns what is printed for a reply.
func (w *worker) answer(r *reply) (*Answer, error) {
	a := &Answer{QID: r.id, Query: r.question.text, Terms: []cli.Text{}, Seconds: r.took.Seconds(), Hits: []Hit{}}
	a.Approximate = r.query.Approximate != nil && *r.query.Approximate // before Terms, which finds no neighbors
	terms, _, err := w.s.searcher.Terms(&r.query)
	if err != nil {
		return nil, err
	}
	for _, t := range terms {
		a.Terms = append(a.Terms, cli.Text(label(t.Field, t.Text)))
	}
	a.terms, a.NoTerms = terms, len(a.Terms) == 0 && !w.s.f.syntax && r.vector == nil
	if w.s.f.syntax && !w.s.f.strict {
		a.Words = w.s.searcher.ParseLenient(a.Query).Words
	}
	if w.s.f.total || w.s.f.count {
		a.Total = &r.total
	}
	if r.query.Limited != nil {
		for _, l := range *r.query.Limited {
			a.Limited = append(a.Limited, limited(l))
		}
	}
	if r.query.Trace {
		a.trace = cmp.Or(r.trace, new(search.Trace))
		a.Trace = newTrace(a.trace)
		a.Trace.Reads = r.reads
		if r.steps != nil {
			a.Trace.addSteps(r.steps)
		}
	}
	req := pinion.Request{Query: query.Match{Field: w.s.f.field, Text: a.Query}, Limit: w.s.f.k}
	if w.s.f.syntax || w.s.f.typos || w.s.synonyms != nil || w.s.f.dot != "" || w.s.like != nil || r.vector != nil {
		req.Query = r.query.Node
	}
	width := w.s.f.width
	switch {
	case w.s.f.json || width == 0:
		req.Fields, req.Nearest = w.s.pages.Schema().Shown(), r.vector != nil
	case w.s.hasPassages():
		req.Snippet = &pinion.Snippet{Length: width, Field: w.s.f.shownField(w.s.schema, a.Query)}
	}
	page, err := w.s.pages.Show(context.Background(), asHits(r.hits), req)
	if err != nil {
		return nil, err
	}
	for i := range page.Hits {
		h := &page.Hits[i]
		hit := w.hit(h, &req)
		hit.Rank = r.before + i + 1
		if r.sorted != nil {
			hit.Sort = w.sortedBy(r.sorted[i], hit.Score)
		}
		a.Hits = append(a.Hits, hit)
	}
	w.s.addColumns(a, r)
	if w.s.f.group > 0 {
		err = w.addGroups(a.Hits, w.grouped(r, &req))
	}
	return a, err
}

// values returns the stored text of a hit, or a line for each value if they have names.
func (s *session) values(h *pinion.Hit) string {
	if s.schema.IsImplicit() && len(h.Values) > 0 {
		return string(h.Values[0].Bytes())
	}
	var b []byte
	for _, v := range h.Values {
		b = append(append(b, s.schema.Fields[v.Field].Name...), ": "...)
		if v.Kind == schema.Text || v.Kind == schema.Keyword {
			b = append(b, v.Bytes()...)
		} else {
			b = append(b, v.String()...)
		}
		b = append(b, '\n')
	}
	return string(b)
}

// passage returns the passage of a hit in one line of at most width characters and those that
// say that the text goes on.
func passage(h *pinion.Hit, width int) string {
	p := h.Passage()
	text := cli.Snippet([]byte(p.Text), width)
	if p.Before {
		text = "…" + text
	}
	if p.Behind {
		text += "…"
	}
	return text
}

// asTable prints a table, below the query if there are several.
func asTable(several bool) printer {
	return func(w *worker, b []byte, r *reply) ([]byte, error) {
		a, err := w.answer(r)
		if err != nil {
			return b, err
		}
		out := bytes.NewBuffer(b)
		err = w.s.table(out, a, several)
		return out.Bytes(), err
	}
}

// asCount prints how many documents match, below the qid if there are several queries.
func asCount(several bool) printer {
	return func(_ *worker, b []byte, r *reply) ([]byte, error) {
		if several {
			b = append(append(b, cli.Printable(r.id)...), '\t')
		}
		return append(strconv.AppendUint(b, r.total, 10), '\n'), nil
	}
}

// asJSON prints an element of an array, which the first begins.
func asJSON(w *worker, b []byte, r *reply) ([]byte, error) {
	a, err := w.answer(r)
	if err != nil {
		return b, err
	}
	out := bytes.NewBuffer(b)
	if r.index == 0 {
		out.WriteByte('[')
	} else {
		out.WriteByte(',')
	}
	out.WriteString("\n  ")
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("  ", "  ")
	err = e.Encode(a)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// hasPassages reports whether the index stores a field of text.
func (s *session) hasPassages() bool {
	return slices.ContainsFunc(s.pages.Schema().Fields, func(f schema.Field) bool { return f.Stored && f.Kind == schema.Text })
}

// hasText reports whether there is something to print of documents besides their ids.
func (s *session) hasText() bool {
	return s.hasPassages() || s.f.width == 0 && len(s.pages.Schema().Shown()) > 0
}

// heads returns the heads of the columns of a table of hits.
func (s *session) heads() []string {
	heads := []string{">rank"}
	if len(s.asked.sort) == 0 {
		heads = append(heads, ">score")
	}
	for _, by := range s.asked.sort {
		if by.Score {
			heads = append(heads, ">score")
			continue
		}
		heads = append(heads, by.Field)
	}
	if s.f.group > 0 {
		heads = append(heads, s.f.collapse, ">of")
	}
	if heads = append(heads, "id"); s.hasText() {
		heads = append(heads, "text")
	}
	return heads
}

func (s *session) table(w io.Writer, a *Answer, head bool) error {
	if head {
		title := cli.Printable(a.QID)
		if a.Query != "" {
			title += ": " + cli.Printable(a.Query)
		}
		if _, err := fmt.Fprintln(w, title); err != nil {
			return err
		}
	}
	t := cli.NewTable(s.heads()...)
	for i := range a.Hits {
		h := &a.Hits[i]
		t.Row(s.row(h, h.Rank)...)
		if h.Group == nil {
			continue
		}
		for k := range h.Group.Hits {
			if own := &h.Group.Hits[k]; own.Doc != h.Doc {
				t.Row(s.row(own, "")...)
			}
		}
	}
	if s.f.width == defaultWidth {
		t.Limit(s.out)
	}
	if t.Len() == 0 {
		fmt.Fprintln(w, s.nothing(a))
	} else if _, err := t.WriteTo(w); err != nil {
		return err
	}
	if a.Total != nil && *a.Total > 0 {
		fmt.Fprintln(w, matching(*a.Total))
	}
	writeFacets(w, s.out, a.Facets)
	if a.trace != nil {
		writeSteps(w, s.out, a.Trace)
		if !a.Trace.onGPU {
			writeTrace(w, s.out, a.trace)
		}
		if a.Trace.Reads != nil {
			fmt.Fprintf(w, "\n%s\n", a.Trace.Reads)
		}
	}
	if head {
		fmt.Fprintln(w)
	}
	return nil
}

// row returns the cells of a hit in a table: of one in a group below it the rank is empty.
func (s *session) row(h *Hit, rank any) []any {
	row := []any{rank}
	if len(s.asked.sort) == 0 {
		row = append(row, fmt.Sprintf("%.4f", h.Score))
	}
	for i, v := range h.Sort {
		if i < len(s.asked.sort) && s.asked.sort[i].Score {
			row = append(row, fmt.Sprintf("%.4f", h.Score))
			continue
		}
		row = append(row, shown(v))
	}
	switch g := h.Group; {
	case s.f.group == 0:
	case g == nil:
		row = append(row, "", "")
	default:
		row = append(row, shown(g.Value), cli.Count(g.Total))
	}
	if row = append(row, cli.Quote(h.ID)); s.hasText() {
		row = append(row, h.shown)
	}
	return row
}

// matching says how many documents match.
func matching(n uint64) string {
	if n == 1 {
		return "1 document matches"
	}
	return cli.Count(n) + " documents match"
}

// nothing returns the message that there are no hits, which terms the index does not have, and
// which terms may have been meant by these.
func (s *session) nothing(a *Answer) string {
	var absent, meant []string
	for i, t := range a.terms {
		field, ok := s.snapshot.Field(t.Field)
		if !ok || s.searcher.IsPart(t.Field, []byte(t.Text)) {
			continue
		}
		name := cli.Quote(a.Terms[i])
		if s.searcher.Stems(t.Field) {
			if name = s.typed(a.Query, t); name == "" {
				continue
			}
		}
		if df, err := field.DF([]byte(t.Text)); err == nil && df == 0 && !slices.Contains(absent, name) {
			absent = append(absent, name)
			if near, err := s.searcher.Similar(context.Background(), t.Field, t.Text, 1); err == nil && len(near) > 0 {
				meant = append(meant, cli.Quote(label(t.Field, string(near[0].Term))))
			}
		}
	}
	switch {
	case a.NoTerms:
		return "the query has no terms: " + s.whyNoTerms(a.Query)
	case len(meant) > 0:
		return fmt.Sprintf("no documents match: the index does not have %s (did you mean %s?)", strings.Join(absent, ", "), strings.Join(meant, ", "))
	case len(absent) > 0:
		return "no documents match: the index does not have " + strings.Join(absent, ", ")
	}
	return "no documents match"
}

// typed returns the word of a question that a term is the stem of, or nothing if none is found.
func (s *session) typed(question string, t query.Term) string {
	ends := func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark) && r != '\'' && r != '’'
	}
	for word := range strings.FieldsFuncSeq(question, ends) {
		terms, _, err := s.searcher.Terms(&search.Query{Node: query.Match{Field: t.Field, Text: word}})
		if err == nil && slices.ContainsFunc(terms, func(x query.Term) bool { return x.Text == t.Text }) {
			return cli.Quote(label(t.Field, word))
		}
	}
	return ""
}

// writeTrace prints what the execution of a query did, in tables that fit out.
func writeTrace(w, out io.Writer, tr *search.Trace) {
	fmt.Fprintf(w, "\nterms looked up in %s, searched in %s\n", cli.Seconds(tr.Resolve), cli.Seconds(tr.Search))
	fmt.Fprintf(w, "\nplan: %s", tr.Plan)
	for _, g := range tr.Segments {
		fmt.Fprintf(w, "\nsegment %d: %s, %s candidates, %s scored, %s pivots\n", g.Segment, g.Algorithm, cli.Count(g.Candidates), cli.Count(g.Scored), cli.Count(g.Pivots))
		t := cli.NewTable("term", ">df", ">weight", ">bound", ">blocks", ">decoded", ">freqs", ">skipped by bound", ">by header")
		for i := range g.Lists {
			l := &g.Lists[i]
			t.Row(cli.Quote(label(l.Field, l.Term)), l.DF, cli.Float(float64(l.Weight), 5), cli.Float(float64(l.Bound), 5),
				l.Blocks, l.DocBlocks, l.FreqBlocks, l.ByBound, l.ByHeader())
		}
		t.Limit(out)
		t.WriteTo(w)
	}
	writeThresholds(w, tr.Thresholds)
}

// maxRises is the number of rises of the threshold that are printed; --json has all.
const maxRises = 8

// writeThresholds prints how the score that a hit must reach rose.
func writeThresholds(w io.Writer, rises []search.Threshold) {
	if len(rises) == 0 {
		return
	}
	fmt.Fprintf(w, "\nthreshold, by docID reached:")
	n := min(len(rises), maxRises)
	for i := range n {
		t := rises[i*(len(rises)-1)/max(n-1, 1)]
		fmt.Fprintf(w, " %s at %s", cli.Float(float64(t.Score), 5), cli.Count(t.Doc))
		if i < n-1 {
			fmt.Fprint(w, ",")
		}
	}
	if len(rises) > n {
		fmt.Fprintf(w, " (%d of %s rises)", n, cli.Count(len(rises)))
	}
	fmt.Fprintln(w)
}

// asHits returns hits as pinion.View.Show takes them.
func asHits(hits []search.Hit) []pinion.Hit {
	all := make([]pinion.Hit, len(hits))
	for i, h := range hits {
		all[i] = pinion.Hit{Doc: h.Doc, Score: h.Score}
	}
	return all
}
