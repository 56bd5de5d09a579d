package idxinspect

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

func termsCommand() *cobra.Command {
	var which selection
	var field string
	var limit int
	order := cli.NewChoice("ORDER", "term", "df")
	cmd := command("terms INDEX", "List terms with their document frequency",
		`Document frequencies are those of scoring: they leave deleted documents out.

In the PATTERN of --match, * stands for any number of characters, ? for one, and
\ takes away the meaning of what follows. The EXPRESSION of --regexp is one of
Go's (RE2), without flags, anchors and \p; it matches whole terms. --fuzzy takes a
word, or a word and ~1: terms that up to two edits, or one, make of it. An edit
inserts, deletes or replaces a character or swaps two adjacent ones.`,
		`  idxinspect terms --prefix shep kjv.idx
  idxinspect terms --match 's*herd?' kjv.idx
  idxinspect terms --fuzzy sheperd~1 kjv.idx
  idxinspect terms --sort df --limit 20 kjv.idx
  idxinspect terms --limit 0 --json kjv.idx | jq -r '.terms[].term'`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			if err := which.compile(); err != nil {
				return nil, err
			}
			if order.Value == "df" {
				return ofField(args[0], field, func(x *inspect.Index) (*inspect.Terms, error) {
					return x.Frequent(cmd.Context(), which.walk(x), 0, limit)
				})
			}
			return nil, withField(args[0], field, func(x *inspect.Index) error { return listTerms(cmd, x, which.walk(x), limit) })
		})
	fieldFlag(cmd, &field)
	which.flags(cmd)
	cmd.Flags().Var(order, "sort", "order: "+order.Words())
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` terms, 0 for all")
	return cmd
}

// listTerms prints terms in bytewise order as it reads them.
func listTerms(cmd *cobra.Command, x *inspect.Index, walk *inspect.Walk, limit int) (err error) {
	var t inspect.TermEntry
	n, more := 0, false
	next := func() bool {
		if err != nil || !walk.Next() {
			return false
		}
		if more = limit > 0 && n == limit; more {
			return false
		}
		n++
		t, err = x.Term(walk)
		return err == nil
	}
	w := cmd.OutOrStdout()
	if cli.AsJSON(cmd) {
		j, jerr := cli.NewJSONWriter(w)
		if err = jerr; err == nil {
			err = j.Array("terms")
		}
		for next() {
			err = j.Element(&t)
		}
		return cmp.Or(err, walk.Err(), j.EndArray(), j.Member("more", more), j.Close())
	}
	out := cli.NewRowWriter(w, inspect.TermHeads...)
	for next() {
		err = out.Row(t.Cells()...)
	}
	if err = cmp.Or(err, walk.Err()); n == 0 && err == nil {
		fmt.Fprintln(w, "no terms")
		return nil
	}
	if err = cmp.Or(err, out.Flush()); err == nil && more {
		fmt.Fprintf(w, "... more than %d: see --limit\n", limit)
	}
	return err
}
