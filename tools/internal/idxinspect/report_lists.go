package idxinspect

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/tools/internal/htmlreport"
	"github.com/pinion-index/pinion/tools/internal/indexstats"
)

// Bounds of what is drawn, which keep the page small.
const (
	maxColumns   = 160    // of a list
	listColumns  = 54_000 // of all lists
	visitColumns = 40_000 // of all lists of traced queries
	maxVisits    = 4_000  // lists of traced queries
)

// listKey identifies a list of an index.
type listKey struct {
	seg  int
	term string
}

// listDrawer collects lists for a page.
type listDrawer struct {
	x      *index
	scorer *query.Scorer
	lists  []htmlreport.List
	at     map[listKey]int // in lists
	view   segment.List
	room   int // columns that are left
}

func newListDrawer(x *index) (*listDrawer, error) {
	sc, err := query.NewScorer(query.DefaultParams(), x.stats())
	return &listDrawer{x: x, scorer: sc, at: map[listKey]int{}, room: listColumns}, err
}

// draw adds the list of a term in a segment and returns its index in lists, or -1 if there
// is no room for it. Lists without an extent become one column.
func (d *listDrawer) draw(seg int, term string, e segment.Entry) (int, error) {
	k := listKey{seg, term}
	if i, ok := d.at[k]; ok {
		return i, nil
	}
	g, l := d.x.segs[seg], &d.view
	if err := g.InitList(l, e); err != nil {
		return 0, format.Locate(err, format.Place{List: term, Block: format.NoBlock})
	}
	if d.room -= min(l.Blocks, maxColumns); d.room < 0 {
		return -1, nil
	}
	df, err := d.x.df(term)
	if err != nil {
		return 0, err
	}
	weight := d.scorer.Weight(max(df, 1), 1)
	out := htmlreport.List{Term: cli.Quote(term), Segment: g.file, Base: g.base, Postings: l.N, Blocks: l.Blocks, First: l.First,
		Bytes: e.Size() + int64(len(l.Extent())), Codecs: "in the dictionary"}
	if l.Kind == segment.KindExtent {
		out.Codecs = "docIDs " + l.DocsCodec.ID().String() + ", frequencies " + l.FreqsCodec.ID().String()
		out.Bound = d.scorer.Bound(weight, l.Quad)
		err = d.columns(&out, l, weight)
	} else {
		d.short(&out, g, l, weight)
	}
	if err != nil {
		return 0, l.Locate(err, format.NoBlock)
	}
	d.at[k] = len(d.lists)
	d.lists = append(d.lists, out)
	return d.at[k], nil
}

// columns draws a list with an extent. Widths and exceptions are those of the middle
// block of a column, so that a list of any length costs the same.
func (d *listDrawer) columns(out *htmlreport.List, l *segment.List, weight float32) error {
	n := min(l.Blocks, maxColumns)
	for c := range n {
		from, to := c*l.Blocks/n, (c+1)*l.Blocks/n
		b, err := indexstats.BlockOf(l.DocsCodec, &l.Docs, (from+to)/2)
		if err != nil {
			return err
		}
		bound := float32(0)
		for _, q := range l.Quads[from:to] {
			bound = max(bound, d.scorer.Bound(weight, q))
		}
		out.To = append(out.To, l.Last(to-1))
		out.Count = append(out.Count, to-from)
		out.Width = append(out.Width, math.Round(b.Width*100)/100)
		out.Exceptions = append(out.Exceptions, b.Exceptions)
		out.Bounds = append(out.Bounds, rounded(bound))
	}
	return nil
}

// short draws a list without an extent, by the greatest of its scores.
func (d *listDrawer) short(out *htmlreport.List, g *seg, l *segment.List, weight float32) {
	p := l.Small()
	for i, doc := range p.Docs {
		n, err := g.DocLen(doc)
		if err != nil {
			n = 0
		}
		out.Bound = max(out.Bound, query.Score(weight, float32(p.Freqs[i]), d.scorer.Norm(n)))
	}
	out.To, out.Count = []uint32{l.Last(l.Blocks - 1)}, []int{1}
	out.Width, out.Exceptions, out.Bounds = []float64{8 * float64(out.Bytes) / float64(l.N)}, []int{-1}, []float64{rounded(out.Bound)}
}

// rounded shortens a score for the page.
func rounded(score float32) float64 { return math.Round(float64(score)*1000) / 1000 }

// df returns the document frequency of a term without deleted documents.
func (x *index) df(term string) (df uint64, err error) {
	for _, g := range x.segs {
		e, ok, err := g.Lookup([]byte(term))
		if err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		live, err := g.deletes.Live(g.Segment, e)
		if err != nil {
			return 0, err
		}
		df += uint64(live)
	}
	return df, nil
}
