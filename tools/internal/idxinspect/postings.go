package idxinspect

import (
	"fmt"
	"io"
	"sort"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// Blocks is what `idxinspect blocks` prints.
type Blocks []BlockList

// BlockList are the blocks of a term's list in one segment.
type BlockList struct {
	File   string  `json:"file"`
	Form   string  `json:"form"`
	Blocks []Block `json:"blocks"`
	more   int
}

// Block is one block of a list.
type Block struct {
	Block      int    `json:"block"`
	Postings   int    `json:"postings"`
	First      uint32 `json:"first"`
	Last       uint32 `json:"last"`
	DocsBytes  int    `json:"docs_bytes"`
	FreqsBytes int    `json:"freqs_bytes"`
	MaxTF      uint32 `json:"max_tf"`
	Bound      []Pair `json:"bound,omitempty"`
}

func blocksCommand() *cobra.Command {
	var limit, from int
	cmd := command("blocks INDEX TERM", "Show every block of a term's list",
		"Documents are local to the segment. Bounds are pairs of frequency and length: no\nposting of the block has a higher BM25 score than all of them.",
		"  idxinspect blocks kjv.idx the",
		[]string{"INDEX", "TERM"}, func(_ *cobra.Command, args []string) (report, error) {
			out := Blocks{}
			err := eachList(args[0], args[1], func(g *seg, l *segment.List) error {
				b, err := blocksOf(g, l, from, limit)
				out = append(out, b)
				return err
			})
			if err != nil {
				return nil, err
			}
			return out, nil
		})
	cli.Int(cmd.Flags(), &from, "from", 0, 0, cli.Any, "begin with block `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` blocks of each list, 0 for all")
	return cmd
}

func blocksOf(g *seg, l *segment.List, from, limit int) (BlockList, error) {
	b := BlockList{File: g.file, Form: l.Kind.String(), Blocks: []Block{}}
	docs, freqs := make([]uint32, l.BlockLen), make([]uint32, l.BlockLen)
	for i := max(from, 0); i < l.Blocks; i++ {
		if limit > 0 && len(b.Blocks) == limit {
			b.more = l.Blocks - i
			break
		}
		n, err := l.DecodeDocs(docs, i, 1)
		if err == nil {
			_, err = l.DecodeFreqs(freqs, i, 1)
		}
		if err != nil {
			return b, err
		}
		e := Block{Block: i, Postings: n, First: docs[0], Last: l.Last(i)}
		for _, f := range freqs[:n] {
			e.MaxTF = max(e.MaxTF, f)
		}
		if l.Kind == segment.KindExtent {
			e.DocsBytes = 4 * int(l.Docs.Ends[i+1]-l.Docs.Ends[i])
			e.FreqsBytes = 4 * int(l.Freqs.Ends[i+1]-l.Freqs.Ends[i])
			e.Bound = pairs(l.Quads[i])
		}
		b.Blocks = append(b.Blocks, e)
	}
	return b, nil
}

func (b Blocks) text(w io.Writer) {
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
			t.Row(e.Block, e.Postings, e.First, e.Last, e.DocsBytes, perPosting(int64(e.DocsBytes), e.Postings),
				e.FreqsBytes, perPosting(int64(e.FreqsBytes), e.Postings), e.MaxTF, pairText(e.Bound))
		}
		t.WriteTo(w)
		if l.more > 0 {
			fmt.Fprintf(w, "... %s more: see --limit\n", cli.Count(l.more))
		}
	}
}

// Postings is what `idxinspect postings` prints.
type Postings struct {
	Term     cli.Text  `json:"term"`
	DF       uint64    `json:"df"`
	Postings []Posting `json:"postings"`
	More     bool      `json:"more"`
	limit    int
}

// Posting is one posting.
type Posting struct {
	Doc     uint32   `json:"doc"`
	ID      cli.Text `json:"id"`
	TF      uint32   `json:"tf"`
	Length  uint32   `json:"length"`
	Deleted bool     `json:"deleted"`
}

func postingsCommand() *cobra.Command {
	var limit int
	var from uint32
	cmd := command("postings INDEX TERM", "List the postings of a term",
		"Documents are numbered across all segments, as in query results.",
		`  idxinspect postings kjv.idx shepherd
  idxinspect postings --from 20000 --limit 10 kjv.idx the`,
		[]string{"INDEX", "TERM"}, func(_ *cobra.Command, args []string) (report, error) {
			out := &Postings{Term: cli.Text(args[1]), Postings: []Posting{}, limit: limit}
			err := eachList(args[0], args[1], func(g *seg, l *segment.List) error {
				out.DF += uint64(l.N)
				return out.add(g, l, from)
			})
			if err != nil {
				return nil, err
			}
			return out, nil
		})
	cmd.Flags().Uint32Var(&from, "from", 0, "begin with document `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` postings, 0 for all")
	return cmd
}

// add appends the postings of l from global docID from on.
func (p *Postings) add(g *seg, l *segment.List, from uint32) error {
	lens, err := g.DocLens()
	if err != nil {
		return err
	}
	local := from - min(from, g.base)
	docs, freqs := make([]uint32, l.BlockLen), make([]uint32, l.BlockLen)
	var id []byte
	for i := sort.Search(l.Blocks, func(i int) bool { return l.Last(i) >= local }); i < l.Blocks; i++ {
		n, err := l.DecodeDocs(docs, i, 1)
		if err == nil {
			_, err = l.DecodeFreqs(freqs, i, 1)
		}
		if err != nil {
			return err
		}
		for j, doc := range docs[:n] {
			if doc < local {
				continue
			}
			if p.limit > 0 && len(p.Postings) == p.limit {
				p.More = true
				return nil
			}
			if id, err = g.ID(doc, id); err != nil {
				return format.Locate(err, format.Place{Block: i})
			}
			p.Postings = append(p.Postings, Posting{g.base + doc, cli.Text(id), freqs[j], lens.Get(doc), g.deleted(doc)})
		}
	}
	return nil
}

func (p *Postings) text(w io.Writer) {
	t := cli.NewTable(">doc", "id", ">tf", ">length", "")
	for _, e := range p.Postings {
		t.Row(e.Doc, cli.Quote(e.ID), e.TF, e.Length, deletedText(e.Deleted))
	}
	t.WriteTo(w)
	if p.More {
		fmt.Fprintf(w, "... of %s: see --limit\n", cli.Count(p.DF))
	}
}

func deletedText(deleted bool) string {
	if deleted {
		return "deleted"
	}
	return ""
}
