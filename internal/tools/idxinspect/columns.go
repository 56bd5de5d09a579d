package idxinspect

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Columns is what `idxinspect columns` prints.
type Columns struct {
	Columns []inspect.ColumnSummary `json:"columns"`
	Blocks  []ColumnBlock           `json:"blocks,omitempty"` // of the column that is named
}

// ColumnBlock is a block of a column.
type ColumnBlock struct {
	Segment   string `json:"segment"`
	Block     int    `json:"block"`
	First     uint32 `json:"first"` // docID in the index
	Documents uint32 `json:"documents"`
	Values    uint32 `json:"values"`
	Min       string `json:"min"`
	Max       string `json:"max"`
	Step      uint64 `json:"step"` // all values are the least plus multiples of it; 0 without values
	Form      string `json:"form"`
	Width     int    `json:"width"`
	Bytes     int64  `json:"bytes"`
}

var errNoColumn = errors.New("the field has no column")

func columnsCommand() *cobra.Command {
	return command("columns INDEX [FIELD]", "Show the columns of an index, or the blocks of one",
		`A column has the values of a field by document, for filters, sorting and facets.
Documents, values and bytes are those of all segments, deleted documents included,
and keywords those of each. With FIELD it shows the blocks of 4,096 documents: their
least and greatest values, by which queries skip them, and how values are packed:
slots (one a document), dense (of documents that have some), ascending or descending
(differences), in so many bits, as multiples of the step.`,
		`  idxinspect columns logs.idx
  idxinspect columns logs.idx ts`,
		[]string{"INDEX", "[FIELD]"}, func(_ *cobra.Command, args []string) (report, error) {
			c := &Columns{}
			err := inspect.With(args[0], func(x *inspect.Index) (err error) {
				if c.Columns, err = inspect.ColumnsOf(x.Manifest, x.Segments()); err != nil || len(args) == 1 {
					return err
				}
				return c.blocks(x, args[1])
			})
			return reported(c, err)
		})
}

// blocks adds the blocks of a column, and leaves out the other columns.
func (c *Columns) blocks(x *inspect.Index, name string) error {
	id, err := inspect.ChooseField(x.Fields(), name)
	if err != nil {
		return err
	}
	one := []inspect.ColumnSummary{}
	for _, sum := range c.Columns {
		if sum.Field == name {
			one = append(one, sum)
		}
	}
	if c.Columns = one; len(one) == 0 {
		return fmt.Errorf("field %s: %w", cli.Quote(name), errNoColumn)
	}
	var f schema.Field
	for _, of := range x.Fields() {
		if of.ID == id {
			f = of
		}
	}
	c.Blocks = []ColumnBlock{}
	for _, g := range x.Segs {
		column, err := inspect.ColumnOf(g.Segment, id)
		if err != nil {
			return err
		}
		if column == nil {
			continue
		}
		for b := range column.Blocks() {
			block, err := blockOf(column, &f, b)
			if err != nil {
				return err
			}
			block.Segment, block.First = g.File, g.Base+uint32(b)*segment.ColumnBlock
			c.Blocks = append(c.Blocks, block)
		}
	}
	return nil
}

func blockOf(c *segment.Column, f *schema.Field, b int) (out ColumnBlock, err error) {
	is := c.Bounds(b)
	out = ColumnBlock{Block: b, Documents: is.Docs, Values: is.Values, Step: is.Gcd, Form: is.Form.String(), Width: is.Width, Bytes: is.Bytes}
	if is.Docs == 0 {
		out.Form = "empty"
		return out, nil
	}
	lo, err := inspect.ColumnValue(c, f, is.Min)
	if err != nil {
		return out, err
	}
	hi, err := inspect.ColumnValue(c, f, is.Max)
	out.Min, out.Max = lo.String(), hi.String()
	return out, err
}

func (c *Columns) Text(w io.Writer) {
	if len(c.Columns) == 0 {
		fmt.Fprintln(w, "no columns")
		return
	}
	t := cli.NewTable("field", "kind", ">docs", ">values", "least", "greatest", ">keywords", ">bytes", ">bytes/value")
	for _, x := range c.Columns {
		kind, keywords := x.Kind, "-"
		if x.Unit != "" {
			kind += " (" + x.Unit + ")"
		}
		if x.Kind == schema.Keyword.String() {
			keywords = cli.Count(x.Keywords)
		}
		t.Row(cli.Printable(x.Field), kind, x.Documents, x.Values, shown(x.Min, x.Documents), shown(x.Max, x.Documents), keywords, x.Bytes,
			cli.Float(float64(x.Bytes)/float64(max(x.Values, 1)), 2))
	}
	t.WriteTo(w)
	if c.Blocks == nil {
		return
	}
	fmt.Fprintln(w)
	t = cli.NewTable("segment", ">block", ">first doc", ">docs", ">values", "least", "greatest", ">step", "form", ">bits", ">bytes")
	for _, b := range c.Blocks {
		t.Row(b.Segment, b.Block, b.First, b.Documents, b.Values, shown(b.Min, uint64(b.Documents)), shown(b.Max, uint64(b.Documents)), b.Step, b.Form, b.Width, b.Bytes)
	}
	t.WriteTo(w)
}

// shown shows a value of a column in which so many documents have one.
func shown(value string, docs uint64) string {
	switch {
	case docs == 0:
		return "-"
	case value == "":
		return cli.Quote(value)
	}
	return cli.Printable(value)
}
