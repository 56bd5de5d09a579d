package idxinspect

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

func docsCommand() *cobra.Command {
	var from uint64
	var limit int
	var full bool
	cmd := command("docs INDEX [ID...]", "List documents, or show those named",
		"Without ids it lists documents in docID order, including deleted ones. Control\ncharacters of texts are escaped on a terminal, and written as they are elsewhere.",
		`  idxinspect docs kjv.idx Ge1:1 Rev22:21
  idxinspect docs --from 31000 --limit 10 kjv.idx`,
		[]string{"INDEX", "[ID]"}, func(cmd *cobra.Command, args []string) (report, error) {
			if len(args) == 1 {
				return nil, inspect.With(args[0], func(x *inspect.Index) error { return numbered(cmd, x, from, limit, full) })
			}
			for _, name := range []string{"from", "limit"} {
				if cmd.Flags().Changed(name) {
					return nil, cli.Usage("--%s goes without ids", name)
				}
			}
			return opened(args[0], func(x *inspect.Index) (*inspect.Docs, error) { return inspect.Named(x, args[1:]) })
		})
	cmd.Flags().Uint64Var(&from, "from", 0, "begin with document `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` documents, 0 for all")
	cmd.Flags().BoolVar(&full, "full", false, "print the whole text")
	return cmd
}

// numbered prints documents in docID order as it reads them.
func numbered(cmd *cobra.Command, x *inspect.Index, from uint64, limit int, full bool) error {
	total := x.Docs()
	end := total
	if limit > 0 {
		end = min(total, from+uint64(limit))
	}
	w := cmd.OutOrStdout()
	switch {
	case cli.AsJSON(cmd):
		j, err := cli.NewJSONWriter(w)
		if err == nil {
			err = j.Array("docs")
		}
		if err == nil {
			err = eachDoc(cmd.Context(), x, from, end, func(d *inspect.Document, text []byte) error {
				d.Text = string(text)
				return j.Element(d)
			})
		}
		return cmp.Or(err, j.EndArray(), j.Member("total", total), j.Close())
	case full:
		b, folder := bufio.NewWriterSize(w, 1<<16), cli.NewFolder(w)
		v := io.Writer(b)
		if shown := cli.Visible(folder); shown != folder {
			v = shown // each text as a whole
		}
		err := eachDoc(cmd.Context(), x, from, end, func(d *inspect.Document, text []byte) error {
			if uint64(d.Doc) > from {
				fmt.Fprintln(v)
			}
			d.Write(v, text)
			return nil
		})
		return cmp.Or(err, b.Flush(), folder.Flush())
	}
	t := cli.NewRowWriter(w, ">doc", "id", ">length", "", "text")
	err := eachDoc(cmd.Context(), x, from, end, func(d *inspect.Document, text []byte) error {
		return t.Row(cli.Count(d.Doc), cli.Quote(d.ID), cli.Count(d.Length), deletedText(d.Deleted), cli.Snippet(text, 60))
	})
	if err = cmp.Or(err, t.Flush()); err == nil && from < end && end < total {
		fmt.Fprintf(w, "... of %s: see --from and --limit\n", cli.Count(total))
	}
	return err
}

// eachDoc calls f with the documents from up to end, without and with their texts, which
// are valid until f returns.
func eachDoc(ctx context.Context, x *inspect.Index, from, end uint64, f func(d *inspect.Document, text []byte) error) error {
	for _, g := range x.Segs {
		first, last := max(from, uint64(g.Base)), min(end, uint64(g.Base)+uint64(g.Meta().Docs))
		if first >= last {
			continue
		}
		texts, err := g.Documents().Texts()
		if err != nil {
			return err
		}
		for doc := first; doc < last; doc++ {
			local := uint32(doc - uint64(g.Base))
			d, err := g.Doc(local)
			if err != nil {
				return err
			}
			text, err := texts.At(local)
			if err == nil {
				text, err = inspect.Text(g.Segment, x.Manifest, local, text)
			}
			if err != nil {
				return err
			}
			if d.Vectors, err = g.Vectors(local); err != nil {
				return err
			}
			if err := f(&d, text); err != nil {
				return err
			}
			if doc%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}
