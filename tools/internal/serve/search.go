package serve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/search"
)

// found is the answer to a query.
type found struct {
	Text  string
	K     int
	Mode  query.Mode
	Modes []option
	// Clipped says that K is less than what was asked for, and Operator that a part of
	// Text is read as plain words. Both may be empty.
	Clipped, Operator string
	Terms             []string
	Absent            []string // terms that the index does not have
	Hits              []hit
	Legend            []share // the terms of the hits' scores
	Took              string  // of the search
	Algo              string
	Traces            []listTrace
	Passes            int  // of the query over segments
	Traced            int  // of them, those in Traces
	Off               bool // the index cannot answer queries

	rank  int           // of the hit before the first
	after *search.After // the page begins behind this hit, unless it is nil
	next  *search.After // the last hit, unless there are no more
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
	if op := cli.Operator(a.Text); op != "" {
		a.Operator = cli.NoOperators(op) + "."
	}
	if text := v.Get("mode"); text != "" {
		if a.Mode, err = query.ParseMode(text); err != nil {
			return nil, badRequest("%v", err)
		}
	}
	for _, m := range []query.Mode{query.Or, query.And, query.AndOr} {
		a.Modes = append(a.Modes, option{m.String(), m == a.Mode})
	}
	if a.Off || a.Text == "" {
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
	score, err := strconv.ParseFloat(v.Get("score"), 32)
	if err != nil || !(score >= 0) {
		return badRequest("score %q is not one", v.Get("score"))
	}
	a.rank, a.after = int(rank), &search.After{Score: float32(score), ID: []byte(v.Get("after"))}
	return nil
}

func (a *found) links() (prev, next string) {
	if a.rank > 0 {
		prev = link("search", "q", a.Text, "mode", a.Mode.String(), "k", a.K) // the first page
	}
	if a.next != nil {
		next = link("search", "q", a.Text, "mode", a.Mode.String(), "k", a.K, "rank", a.rank+len(a.Hits), "score", floatText(a.next.Score), "after", string(a.next.ID))
	}
	return prev, next
}

// run answers the query and explains the hits.
func (a *found) run(ctx context.Context, x *source) error {
	q := query.Query{K: a.K, Mode: a.Mode, Trace: true}
	if x.manifest != nil && x.manifest.Schema != nil { // all fields of text
		q.Text = a.Text
	} else {
		terms, err := x.searcher.Parse(a.Text)
		if err != nil {
			return err
		}
		x.prefetch(terms)
		q.RawTerms = terms
	}
	if a.after != nil {
		after, err := a.after.Position(x.snapshot)
		if err != nil {
			return err
		}
		q.After = &after
	}
	result, err := x.searcher.Search(ctx, q)
	if err != nil {
		return err
	}
	t := result.Trace
	a.Took, a.Algo = cli.Seconds(t.Resolve+t.Search), t.Algorithm.String()
	weights, err := a.weigh(x, q.RawTerms)
	if err != nil {
		return err
	}
	for i, w := range weights {
		a.Legend = append(a.Legend, share{Name: w.term, Link: link("list", "term", w.term), Color: i})
	}
	r := search.Request{Query: query.Match{Text: a.Text}, K: a.K}
	if x.pages.HasText() {
		r.Snippet = &search.Snippet{Length: passageLen}
	}
	page, err := x.pages.Show(ctx, result.Hits, r)
	if err != nil {
		return err
	}
	for i := range page.Hits {
		hit, err := x.explain(&page.Hits[i], weights)
		if err != nil {
			return err
		}
		hit.Rank, hit.Link = a.rank+i+1, link("doc", "doc", hit.Doc, "q", a.Text)
		a.Hits = append(a.Hits, hit)
	}
	if a.Mode != query.AndOr { // whose hits depend on how many are wanted
		a.next = page.Next()
	}
	a.trace(x, t)
	return nil
}

// prefetch begins to read the lists of terms in all segments.
func (x *source) prefetch(terms [][]byte) {
	for _, g := range x.segs {
		g.PrefetchTerms(terms)
	}
	for _, t := range terms {
		for _, g := range x.segs {
			if e, ok, err := g.Lookup(t); err == nil && ok {
				g.PrefetchList(e, maxPayload)
			}
		}
	}
}

// weight is a term of the query.
type weight struct {
	term  string
	df    uint64
	times int
	w     float32
}

// weigh returns the query's different terms in the order in which scores are added: by
// document frequency, then by term.
func (a *found) weigh(x *source, terms [][]byte) (ws []weight, err error) {
	for _, t := range terms {
		if i := slices.IndexFunc(ws, func(w weight) bool { return w.term == string(t) }); i >= 0 {
			ws[i].times++
			continue
		}
		w := weight{term: string(t), times: 1}
		if w.df, err = x.snapshot.DF(t); err != nil {
			return nil, err
		}
		a.Terms = append(a.Terms, w.term)
		if w.df == 0 {
			a.Absent = append(a.Absent, w.term)
			continue
		}
		ws = append(ws, w)
	}
	for i := range ws {
		ws[i].w = x.searcher.Scorer().Weight(ws[i].df, ws[i].times)
	}
	slices.SortFunc(ws, func(a, b weight) int { return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(a.term, b.term)) })
	return ws, nil
}

