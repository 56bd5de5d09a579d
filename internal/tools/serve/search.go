package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// found is the answer to a query.
type found struct {
	Text  string
	K     int
	Mode  query.Mode
	Modes []option // the last one is that Text has operators
	// Clipped says that K is less than what was asked for, and Operator that a part of
	// Text is read as plain words. Both may be empty.
	Clipped, Operator string
	Terms             []string
	Absent            []string // terms that the index does not have
	Meant             []share  // terms that may have been meant by them
	Hits              []hit
	Legend            []share // the terms of the hits' scores
	Took              string  // of the search
	Of                string  // how many documents match, if those are more than Hits; empty if the mode has no such number
	Algo              string
	Traces            []listTrace
	Passes            int  // of the query over segments
	Traced            int  // of them, those in Traces
	Off               bool // the index cannot answer queries

	Sorts  []option // by which hits can be sorted; nil without columns
	Facets []facet
	Filter string // by columns, which there are if Sorts is not nil

	syntax bool   // Text has operators
	strict bool   // and what they cannot say is an error
	sort   string // of Sorts; "" by score
	by     []search.SortBy
	sorted [][]schema.Value // what Hits are sorted by, if they are

	rank  int           // of the hit before the first
	after *pinion.After // the page begins behind this hit, unless it is nil
	next  *pinion.After // the last hit, unless there are no more
}

type option struct {
	Value string
	On    bool
}

// hit is a document with the scores of its terms, in the order in which they are added.
type hit struct {
	Rank  int
	Score string
	docRow
	Passage []piece // of the text
	Parts   []part
	Stack   []share // the parts of the score beside each other
}

type part struct {
	Term, IDF, Weight, Score, Sum, Link string
	DF                                  uint64
	Times                               int
	TF                                  uint32
}

// listTrace is what a query did with the blocks of a list.
type listTrace struct {
	Term, File                     string
	DF                             uint32
	Blocks                         int
	Docs, Freqs, ByBound, ByHeader uint64
	Strip                          []run
	Link                           string
}

// run is a run of blocks with the same fate, in percent of the list.
type run struct {
	Start, Size float64
	Fate        string // skipped, bound, docs, freqs
}

// mostHits is how many hits a page shows.
const mostHits = 100

// maxTraced is how many segments' lists a page shows.
const maxTraced = 4

func (s *shown) search(r *http.Request) (any, error) {
	v := r.URL.Query()
	k, err := number(r, "k", 10, math.MaxUint64)
	if err != nil {
		return nil, err
	}
	a := &found{Text: v.Get("q"), K: int(min(max(k, 1), mostHits)), Off: s.main.searcher == nil}
	if err := a.page(r); err != nil {
		return nil, err
	}
	if k > mostHits {
		a.Clipped = fmt.Sprintf("A page shows at most %d hits, not %s.", mostHits, cli.Count(k))
	}
	text := v.Get("mode")
	a.strict, a.Filter = text == strictMode, v.Get("filter")
	a.syntax = a.strict || text == syntaxMode
	if op := cli.Operator(a.Text); op != "" && !a.syntax {
		a.Operator = cli.NoOperators(op, "choose "+syntaxMode+" in place of "+cmp.Or(text, query.ModeOr.String())) + "."
	}
	if text != "" && !a.syntax {
		if err = a.Mode.UnmarshalText([]byte(text)); err != nil {
			return nil, badRequest("%v", err)
		}
	}
	for _, m := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
		a.Modes = append(a.Modes, option{m.String(), m == a.Mode && !a.syntax})
	}
	a.Modes = append(a.Modes, option{syntaxMode, a.syntax && !a.strict}, option{strictMode, a.strict})
	if a.Off {
		return a, nil
	}
	if err := a.sorting(r, s.main.fields()); err != nil {
		return nil, err
	}
	if a.by != nil && a.Mode == query.ModeAndOr {
		return nil, badRequest("hits of mode %v are not sorted: which they are depends on how many are wanted", a.Mode)
	}
	if a.Text == "" {
		return a, nil
	}
	return a, a.run(r.Context(), s.main)
}

