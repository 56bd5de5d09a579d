package inspect

import (
	"context"
	"fmt"
	"io"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/segment"
)

// Blocks is what `idxinspect blocks` prints.
type Blocks []BlockList

// BlockList are the blocks of a term's list in one segment.
type BlockList struct {
	File   string      `json:"file"`
	Form   string      `json:"form"`
	Blocks []ListBlock `json:"blocks"`
	More   int         `json:"-"` // blocks behind them
}

// ListBlock is one block of a list.
type ListBlock struct {
	Block      int    `json:"block"`
	Postings   int    `json:"postings"`
	First      uint32 `json:"first"`
	Last       uint32 `json:"last"`
	DocsBytes  int    `json:"docs_bytes"`
	FreqsBytes int    `json:"freqs_bytes"`
	MaxTF      uint32 `json:"max_tf"`
	Bound      Pairs  `json:"bound,omitempty"`
	// Packing is of docIDs, nil in a list without an extent.
	Packing *Packing `json:"docs_packing,omitempty"`
}

// BlocksOf decodes the blocks of a list of g from a number on, as many as limit or all if that is 0. With an error it
// returns those before.
func BlocksOf(g *Segment, l *segment.List, from, limit int) (BlockList, error) {
	b := BlockList{File: g.File, Form: l.Kind.String(), Blocks: []ListBlock{}}
	p := format.MakePostings(l.BlockLen)
	for i := max(from, 0); i < l.Blocks; i++ {
		if limit > 0 && len(b.Blocks) == limit {
			b.More = l.Blocks - i
			break
		}
		n, err := l.DecodePostings(p, i, 1)
		if err != nil {
			return b, err
		}
		e := ListBlock{Block: i, Postings: n, First: p.Docs[0], Last: l.Last(i)}
		for _, f := range p.Freqs[:n] {
			e.MaxTF = max(e.MaxTF, f)
		}
		if l.Kind == segment.KindExtent {
			e.DocsBytes = 4 * int(l.Docs.Ends[i+1]-l.Docs.Ends[i])
			e.FreqsBytes = 4 * int(l.Freqs.Ends[i+1]-l.Freqs.Ends[i])
			e.Bound = pairs(l.Bound(l.Quads[i]))
			p, err := PackingOf(l.DocsCodec, &l.Docs, i)
			if err != nil {
				return b, err
			}
			e.Packing = &p
		}
		b.Blocks = append(b.Blocks, e)
	}
	return b, nil
}

// Text prints b.
func (b Blocks) Text(w io.Writer) {
	for i, l := range b {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", l.File, l.Form)
		t := cli.NewTable(">block", ">postings", ">first", ">last", ">docs bytes", ">bits", ">freqs bytes", ">bits", ">max tf", "bound tf/length")
		for _, e := range l.Blocks {
			if e.Bound == nil {
				t.Row(e.Block, e.Postings, e.First, e.Last, "-", "-", "-", "-", e.MaxTF, "-")
				continue
			}
			t.Row(e.Block, e.Postings, e.First, e.Last, e.DocsBytes, PerPosting(int64(e.DocsBytes), e.Postings),
				e.FreqsBytes, PerPosting(int64(e.FreqsBytes), e.Postings), e.MaxTF, e.Bound.String())
		}
		t.WriteTo(w)
		if l.More > 0 {
			fmt.Fprintf(w, "... %s more: see --limit\n", cli.Count(l.More))
		}
	}
}

// Posting is one posting.
type Posting struct {
	Doc     uint32   `json:"doc"`
	ID      cli.Text `json:"id"`
	TF      uint32   `json:"tf"`
	Length  uint32   `json:"length"` // of the document in the field, 0 if that has no lengths
	Deleted bool     `json:"deleted"`
}

// EachPosting calls f with the postings of a list of g from global docID from on.
func (g *Segment) EachPosting(ctx context.Context, l *segment.List, from uint32, f func(p *Posting) error) error {
	local := from - min(from, g.Base)
	for i := sort.Search(l.Blocks, func(i int) bool { return l.Last(i) >= local }); i < l.Blocks; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := g.BlockPostings(l, i, func(p *Posting) error {
			if p.Doc < from {
				return nil
			}
			return f(p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// BlockPostings calls f with the postings of a block of a list of g.
func (g *Segment) BlockPostings(l *segment.List, block int, f func(p *Posting) error) error {
	lens, err := g.Documents().LengthsOf(l.Entry())
	if err != nil {
		return err
	}
	room := format.MakePostings(l.BlockLen)
	n, err := l.DecodePostings(room, block, 1)
	if err != nil {
		return err
	}
	var id []byte
	for i, doc := range room.Docs[:n] {
		if id, err = g.Documents().AppendID(id[:0], doc); err != nil {
			return format.Locate(err, format.Place{Block: block})
		}
		p := Posting{Doc: g.Base + doc, ID: cli.Text(id), TF: room.Freqs[i], Deleted: g.Deleted(doc)}
		if lens.Width() > 0 {
			p.Length = lens.Get(doc)
		}
		if err := f(&p); err != nil {
			return err
		}
	}
	return nil
}

// Found is where the posting of a document is in a list.
type Found struct {
	Block  int
	TF     uint32
	Before uint32 // the sum of the frequencies of the block's postings before
}

// FindPosting finds the posting of a document, by its docID in the segment.
func FindPosting(l *segment.List, doc uint32) (at Found, ok bool, err error) {
	at.Block = sort.Search(l.Blocks, func(i int) bool { return l.Last(i) >= doc })
	if at.Block == l.Blocks {
		return at, false, nil
	}
	room := format.MakePostings(l.BlockLen)
	n, err := l.DecodePostings(room, at.Block, 1)
	if err != nil {
		return at, false, err
	}
	for i, d := range room.Docs[:n] {
		if d == doc {
			at.TF = room.Freqs[i]
			return at, true, nil
		}
		at.Before += room.Freqs[i]
	}
	return at, false, nil
}
