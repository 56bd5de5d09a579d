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
	Passes            int        // of the query over segments
	Traced            int        // of them, those in Traces
	Off               bool       // the index cannot answer queries
	GPU               *gpuAnswer // nil without Options.GPU

	Sorts  []option // by which hits can be sorted; nil without columns
	Facets []facet
	Filter string // by columns, which there are if Sorts is not nil

	syntax bool   // Text has operators
	strict bool   // and what they cannot say is an error
	sort   string // of Sorts; "" by score
	by     []search.SortBy
	sorted [][]schema.Value // what Hits are sorted by, if they are

	node query.Node   // what is searched for
	hits []search.Hit // what the CPU has found

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
	Parts   []inspect.TermScore
	Stack   []share // the parts of the score beside each other
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
	if err := a.sorting(r, s.main.Fields()); err != nil {
		return nil, err
	}
	if a.by != nil && a.Mode == query.ModeAndOr {
		return nil, badRequest("hits of mode %v are not sorted: which they are depends on how many are wanted", a.Mode)
	}
	if a.Text == "" {
		return a, nil
	}
	if err := a.run(r.Context(), s.main); err != nil || s.gpu == nil {
		return a, err
	}
	return a, a.askGPU(r.Context(), s.gpu, s.main)
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
		next = link("search", "q", a.Text, "mode", a.mode(), "filter", a.Filter, "k", a.K, "rank", a.rank+len(a.Hits), "score", inspect.FloatText(a.next.Score), "after", a.next.ID)
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
	if a.node = q.Node; a.node == nil {
		a.node = query.Match{Text: a.Text, Mode: a.Mode}
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
	a.ask(&q, x.Fields())
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
	a.hits = result.Hits
	if result.Total > uint64(len(result.Hits)) {
		a.Of = cli.Count(result.Total)
	}
	t := result.Trace
	a.Took, a.Algo = cli.Seconds(t.Resolve+t.Search), t.Algorithm.String()
	weighed, err := x.Weigh(terms, query.Params{})
	if err != nil {
		return err
	}
	a.absent(ctx, x, weighed.Terms)
	explained := !a.syntax && a.by == nil // else a score is not simply the sum of its terms', or not computed
	for _, t := range weighed.Terms {
		if explained && t.DF > 0 {
			a.Legend = append(a.Legend, share{Name: inField(t.Field, string(t.Term)), Link: link("list", "field", t.Field, "term", string(t.Term)), Color: len(a.Legend)})
		}
	}
	if slices.ContainsFunc(x.pages.Schema().Fields, func(f schema.Field) bool { return f.Stored && f.Kind == schema.Text }) {
		r.Snippet = &pinion.Snippet{Length: passageLen}
	}
	page, err := x.pages.Show(ctx, asHits(result.Hits), r)
	if err != nil {
		return err
	}
	for i := range page.Hits {
		hit, err := x.hit(&page.Hits[i])
		if err == nil && explained {
			err = x.explain(&hit, &page.Hits[i], weighed)
		}
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
	each := func(f func(g *inspect.Segment, field int, terms [][]byte)) {
		for name, terms := range byField {
			id, err := inspect.ChooseField(x.Fields(), name)
			for _, g := range x.Segs {
				if i, ok := g.FieldByID(id); ok && err == nil {
					f(g, i, terms)
				}
			}
		}
	}
	each(func(g *inspect.Segment, field int, terms [][]byte) { g.Segment.Field(field).PrefetchTerms(terms) })
	each(func(g *inspect.Segment, field int, terms [][]byte) {
		for _, t := range terms {
			if e, ok, err := g.Segment.Field(field).Lookup(t); err == nil && ok {
				g.Lists().Prefetch(e, maxPayload)
			}
		}
	})
}

// inField returns a term as it is shown.
func inField(field, term string) string {
	if field == "" {
		return term
	}
	return field + ": " + term
}

// absent notes the terms, those that no field has, and what may have been meant by these.
func (a *found) absent(ctx context.Context, x *source, terms []inspect.TermScore) {
	df := map[cli.Text]uint64{}
	for _, t := range terms {
		df[t.Term] += t.DF
	}
	for _, t := range terms {
		n, first := df[t.Term]
		if !first {
			continue
		}
		delete(df, t.Term)
		a.Terms = append(a.Terms, string(t.Term))
		if n > 0 {
			continue
		}
		a.Absent = append(a.Absent, string(t.Term))
		if near, err := x.searcher.Similar(ctx, t.Field, string(t.Term), 1); err == nil && len(near) > 0 {
			term := string(near[0].Term)
			a.Meant = append(a.Meant, share{Name: term, Link: link("search", "q", term)})
		}
	}
}

// hit returns a hit without the scores of its terms.
func (x *source) hit(h *pinion.Hit) (out hit, err error) {
	g, local, ok := x.Find(h.Doc)
	if !ok {
		return out, notFound("no document %d", h.Doc)
	}
	out.docRow, err = rowOf(g, local)
	out.Passage, out.Score = passage(h), inspect.FloatText(h.Score)
	return out, err
}

// explain adds the score of every term of the index.
func (x *source) explain(out *hit, h *pinion.Hit, w *inspect.Weighed) error {
	g, local, _ := x.Find(h.Doc)
	terms, _, err := w.Scores(g, local)
	if err != nil {
		return err
	}
	for _, t := range terms {
		if t.TF > 0 {
			out.Stack = append(out.Stack, share{Name: inField(t.Field, string(t.Term)), Start: 100 * float64(t.Sum-t.Score) / float64(h.Score), Size: 100 * float64(t.Score) / float64(h.Score), Color: len(out.Parts)})
		}
		if t.DF > 0 {
			out.Parts = append(out.Parts, t)
		}
	}
	return nil
}

// trace shows what the query did with the lists of the first segments.
func (a *found) trace(x *source, t *search.Trace) {
	a.Passes = len(t.Segments)
	for i := range t.Segments {
		s := &t.Segments[i]
		if i == maxTraced || s.Segment >= len(x.Segs) {
			return
		}
		a.Traced++
		for j := range s.Lists {
			l := &s.Lists[j]
			if l.Blocks == 0 {
				continue
			}
			a.Traces = append(a.Traces, listTrace{Term: inField(l.Field, l.Term), File: x.Segs[s.Segment].File, DF: l.DF, Blocks: l.Blocks, Docs: l.DocBlocks,
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
