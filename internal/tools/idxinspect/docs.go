package idxinspect

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/indexstats"
)

// Docs is what `idxinspect docs` prints for documents that are named. It prints others as
// it reads them, in the same form.
type Docs struct {
	Docs  []Doc  `json:"docs"`
	Total uint64 `json:"total"`
}

// Doc is one document.
type Doc struct {
	Doc     uint32   `json:"doc"`
	ID      cli.Text `json:"id"`
	Length  uint32   `json:"length"`
	Deleted bool     `json:"deleted"`
	Segment string   `json:"segment"`
	Text    string   `json:"text,omitempty"`
}

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
				return nil, withIndex(args[0], func(x *index) error { return numbered(cmd, x, from, limit, full) })
			}
			for _, name := range []string{"from", "limit"} {
				if cmd.Flags().Changed(name) {
					return nil, cli.Usage("--%s goes without ids", name)
				}
			}
			out := &Docs{Docs: []Doc{}}
			err := withIndex(args[0], func(x *index) error {
				out.Total = x.docs()
				return out.named(x, args[1:])
			})
			if err != nil {
				return nil, err
			}
			return out, nil
		})
	cmd.Flags().Uint64Var(&from, "from", 0, "begin with document `N`")
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` documents, 0 for all")
	cmd.Flags().BoolVar(&full, "full", false, "print the whole text")
	return cmd
}

func (d *Docs) named(x *index, ids []string) error {
	for _, id := range ids {
		g, doc, err := x.findID(id)
		if err != nil {
			return err
		}
		if err := d.appendDoc(x, g, doc); err != nil {
			return err
		}
	}
	return nil
}

func (d *Docs) appendDoc(x *index, g *seg, doc uint32) error {
	id, err := g.Documents().AppendID(nil, doc)
	if err != nil {
		return err
	}
	n, err := g.Documents().Length(doc)
	if err != nil {
		return err
	}
	text, err := g.Documents().AppendStored(nil, doc)
	if err == nil {
		text, err = indexstats.Text(g.Segment, x.manifest, doc, text)
	}
	if err != nil {
		return err
	}
	d.Docs = append(d.Docs, Doc{g.base + doc, cli.Text(id), n, g.deleted(doc), g.file, string(text)})
	return nil
}

func (d *Docs) text(w io.Writer) {
	w = cli.Visible(w)
	for i := range d.Docs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		d.Docs[i].text(w, []byte(d.Docs[i].Text))
	}
}

// text prints a document with its text.
func (e *Doc) text(w io.Writer, text []byte) {
	line := func(name, value string) { fmt.Fprintf(w, "%-7s  %s\n", name, value) }
	line("doc", cli.Count(e.Doc))
	line("id", cli.Quote(e.ID))
	line("length", cli.Count(e.Length)+" tokens")
	line("segment", cli.Printable(e.Segment))
	if e.Deleted {
		line("deleted", "yes")
	}
	if len(text) > 0 {
		io.WriteString(w, "\n")
		w.Write(text)
		io.WriteString(w, "\n")
	}
}

// numbered prints documents in docID order as it reads them.
func numbered(cmd *cobra.Command, x *index, from uint64, limit int, full bool) error {
	total := x.docs()
	end := total
	if limit > 0 {
		end = min(total, from+uint64(limit))
	}
	w := cmd.OutOrStdout()
	switch asJSON, _ := cmd.Flags().GetBool("json"); {
	case asJSON:
		j, err := cli.NewJSONWriter(w)
		if err == nil {
			err = j.Array("docs")
		}
		if err == nil {
			err = x.eachDoc(cmd.Context(), from, end, func(d *Doc, text []byte) error {
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
		err := x.eachDoc(cmd.Context(), from, end, func(d *Doc, text []byte) error {
			if uint64(d.Doc) > from {
				fmt.Fprintln(v)
			}
			d.text(v, text)
			return nil
		})
		return cmp.Or(err, b.Flush(), folder.Flush())
	}
	t := cli.NewRowWriter(w, ">doc", "id", ">length", "", "text")
	err := x.eachDoc(cmd.Context(), from, end, func(d *Doc, text []byte) error {
		return t.Row(cli.Count(d.Doc), cli.Quote(d.ID), cli.Count(d.Length), deletedText(d.Deleted), cli.Snippet(text, 60))
	})
	if err = cmp.Or(err, t.Flush()); err == nil && from < end && end < total {
		fmt.Fprintf(w, "... of %s: see --from and --limit\n", cli.Count(total))
	}
	return err
}

// eachDoc calls f with the documents from up to end, without and with their texts, which
// are valid until f returns.
func (x *index) eachDoc(ctx context.Context, from, end uint64, f func(d *Doc, text []byte) error) error {
	for _, g := range x.segs {
		first, last := max(from, uint64(g.base)), min(end, uint64(g.base)+uint64(g.Meta().Docs))
		if first >= last {
			continue
		}
		texts, err := g.Documents().Texts()
		if err != nil {
			return err
		}
		var id []byte
		for doc := first; doc < last; doc++ {
			local := uint32(doc - uint64(g.base))
			if id, err = g.Documents().AppendID(id[:0], local); err != nil {
				return err
			}
			text, err := texts.At(local)
			if err == nil {
				text, err = indexstats.Text(g.Segment, x.manifest, local, text)
			}
			if err != nil {
				return err
			}
			length, err := g.Documents().Length(local)
			if err != nil {
				return err
			}
			if err := f(&Doc{uint32(doc), cli.Text(id), length, g.deleted(local), g.file, ""}, text); err != nil {
				return err
			}
			if doc%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}
