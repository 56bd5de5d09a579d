package idxinspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/segment"
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
	var field string
	cmd := command("blocks INDEX TERM", "Show every block of a term's list",
		"Documents are local to the segment. Bounds are pairs of frequency and length: no\nposting of the block has a higher BM25 score than all of them.",
		"  idxinspect blocks kjv.idx the\n  idxinspect blocks --json kjv.idx shepherd",
		[]string{"INDEX", "TERM"}, func(_ *cobra.Command, args []string) (report, error) {
			out := Blocks{}
			err := eachList(args[0], field, args[1], func(g *seg, l *segment.List) error {
				b, err := blocksOf(g, l, from, limit)
				out = append(out, b)
				return err
			})
			if err != nil {
				return nil, err
			}
			return out, nil
		})
	fieldFlag(cmd, &field)
	cli.Int(cmd.Flags(), &from, "from", 0, 0, cli.Any, "begin with block `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` blocks of each list, 0 for all")
	return cmd
}

func blocksOf(g *seg, l *segment.List, from, limit int) (BlockList, error) {
	b := BlockList{File: g.file, Form: l.Kind.String(), Blocks: []Block{}}
	p := format.MakePostings(l.BlockLen)
	for i := max(from, 0); i < l.Blocks; i++ {
		if limit > 0 && len(b.Blocks) == limit {
			b.more = l.Blocks - i
			break
		}
		n, err := l.DecodePostings(p, i, 1)
		if err != nil {
			return b, err
		}
		e := Block{Block: i, Postings: n, First: p.Docs[0], Last: l.Last(i)}
		for _, f := range p.Freqs[:n] {
			e.MaxTF = max(e.MaxTF, f)
		}
		if l.Kind == segment.KindExtent {
			e.DocsBytes = 4 * int(l.Docs.Ends[i+1]-l.Docs.Ends[i])
			e.FreqsBytes = 4 * int(l.Freqs.Ends[i+1]-l.Freqs.Ends[i])
			e.Bound = pairs(l.Bound(l.Quads[i]))
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
	var field string
	cmd := command("postings INDEX TERM", "List the postings of a term",
		"Documents are numbered across all segments, as in query results.",
		`  idxinspect postings kjv.idx shepherd
  idxinspect postings --from 20000 --limit 10 kjv.idx the`,
		[]string{"INDEX", "TERM"}, func(cmd *cobra.Command, args []string) (report, error) {
			return nil, withIndex(args[0], func(x *index) error {
				if err := x.choose(field); err != nil {
					return err
				}
				return listPostings(cmd, x, args[1], from, limit)
			})
		})
	fieldFlag(cmd, &field)
	cmd.Flags().Uint32Var(&from, "from", 0, "begin with document `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` postings, 0 for all")
	return cmd
}

// listPostings prints the postings of a term as it reads them.
func listPostings(cmd *cobra.Command, x *index, term string, from uint32, limit int) error {
	df := uint64(0)
	if err := x.eachList(term, func(_ *seg, l *segment.List) error { df += uint64(l.N); return nil }); err != nil {
		return err
	}
	n, more := 0, false
	each := func(f func(p *Posting) error) error {
		return x.eachList(term, func(g *seg, l *segment.List) error {
			return eachPosting(cmd.Context(), g, l, from, func(p *Posting) error {
				if more = limit > 0 && n == limit; more {
					return errEnough
				}
				n++
				return f(p)
			})
		})
	}
	w := cmd.OutOrStdout()
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		j, err := cli.NewJSONWriter(w)
		if err == nil {
			err = cmp.Or(j.Member("term", cli.Text(term)), j.Member("df", df), j.Array("postings"))
		}
		if err == nil {
			err = enough(each(func(p *Posting) error { return j.Element(p) }))
		}
		return cmp.Or(err, j.EndArray(), j.Member("more", more), j.Close())
	}
	t := cli.NewRowWriter(w, ">doc", "id", ">tf", ">length", "")
	err := enough(each(func(p *Posting) error {
		return t.Row(cli.Count(p.Doc), cli.Quote(p.ID), cli.Count(p.TF), cli.Count(p.Length), deletedText(p.Deleted))
	}))
	if err = cmp.Or(err, t.Flush()); err == nil && more {
		fmt.Fprintf(w, "... of %s: see --limit\n", cli.Count(df))
	}
	return err
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// enough returns err unless it is errEnough.
func enough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// eachPosting calls f with the postings of l from global docID from on.
func eachPosting(ctx context.Context, g *seg, l *segment.List, from uint32, f func(p *Posting) error) error {
	lens, err := g.Documents().LengthsOf(l.Entry())
	if err != nil {
		return err
	}
	local := from - min(from, g.base)
	block := format.MakePostings(l.BlockLen)
	var id []byte
	for i := sort.Search(l.Blocks, func(i int) bool { return l.Last(i) >= local }); i < l.Blocks; i++ {
		n, err := l.DecodePostings(block, i, 1)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for j, doc := range block.Docs[:n] {
			if doc < local {
				continue
			}
			if id, err = g.Documents().AppendID(id[:0], doc); err != nil {
				return format.Locate(err, format.Place{Block: i})
			}
			if err := f(&Posting{g.base + doc, cli.Text(id), block.Freqs[j], lens.Get(doc), g.deleted(doc)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func deletedText(deleted bool) string {
	if deleted {
		return "deleted"
	}
	return ""
}
