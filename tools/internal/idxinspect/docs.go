package idxinspect

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/tools/internal/cli"
)

// Docs is what `idxinspect docs` prints.
type Docs struct {
	Docs  []Doc  `json:"docs"`
	Total uint64 `json:"total"`
	full  bool
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
		"Without ids it lists documents in docID order, including deleted ones.",
		`  idxinspect docs kjv.idx Ge1:1 Rev22:21
  idxinspect docs --from 31000 --limit 10 kjv.idx`,
		[]string{"INDEX", "[ID]"}, func(_ *cobra.Command, args []string) (report, error) {
			out := &Docs{Docs: []Doc{}, full: full || len(args) > 1}
			err := withIndex(args[0], func(x *index) error {
				out.Total = x.docs()
				if len(args) > 1 {
					return out.named(x, args[1:])
				}
				return out.numbered(x, from, limit)
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
		if err := d.add(g, doc); err != nil {
			return err
		}
	}
	return nil
}

func (d *Docs) numbered(x *index, from uint64, limit int) error {
	for doc := from; doc < d.Total && (limit == 0 || len(d.Docs) < limit); doc++ {
		g, local, err := x.find(doc)
		if err != nil {
			return err
		}
		if err := d.add(g, local); err != nil {
			return err
		}
	}
	return nil
}

func (d *Docs) add(g *seg, doc uint32) error {
	id, err := g.ID(doc, nil)
	if err != nil {
		return err
	}
	n, err := g.DocLen(doc)
	if err != nil {
		return err
	}
	text, err := g.Stored(doc, nil)
	if err != nil {
		return err
	}
	d.Docs = append(d.Docs, Doc{g.base + doc, cli.Text(id), n, g.deleted(doc), g.file, string(text)})
	return nil
}

func (d *Docs) text(w io.Writer) {
	t := cli.NewTable(">doc", "id", ">length", "", "text")
	for _, e := range d.Docs {
		text := ""
		if !d.full {
			text = cli.Snippet([]byte(e.Text), 60)
		}
		t.Row(e.Doc, cli.Quote(e.ID), e.Length, deletedText(e.Deleted), text)
	}
	if !d.full {
		t.WriteTo(w)
		if n := len(d.Docs); n > 0 && uint64(d.Docs[n-1].Doc)+1 < d.Total {
			fmt.Fprintf(w, "... of %s: see --from and --limit\n", cli.Count(d.Total))
		}
		return
	}
	for i, e := range d.Docs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		t := cli.NewTable("", "")
		t.Row("doc", e.Doc)
		t.Row("id", cli.Quote(e.ID))
		t.Row("length", fmt.Sprintf("%s tokens", cli.Count(e.Length)))
		t.Row("segment", e.Segment)
		if e.Deleted {
			t.Row("deleted", "yes")
		}
		t.WriteTo(w)
		if e.Text != "" {
			fmt.Fprintf(w, "\n%s\n", e.Text)
		}
	}
}