// page reads where the page of hits begins.
func (a *found) page(r *http.Request) error {
	v := r.URL.Query()
	rank, err := number(r, "rank", 0, math.MaxInt32)
	if err != nil || rank == 0 {
		return err
	}
	if a.rank = int(rank); v.Get("sort") != "" && v.Get("sort") != byScore {
		return nil
	}
	score, err := strconv.ParseFloat(v.Get("score"), 32)
	if err != nil || !(score >= 0) {
		return badRequest("score %q is not one", v.Get("score"))
	}
	a.after = &pinion.After{Score: float32(score), ID: v.Get("after")}
	return nil
}

// What a page calls queries with operators, and those of which nothing becomes words that is not meant so.
const (
	syntaxMode = "operators"
	strictMode = "strict operators"
)

// mode returns how the page calls the mode.
func (a *found) mode() string {
	switch {
	case a.strict:
		return strictMode
	case a.syntax:
		return syntaxMode
	}
	return a.Mode.String()
}

func (a *found) links() (prev, next string) {
	if a.rank > 0 {
		prev = link("search", "q", a.Text, "mode", a.mode(), "filter", a.Filter, "k", a.K, "sort", a.sort) // the first page
	}
	switch {
	case a.next == nil:
	case a.by != nil:
		next = link("search", "q", a.Text, "mode", a.mode(), "filter", a.Filter, "k", a.K, "sort", a.sort, "rank", a.rank+len(a.Hits))
	default:
		next = link("search", "q", a.Text, "mode", a.mode(), "filter", a.Filter, "k", a.K, "rank", a.rank+len(a.Hits), "score", floatText(a.next.Score), "after", a.next.ID)
	}
	return prev, next
}

// run answers the query and explains the hits.
func (a *found) run(ctx context.Context, x *source) error {
	q := search.Query{Text: a.Text, K: a.K, Mode: a.Mode, Total: a.Mode != query.ModeAndOr, Trace: true} // in all fields of text
	switch {
	case a.strict:
		n, err := x.searcher.ParseText(a.Text)
		if err != nil {
			return badRequest("%v", err)
		}
		q.Node, q.Text = n, ""
	case a.syntax:
		typed := x.searcher.ParseLenient(a.Text)
		if typed.Words != nil {
			a.Operator = cli.AsWords(typed.Words) + "."
		}
		q.Node, q.Text = typed.Node, ""
	}
	r := pinion.Request{Query: query.Match{Text: a.Text}, Limit: a.K}
	if a.syntax {
		r.Query = q.Node
	}
	if err := a.filter(&q, x.snapshot.Schema()); err != nil {
		return err
	}
	terms, _, err := x.searcher.Terms(&q)
	if refused(err) {
		return badRequest("%v", err)
	}
	if err != nil {
		return err
	}
	x.prefetch(terms)
	if a.after != nil {
		doc, ok, err := x.snapshot.FindID([]byte(a.after.ID))
		if err != nil {
			return err
		}
		q.After = &search.Position{Score: a.after.Score, Doc: doc, Before: !ok}
	}
	a.ask(&q, x.fields())
	result, err := x.searcher.Search(ctx, q)
	if q.Total && errors.Is(err, format.ErrCorrupt) { // in what only the total needs, perhaps
		q.Total, q.Facets = false, nil
		result, err = x.searcher.Search(ctx, q)
	}
	if refused(err) {
		return badRequest("%v", err)
	}
	if err != nil {
		return err
	}
	a.takeColumns(&q, &result)
	if result.Total > uint64(len(result.Hits)) {
		a.Of = cli.Count(result.Total)
	}
	t := result.Trace
	a.Took, a.Algo = cli.Seconds(t.Resolve+t.Search), t.Algorithm.String()
	weights, err := a.weigh(ctx, x, terms)
	if err != nil {
		return err
	}
	if a.syntax || a.by != nil {
		weights = nil // a score is not simply their sum, or not computed
	}
	for i, w := range weights {
		a.Legend = append(a.Legend, share{Name: w.name(), Link: w.link(), Color: i})
	}
	if slices.ContainsFunc(x.pages.Schema().Fields, func(f schema.Field) bool { return f.Stored && f.Kind == schema.Text }) {
		r.Snippet = &pinion.Snippet{Length: passageLen}
	}
	page, err := x.pages.Show(ctx, asHits(result.Hits), r)
	if err != nil {
		return err
	}
	for i := range page.Hits {
		hit, err := x.explain(&page.Hits[i], weights)
		if err != nil {
			return err
		}
		if a.by != nil {
			hit.Score = a.sortedBy(i)
		}
		hit.Rank, hit.Link = a.rank+i+1, link("doc", "doc", hit.Doc, "q", a.Text)
		a.Hits = append(a.Hits, hit)
	}
	if a.Mode != query.ModeAndOr { // whose hits depend on how many are wanted
		a.next = page.Next()
	}
	a.trace(x, t)
	return nil
}

