package idxinspect

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/htmlreport"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
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
	seg   int
	field uint32
	term  string
}

// listDrawer collects lists for a page.
type listDrawer struct {
	x       *inspect.Index
	scorers map[uint32]*fieldScorer // by the ids of fields
	lists   []htmlreport.List
	at      map[listKey]int // in lists
	view    segment.List
	room    int // columns that are left
}

// fieldScorer scores the postings of a field.
type fieldScorer struct {
	*search.Scorer
	name string
}

func newListDrawer(x *inspect.Index) (*listDrawer, error) {
	d := &listDrawer{x: x, scorers: map[uint32]*fieldScorer{}, at: map[listKey]int{}, room: listColumns}
	for _, f := range x.Searched() {
		sc, err := x.Scorer(&f, query.Params{})
		if err != nil {
			return nil, err
		}
		if sc != nil {
			d.scorers[f.ID] = &fieldScorer{sc, f.Name}
		}
	}
	return d, nil
}

// draw adds the list of a term in a segment and returns its index in lists, or -1 if there
// is no room for it. Lists without an extent become one column.
func (d *listDrawer) draw(seg int, term string, e segment.Entry) (int, error) {
	g, l := d.x.Segs[seg], &d.view
	k := listKey{seg, g.Fields()[g.FieldOf(e)].ID, term}
	if i, ok := d.at[k]; ok {
		return i, nil
	}
	sc := d.scorers[k.field]
	if sc == nil {
		return -1, nil // of a field that the schema has dropped
	}
	if err := g.Lists().Init(l, e); err != nil {
		return 0, format.Locate(err, format.Place{List: term, Block: format.NoBlock})
	}
	if d.room -= min(l.Blocks, maxColumns); d.room < 0 {
		return -1, nil
	}
	df, err := d.x.DF(k.field, []byte(term))
	if err != nil {
		return 0, err
	}
	weight := sc.Weight(max(df, 1), 1)
	out := htmlreport.List{Term: inField(sc.name, term), Segment: g.File, Base: g.Base, Postings: l.N, Blocks: l.Blocks, First: l.First,
		Bytes: e.Size() + int64(len(l.Extent())), Codecs: "in the dictionary"}
	if l.Kind == segment.KindExtent {
		docs, freqs := l.Codecs()
		out.Codecs = "docIDs " + docs + ", frequencies " + freqs
		out.Bound = sc.Bound(weight, l.Bound(l.Quad))
		err = drawBlocks(&out, l, sc, weight)
	} else {
		drawShort(&out, g, l, sc, weight)
	}
	if err != nil {
		return 0, l.Locate(err, format.NoBlock)
	}
	d.at[k] = len(d.lists)
	d.lists = append(d.lists, out)
	return d.at[k], nil
}

// drawBlocks draws a list with an extent. Widths and exceptions are those of the middle
// block of a column, so that a list of any length costs the same.
func drawBlocks(out *htmlreport.List, l *segment.List, sc *fieldScorer, weight float32) error {
	n := min(l.Blocks, maxColumns)
	for c := range n {
		from, to := c*l.Blocks/n, (c+1)*l.Blocks/n
		b, err := inspect.PackingOf(l.DocsCodec, &l.Docs, (from+to)/2)
		if err != nil {
			return err
		}
		bound := float32(0)
		for _, q := range l.Quads[from:to] {
			bound = max(bound, sc.Bound(weight, l.Bound(q)))
		}
		out.To = append(out.To, l.Last(to-1))
		out.Count = append(out.Count, to-from)
		out.Width = append(out.Width, math.Round(b.Width*100)/100)
		out.Exceptions = append(out.Exceptions, b.Exceptions)
		out.Bounds = append(out.Bounds, rounded(bound))
	}
	return nil
}

// drawShort draws a list without an extent, by the greatest of its scores.
func drawShort(out *htmlreport.List, g *inspect.Segment, l *segment.List, sc *fieldScorer, weight float32) {
	p := l.Small()
	lengths, err := g.Documents().LengthsOf(l.Entry())
	if err != nil {
		lengths = segment.LengthTable{} // the shortest, which score the most
	}
	for i, doc := range p.Docs {
		out.Bound = max(out.Bound, sc.Score(weight, float32(p.Freqs[i]), sc.Norm(lengths.Get(doc))))
	}
	out.To, out.Count = []uint32{l.Last(l.Blocks - 1)}, []int{1}
	out.Width, out.Exceptions, out.Bounds = []float64{8 * float64(out.Bytes) / float64(l.N)}, []int{-1}, []float64{rounded(out.Bound)}
}

// rounded shortens a score for the page.
func rounded(score float32) float64 { return math.Round(float64(score)*1000) / 1000 }