// explain returns a hit with the score of every term.
func (x *source) explain(h *search.Hit, ws []weight) (out hit, err error) {
	g, local, ok := x.find(h.Doc)
	if !ok {
		return out, notFound("no document %d", h.Doc)
	}
	if out.docRow, err = g.rowOf(h.Doc, local, h.ID); err != nil {
		return out, err
	}
	out.Passage = passage(h)
	out.Score = floatText(h.Score)
	sc, sum := x.searcher.Scorer(), float32(0)
	for i, w := range ws {
		tf, err := x.tf(h.Doc, w.term)
		if err != nil {
			return out, err
		}
		p := part{Term: w.term, DF: w.df, Times: w.times, TF: tf, IDF: cli.Float(sc.IDF(w.df), 4), Weight: floatText(w.w), Link: link("list", "term", w.term)}
		if tf > 0 {
			score := query.Score(w.w, float32(tf), sc.Norm(out.Len))
			sum = float32(sum + score)
			p.Score, p.Sum = floatText(score), floatText(sum)
			out.Stack = append(out.Stack, share{Name: w.term, Start: 100 * float64(sum-score) / float64(h.Score), Size: 100 * float64(score) / float64(h.Score), Color: i})
		}
		out.Parts = append(out.Parts, p)
	}
	return out, nil
}

// tf returns how often a term occurs in a document.
func (x *source) tf(doc uint32, term string) (uint32, error) {
	g, local, ok := x.snapshot.Locate(doc)
	if !ok {
		return 0, notFound("no document %d", doc)
	}
	c, err := g.Cursor([]byte(term))
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if c.NextGEQ(local) != local {
		return 0, c.Err()
	}
	return c.Freq(), c.Err()
}

// trace shows what the query did with the lists of the first segments.
func (a *found) trace(x *source, t *query.Trace) {
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
			a.Traces = append(a.Traces, listTrace{Term: l.Term, File: x.segs[s.Segment].file, DF: l.DF, Blocks: l.Blocks, Docs: l.DocBlocks,
				Freqs: l.FreqBlocks, ByBound: l.ByBound, ByHeader: l.ByHeader(), Strip: strip(l.Fates),
				Link: link("list", "term", l.Term, "seg", s.Segment)})
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
	case f&query.FreqsDecoded != 0:
		return "freqs"
	case f&query.DocsDecoded != 0:
		return "docs"
	case f&query.BelowBound != 0:
		return "bound"
	}
	return "skipped"
}

// floatText prints all digits that tell a float32 from others.
func floatText(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }
