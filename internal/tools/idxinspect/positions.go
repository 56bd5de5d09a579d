package idxinspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Positions is what `idxinspect positions` prints: where a term is in a document.
type Positions struct {
	Term      cli.Text `json:"term"`
	Doc       uint32   `json:"doc"`
	ID        cli.Text `json:"id"`
	Deleted   bool     `json:"deleted"`
	File      string   `json:"file"`
	Block     int      `json:"block"`  // of the term's list
	Blocks    int      `json:"blocks"` // of the list
	ListBytes int      `json:"list_bytes"`
	Positions []uint32 `json:"positions"`
}

func positionsCommand() *cobra.Command {
	var field string
	cmd := command("positions INDEX TERM ID", "Show where a term is in a document",
		`Positions count from 0: an analyzer moves on by one for a word, also for one that it leaves
out, such as a stop word, and not at all for one that means the same as the word before. The
values of a field with several lie 100 apart. The field must be indexed with positions.`,
		"  idxinspect positions --field contents verses.idx shepherd Psa23:1\n  idxinspect positions --field contents --json verses.idx lord Psa23:1",
		[]string{"INDEX", "TERM", "ID"}, func(_ *cobra.Command, args []string) (report, error) {
			return ofField(args[0], field, func(x *inspect.Index) (*Positions, error) { return positions(x, args[1], args[2]) })
		})
	fieldFlag(cmd, &field)
	return cmd
}

// positions returns where a term is in the document with an external id.
func positions(x *inspect.Index, term, id string) (*Positions, error) {
	if !slices.ContainsFunc(x.Fields(), func(f schema.Field) bool { return f.ID == x.Field && f.Positions }) {
		return nil, cli.Usage("the field is indexed without positions")
	}
	g, doc, err := x.FindID(id)
	if err != nil {
		return nil, err
	}
	e, ok, err := inspect.LookupIn(g.Segment, x.Field, []byte(term))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, eachList(x, term, func(*inspect.Segment, *segment.List) error { return notIn(term, id) })
	}
	p := &Positions{Term: cli.Text(term), Doc: g.Base + doc, ID: cli.Text(id), Deleted: g.Deleted(doc), File: g.File}
	l, err := g.Lists().List(e)
	if err == nil {
		err = p.find(l, doc)
	}
	return p, format.Locate(err, format.Place{List: term, Block: format.NoBlock})
}

// find finds a document of the segment in a list, and its positions.
func (p *Positions) find(l *segment.List, doc uint32) error {
	all, err := l.Positions()
	if err != nil {
		return err
	}
	p.Blocks, p.ListBytes = l.Blocks, all.Bytes()
	at, ok, err := inspect.FindPosting(l, doc)
	if err == nil && !ok {
		err = notIn(string(p.Term), string(p.ID))
	}
	if err == nil {
		p.Block = at.Block
		p.Positions, err = all.Reader().Append([]uint32{}, at.Block, at.Before, at.TF)
	}
	return err
}

// notIn returns the error that a document does not have a term that others have.
func notIn(term, id string) error {
	return fmt.Errorf("document %s does not have the term %s", cli.Quote(id), cli.Quote(term))
}

func (p *Positions) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("document", cli.Quote(string(p.ID)))
	t.Row("docID", strings.TrimSpace(cli.Count(p.Doc)+" "+deletedText(p.Deleted)))
	t.Row("term", cli.Quote(string(p.Term)))
	t.Row("list", fmt.Sprintf("block %d of %s in %s, %s of positions", p.Block, cli.Number(p.Blocks, "block"), p.File, cli.Number(p.ListBytes, "byte")))
	t.WriteTo(w)
	fmt.Fprintf(w, "\n%s\n", cli.Number(len(p.Positions), "position"))
	for _, at := range p.Positions {
		fmt.Fprintln(w, at)
	}
}