// prefetch begins to read the lists of terms in all segments.
func (x *source) prefetch(terms []query.Term) {
	byField := map[string][][]byte{}
	for _, t := range terms {
		byField[t.Field] = append(byField[t.Field], []byte(t.Text))
	}
	each := func(f func(g *seg, field int, terms [][]byte)) {
		for name, terms := range byField {
			id, err := inspect.ChooseField(x.fields(), name)
			for _, g := range x.segs {
				if i, ok := g.FieldByID(id); ok && err == nil {
					f(g, i, terms)
				}
			}
		}
	}
	each(func(g *seg, field int, terms [][]byte) { g.Segment.Field(field).PrefetchTerms(terms) })
	each(func(g *seg, field int, terms [][]byte) {
		for _, t := range terms {
			if e, ok, err := g.Segment.Field(field).Lookup(t); err == nil && ok {
				g.Lists().Prefetch(e, maxPayload)
			}
		}
	})
}

// weight is a term of the query.
type weight struct {
	field string // "" without a schema
	term  string
	df    uint64
	times int
	w     float32
}

// name returns the term as it is shown.
func (w *weight) name() string { return inField(w.field, w.term) }

func inField(field, term string) string {
	if field == "" {
		return term
	}
	return field + ": " + term
}

// link returns the link to the term's lists.
func (w *weight) link() string { return link("list", "field", w.field, "term", w.term) }

// weigh returns the query's different terms in the order in which scores are added: by
// document frequency, then by field and term.
func (a *found) weigh(ctx context.Context, x *source, terms []query.Term) (ws []weight, err error) {
	for _, t := range terms {
		if i := slices.IndexFunc(ws, func(w weight) bool { return w.field == t.Field && w.term == t.Text }); i >= 0 {
			ws[i].times++
			continue
		}
		w := weight{field: t.Field, term: t.Text, times: 1}
		f, ok := x.snapshot.Field(t.Field)
		if !ok {
			return nil, notFound("no field %s", cli.Quote(t.Field))
		}
		if w.df, err = f.DF([]byte(t.Text)); err != nil {
			return nil, err
		}
		ws = append(ws, w)
	}
	a.absent(ctx, x, ws)
	ws = slices.DeleteFunc(ws, func(w weight) bool { return w.df == 0 })
	for i := range ws {
		sc, _ := x.searcher.FieldScorer(ws[i].field)
		ws[i].w = sc.Weight(ws[i].df, ws[i].times)
	}
	slices.SortFunc(ws, func(a, b weight) int {
		return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(a.field, b.field), cmp.Compare(a.term, b.term))
	})
	return ws, nil
}

// absent notes the terms, those that no field has, and what may have been meant by these.
func (a *found) absent(ctx context.Context, x *source, ws []weight) {
	df := map[string]uint64{}
	for _, w := range ws {
		df[w.term] += w.df
	}
	for _, w := range ws {
		if n, ok := df[w.term]; ok {
			a.Terms = append(a.Terms, w.term)
			if n == 0 {
				a.Absent = append(a.Absent, w.term)
				if near, err := x.searcher.Similar(ctx, w.field, w.term, 1); err == nil && len(near) > 0 {
					term := string(near[0].Term)
					a.Meant = append(a.Meant, share{Name: term, Link: link("search", "q", term)})
				}
			}
			delete(df, w.term)
		}
	}
}

