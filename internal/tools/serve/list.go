package serve

import (
	"math"
	"net/http"

	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// maxPayload is how many bytes of a list's blocks are read ahead, of which a page shows some.
const maxPayload = 1 << 20

// lists are the lists of a term.
type lists struct {
	chosen
	Term  string
	Lists []listView
	Seg   int // the list whose blocks are shown
	list  *listView
	from  int
}

type listView struct {
	inspect.List
	Seg           int
	Blocks        int // 1 without an extent
	Damage        string
	Stack         []share // the parts
	Rows          []blockRow
	Link, HexLink string
	Chosen        bool
}

type blockRow struct {
	inspect.ListBlock
	Link string
	// Of the chart: left edge, and heights of docIDs and frequencies.
	X, W, DocsH, FreqsH float64
}

func (s *shown) list(r *http.Request) (any, error) {
	v := &lists{Term: r.URL.Query().Get("term")}
	var err error
	if v.chosen, err = s.main.choose(r, "list", "term", v.Term); err != nil {
		return nil, err
	}
	seg, err := number(r, "seg", math.MaxInt32, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	v.Seg, v.from = int(seg), int(from)/rows*rows
	for i, g := range s.main.Segs {
		e, ok, err := inspect.LookupIn(g.Segment, v.id, []byte(v.Term))
		if err != nil {
			return nil, located(err, v.Term)
		}
		if !ok {
			continue
		}
		g.Lists().Prefetch(e, maxPayload)
		if v.Seg == math.MaxInt32 {
			v.Seg = i
		}
		v.Lists = append(v.Lists, v.view(g, i, e))
	}
	if len(v.Lists) == 0 {
		return nil, notFound("no term %q%s; terms are shown as the analyzer makes them", v.Term, v.inField())
	}
	for i := range v.Lists {
		if v.Lists[i].Chosen = v.Lists[i].Seg == v.Seg; v.Lists[i].Chosen {
			v.list = &v.Lists[i]
		}
	}
	return v, nil
}

// view describes a list, with its blocks if it is the chosen one.
func (v *lists) view(g *inspect.Segment, i int, e segment.Entry) listView {
	w := listView{List: inspect.List{File: g.File, Form: e.Kind.String(), Postings: int(e.DF)}, Seg: i,
		Link: link("list", "field", v.Field, "term", v.Term, "seg", i), HexLink: link("bytes", "file", g.File, "term", v.Term)}
	l, err := g.Lists().List(e)
	if err != nil {
		w.Damage = located(err, v.Term).Error()
		return w
	}
	w.List, w.Blocks = inspect.ListOf(g, l), l.Blocks
	for _, p := range w.Parts {
		w.Stack = append(w.Stack, share{Name: p.Name, Bytes: p.Length, Link: link("bytes", "file", g.File, "off", w.Offset+p.Offset)})
	}
	placeShares(w.Stack)
	if i == v.Seg {
		w.addBlocks(v, g, l)
	}
	return w
}

// Bits returns the bits of a posting.
func (w listView) Bits() string { return inspect.PerPosting(w.Bytes, w.Postings) }

// addBlocks adds a page of blocks.
func (w *listView) addBlocks(v *lists, g *inspect.Segment, l *segment.List) {
	all, err := inspect.BlocksOf(g, l, v.from, rows)
	if err != nil {
		w.Damage = located(err, v.Term).Error()
	}
	most := 1
	for _, b := range all.Blocks {
		most = max(most, b.DocsBytes+b.FreqsBytes)
	}
	width := 100 / float64(max(len(all.Blocks), 1))
	for i, b := range all.Blocks {
		w.Rows = append(w.Rows, blockRow{b, link("block", "field", v.Field, "term", v.Term, "seg", w.Seg, "block", b.Block),
			float64(i) * width, width, 40 * float64(b.DocsBytes) / float64(most), 40 * float64(b.FreqsBytes) / float64(most)})
	}
}

// DocsY returns the upper edge of a bar of docIDs in a chart 40 high.
func (b blockRow) DocsY() float64 { return 40 - b.DocsH }

// FreqsY returns the upper edge of a bar of frequencies, which stands on that of docIDs.
func (b blockRow) FreqsY() float64 { return 40 - b.DocsH - b.FreqsH }

func (v *lists) links() (prev, next string) {
	if v.list == nil {
		return "", ""
	}
	if v.from > 0 {
		prev = link("list", "field", v.Field, "term", v.Term, "seg", v.Seg, "from", max(v.from-rows, 0))
	}
	if v.from+rows < v.list.Blocks {
		next = link("list", "field", v.Field, "term", v.Term, "seg", v.Seg, "from", v.from+rows)
	}
	return prev, next
}

// block is one block of a list.
type block struct {
	chosen
	inspect.List
	Term          string
	Block, Blocks int
	Bound         inspect.Pairs // of the block
	seg           int
	Damage        string
	DocsLink      string // its bytes
	FreqsLink     string
	Postings      []posting
}

type posting struct {
	inspect.Posting
	Gap  uint32
	Link string
}

func (s *shown) block(r *http.Request) (any, error) {
	b := &block{Term: r.URL.Query().Get("term")}
	var err error
	if b.chosen, err = s.main.choose(r, "list", "term", b.Term); err != nil {
		return nil, err
	}
	seg, err := number(r, "seg", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	at, err := number(r, "block", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if seg >= uint64(len(s.main.Segs)) {
		return nil, notFound("no segment %d", seg)
	}
	g := s.main.Segs[seg]
	b.seg, b.Block = int(seg), int(at)
	e, ok, err := inspect.LookupIn(g.Segment, b.id, []byte(b.Term))
	if err == nil && !ok {
		err = notFound("no term %q%s in %s", b.Term, b.inField(), g.File)
	}
	if err != nil {
		return nil, err
	}
	g.Lists().Prefetch(e, maxPayload)
	l, err := g.Lists().List(e)
	if err != nil {
		return nil, located(err, b.Term)
	}
	if b.Blocks = l.Blocks; b.Block >= l.Blocks {
		return nil, notFound("no block %d: the list has %d", b.Block, l.Blocks)
	}
	b.List = inspect.ListOf(g, l)
	b.describe(g, l)
	all, err := inspect.BlocksOf(g, l, b.Block, 1)
	if err == nil {
		b.Bound = all.Blocks[0].Bound
		err = b.decode(g, l)
	}
	if err != nil {
		b.Damage = located(err, b.Term).Error()
	}
	return b, nil
}

// describe says where the bytes of an extent's block are.
func (b *block) describe(g *inspect.Segment, l *segment.List) {
	for _, p := range b.Parts {
		at := b.Offset + p.Offset
		switch p.Name {
		case "docs":
			b.DocsLink = link("bytes", "file", g.File, "off", at+4*int64(l.Docs.Ends[b.Block]))
		case "freqs":
			b.FreqsLink = link("bytes", "file", g.File, "off", at+4*int64(l.Freqs.Ends[b.Block]))
		}
	}
}

// decode adds the postings.
func (b *block) decode(g *inspect.Segment, l *segment.List) error {
	before := int64(g.Base) - 1
	if b.Block > 0 {
		before += int64(l.Last(b.Block-1)) + 1
	}
	return g.BlockPostings(l, b.Block, func(p *inspect.Posting) error {
		b.Postings = append(b.Postings, posting{*p, uint32(int64(p.Doc) - before), link("doc", "doc", p.Doc)})
		before = int64(p.Doc)
		return nil
	})
}

func (b *block) links() (prev, next string) {
	if b.Block > 0 {
		prev = link("block", "field", b.Field, "term", b.Term, "seg", b.seg, "block", b.Block-1)
	}
	if b.Block+1 < b.Blocks {
		next = link("block", "field", b.Field, "term", b.Term, "seg", b.seg, "block", b.Block+1)
	}
	return prev, next
}

// ListLink returns the link to the list at this block.
func (b *block) ListLink() string {
	return link("list", "field", b.Field, "term", b.Term, "seg", b.seg, "from", b.Block/rows*rows)
}
