package serve

import (
	"fmt"
	"math"
	"net/http"

	"github.com/pinion-index/pinion/format"
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
	Seg                   int
	File, Form            string
	Postings, Blocks      int
	First, Last           uint32
	Bytes                 int64
	Bits                  string // per posting
	Offset                int64  // in the file
	DocsCodec, FreqsCodec string
	Bound                 string
	Damage                string
	Parts                 []share
	Rows                  []blockRow
	Link, HexLink         string
	BlocksLink            string
	Chosen                bool
}

type blockRow struct {
	Block                 int
	Postings              int
	First, Last           uint32
	DocsBytes, FreqsBytes int
	Width                 string
	Exceptions            int
	Bound                 string
	Link                  string
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
	for i, g := range s.main.segs {
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
func (v *lists) view(g *seg, i int, e segment.Entry) listView {
	w := listView{Seg: i, File: g.file, Form: e.Kind.String(), Postings: int(e.DF),
		Link: link("list", "field", v.Field, "term", v.Term, "seg", i), HexLink: link("bytes", "file", g.file, "term", v.Term)}
	l, err := g.Lists().List(e)
	if err != nil {
		w.Damage = located(err, v.Term).Error()
		return w
	}
	w.Postings, w.Blocks, w.First, w.Last, w.Bytes = l.N, l.Blocks, l.First, l.Last(l.Blocks-1), int64(e.Length)
	if l.Kind == segment.KindExtent {
		w.Offset, w.Bytes = extentOf(g, l)
		w.DocsCodec, w.FreqsCodec = l.Codecs()
		w.Bound = pairText(l.Bound(l.Quad))
		for _, p := range l.Layout() {
			w.Parts = append(w.Parts, share{Name: p.Name, Bytes: p.Length, Link: link("bytes", "file", g.file, "off", w.Offset+p.Offset)})
		}
		placeShares(w.Parts)
	}
	w.Bits = bitsText(w.Bytes, l.N)
	if i == v.Seg {
		w.addBlocks(v, g, l)
	}
	return w
}

// extentOf returns where in the file the extent of a list is, and its size; 0 if it has none.
func extentOf(g *seg, l *segment.List) (off, size int64) {
	if l.Kind != segment.KindExtent {
		return 0, 0
	}
	sec, _ := g.Header().Section(format.SectionPostings)
	return sec.Offset + l.Entry().Offset, int64(len(l.Extent()))
}

// addBlocks adds a page of blocks.
func (w *listView) addBlocks(v *lists, g *seg, l *segment.List) {
	from := v.from
	end := min(from+rows, l.Blocks)
	most := 1
	for i := from; i < end; i++ {
		b := blockRow{Block: i, First: l.First, Last: l.Last(i), Exceptions: -1, Postings: min(l.BlockLen, l.N-i*l.BlockLen),
			Link: link("block", "field", v.Field, "term", v.Term, "seg", w.Seg, "block", i)}
		if i > 0 {
			b.First = l.Last(i-1) + 1
		}
		if l.Kind == segment.KindExtent {
			b.DocsBytes = 4 * int(l.Docs.Ends[i+1]-l.Docs.Ends[i])
			b.FreqsBytes = 4 * int(l.Freqs.Ends[i+1]-l.Freqs.Ends[i])
			b.Bound = pairText(l.Bound(l.Quads[i]))
			if p, err := inspect.PackingOf(l.DocsCodec, &l.Docs, i); err == nil {
				b.Width, b.Exceptions = fmt.Sprintf("%.3g", p.Width), p.Exceptions
			}
		}
		most = max(most, b.DocsBytes+b.FreqsBytes)
		w.Rows = append(w.Rows, b)
	}
	for i := range w.Rows {
		b := &w.Rows[i]
		b.W = 100 / float64(len(w.Rows))
		b.X = float64(i) * b.W
		b.DocsH, b.FreqsH = 40*float64(b.DocsBytes)/float64(most), 40*float64(b.FreqsBytes)/float64(most)
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
	Term, File    string
	Block, Blocks int
	seg           int
	DocsCodec     string
	FreqsCodec    string
	Bound         string
	Damage        string
	DocsLink      string // its bytes
	FreqsLink     string
	Postings      []posting
}

type posting struct {
	Doc     uint32 // global
	Gap     uint32
	ID      string
	TF, Len uint32
	Deleted bool
	Link    string
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
	if seg >= uint64(len(s.main.segs)) {
		return nil, notFound("no segment %d", seg)
	}
	g := s.main.segs[seg]
	b.seg, b.Block, b.File = int(seg), int(at), g.file
	e, ok, err := inspect.LookupIn(g.Segment, b.id, []byte(b.Term))
	if err == nil && !ok {
		err = notFound("no term %q%s in %s", b.Term, b.inField(), g.file)
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
	b.describe(g, l)
	if err := b.decode(g, l); err != nil {
		b.Damage = located(err, b.Term).Error()
	}
	return b, nil
}

// describe says where the bytes of an extent's block are.
func (b *block) describe(g *seg, l *segment.List) {
	if l.Kind != segment.KindExtent {
		return
	}
	b.DocsCodec, b.FreqsCodec = l.Codecs()
	b.Bound = pairText(l.Bound(l.Quads[b.Block]))
	extent, _ := extentOf(g, l)
	for _, p := range l.Layout() {
		at := extent + p.Offset
		switch p.Name {
		case "docs":
			b.DocsLink = link("bytes", "file", g.file, "off", at+4*int64(l.Docs.Ends[b.Block]))
		case "freqs":
			b.FreqsLink = link("bytes", "file", g.file, "off", at+4*int64(l.Freqs.Ends[b.Block]))
		}
	}
}

// decode adds the postings.
func (b *block) decode(g *seg, l *segment.List) error {
	room := format.MakePostings(l.BlockLen)
	n, err := l.DecodePostings(room, b.Block, 1)
	if err != nil {
		return err
	}
	before := int64(-1)
	if b.Block > 0 {
		before = int64(l.Last(b.Block - 1))
	}
	var id []byte
	for i, doc := range room.Docs[:n] {
		p := posting{Doc: g.base + doc, Gap: uint32(int64(doc) - before), TF: room.Freqs[i], Deleted: g.deletes.Has(doc), Link: link("doc", "doc", g.base+doc)}
		before = int64(doc)
		if id, err = g.Documents().AppendID(id[:0], doc); err != nil {
			return err
		}
		p.ID = string(id)
		if p.Len, err = inspect.LengthIn(g.Segment, b.id, doc); err != nil {
			return err
		}
		b.Postings = append(b.Postings, p)
	}
	return nil
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

// pairText prints the different pairs of a quad as tf/length.
func pairText(q format.Quad) (s string) {
	for i, last := 0, ""; i < 4; i++ {
		tf, dl := q.Pair(i)
		pair := fmt.Sprintf("%d/%d", tf, dl)
		if tf == format.InfiniteTF {
			pair = fmt.Sprintf("∞/%d", dl)
		}
		if pair != last {
			s += " " + pair
		}
		last = pair
	}
	return s[1:]
}

// bitsText prints bytes as bits per posting.
func bitsText(bytes int64, postings int) string {
	return fmt.Sprintf("%.2f", 8*float64(bytes)/float64(max(postings, 1)))
}