// explain returns a hit with the score of every term.
func (x *source) explain(h *pinion.Hit, ws []weight) (out hit, err error) {
	g, local, ok := x.find(h.Doc)
	if !ok {
		return out, notFound("no document %d", h.Doc)
	}
	if out.docRow, err = g.rowOf(h.Doc, local, []byte(h.ID)); err != nil {
		return out, err
	}
	out.Passage = passage(h)
	out.Score = floatText(h.Score)
	sum := float32(0)
	for i, w := range ws {
		sc, _ := x.searcher.FieldScorer(w.field)
		tf, length, err := x.tf(h.Doc, &w)
		if err != nil {
			return out, err
		}
		p := part{Term: w.name(), DF: w.df, Times: w.times, TF: tf, IDF: cli.Float(sc.IDF(w.df), 4), Weight: floatText(w.w), Link: w.link()}
		if tf > 0 {
			score := sc.Score(w.w, float32(tf), sc.Norm(length))
			sum = float32(sum + score)
			p.Score, p.Sum = floatText(score), floatText(sum)
			out.Stack = append(out.Stack, share{Name: w.name(), Start: 100 * float64(sum-score) / float64(h.Score), Size: 100 * float64(score) / float64(h.Score), Color: i})
		}
		out.Parts = append(out.Parts, p)
	}
	return out, nil
}

// tf returns how often a term occurs in a document, and the document's length in the field.
func (x *source) tf(doc uint32, w *weight) (tf, length uint32, err error) {
	g, local, ok := x.snapshot.Locate(doc)
	if !ok {
		return 0, 0, notFound("no document %d", doc)
	}
	f, ok := g.Field(w.field)
	if !ok {
		return 0, 0, nil
	}
	if length, err = f.DocLen(local); err != nil {
		return 0, 0, err
	}
	c, err := f.Cursor([]byte(w.term))
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	if c.NextGEQ(local) != local {
		return 0, length, c.Err()
	}
	return c.Freq(), length, c.Err()
}

// trace shows what the query did with the lists of the first segments.
func (a *found) trace(x *source, t *search.Trace) {
	a.Passes = len(t.Segments)
	for i := range t.Segments {
		s := &t.Segments[i]
		if i == maxTraced || s.Segment >= len(x.segs) {
			return
		}
		a.Traced++
		for j := range s.Lists {
			l := &s.Lists[j]
			if l.Blocks == 0 {
				continue
			}
			a.Traces = append(a.Traces, listTrace{Term: inField(l.Field, l.Term), File: x.segs[s.Segment].file, DF: l.DF, Blocks: l.Blocks, Docs: l.DocBlocks,
				Freqs: l.FreqBlocks, ByBound: l.ByBound, ByHeader: l.ByHeader(), Strip: strip(l.Fates),
				Link: link("list", "field", l.Field, "term", l.Term, "seg", s.Segment)})
		}
	}
}

// cells is the resolution of a strip.
const cells = 240

// strip joins the fates of blocks to runs. A cell of several blocks shows the most that
// happened to one of them.
func strip(fates []uint8) (out []run) {
	n := min(len(fates), cells)
	for c := range n {
		most := uint8(0)
		for _, f := range fates[c*len(fates)/n : (c+1)*len(fates)/n] {
			most |= f
		}
		name, size := fateName(most), 100/float64(n)
		if k := len(out); k > 0 && out[k-1].Fate == name {
			out[k-1].Size += size
			continue
		}
		out = append(out, run{Start: float64(c) * size, Size: size, Fate: name})
	}
	return out
}

func fateName(f uint8) string {
	switch {
	case f&search.FreqsDecoded != 0:
		return "freqs"
	case f&search.DocsDecoded != 0:
		return "docs"
	case f&search.BelowBound != 0:
		return "bound"
	}
	return "skipped"
}

// floatText prints all digits that tell a float32 from others.
func floatText(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }
