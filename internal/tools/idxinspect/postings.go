package idxinspect

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

func blocksCommand() *cobra.Command {
	var limit, from int
	var field string
	cmd := command("blocks INDEX TERM", "Show every block of a term's list",
		"Documents are local to the segment. Bounds are pairs of frequency and length: no\nposting of the block has a higher BM25 score than all of them.",
		"  idxinspect blocks kjv.idx the\n  idxinspect blocks --json kjv.idx shepherd",
		[]string{"INDEX", "TERM"}, func(_ *cobra.Command, args []string) (report, error) {
			out := inspect.Blocks{}
			err := withLists(args[0], field, args[1], func(g *inspect.Segment, l *segment.List) error {
				b, err := inspect.BlocksOf(g, l, from, limit)
				out = append(out, b)
				return err
			})
			return reported(out, err)
		})
	fieldFlag(cmd, &field)
	cli.Int(cmd.Flags(), &from, "from", 0, 0, cli.Any, "begin with block `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` blocks of each list, 0 for all")
	return cmd
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
			return nil, withField(args[0], field, func(x *inspect.Index) error { return listPostings(cmd, x, args[1], from, limit) })
		})
	fieldFlag(cmd, &field)
	cmd.Flags().Uint32Var(&from, "from", 0, "begin with document `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` postings, 0 for all")
	return cmd
}

// listPostings prints the postings of a term as it reads them.
func listPostings(cmd *cobra.Command, x *inspect.Index, term string, from uint32, limit int) error {
	df := uint64(0)
	if err := eachList(x, term, func(_ *inspect.Segment, l *segment.List) error { df += uint64(l.N); return nil }); err != nil {
		return err
	}
	n, more := 0, false
	each := func(f func(p *inspect.Posting) error) error {
		return eachList(x, term, func(g *inspect.Segment, l *segment.List) error {
			return g.EachPosting(cmd.Context(), l, from, func(p *inspect.Posting) error {
				if more = limit > 0 && n == limit; more {
					return errEnough
				}
				n++
				return f(p)
			})
		})
	}
	w := cmd.OutOrStdout()
	if cli.AsJSON(cmd) {
		j, err := cli.NewJSONWriter(w)
		if err == nil {
			err = cmp.Or(j.Member("term", cli.Text(term)), j.Member("df", df), j.Array("postings"))
		}
		if err == nil {
			err = enough(each(func(p *inspect.Posting) error { return j.Element(p) }))
		}
		return cmp.Or(err, j.EndArray(), j.Member("more", more), j.Close())
	}
	t := cli.NewRowWriter(w, ">doc", "id", ">tf", ">length", "")
	err := enough(each(func(p *inspect.Posting) error {
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

func deletedText(deleted bool) string {
	if deleted {
		return "deleted"
	}
	return ""
}
