package serve

import (
	"net/http"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
)

// chosen says of which field a page shows terms. Without a schema it is zero.
type chosen struct {
	Field string
	Tabs  []tab // a page for each field that has terms
	id    uint32
}

// tab is a link to what a page shows of a field.
type tab struct {
	Field, Link string
	On          bool
}

// choose returns the field that a request names, or otherwise the first that is indexed. The tabs
// are links to page with these parameters.
func (x *source) choose(r *http.Request, page string, params ...any) (c chosen, err error) {
	fields := x.Fields()
	c.Field = r.URL.Query().Get("field")
	for i := range fields {
		f := &fields[i]
		if f.Indexing() == schema.IndexNone {
			continue
		}
		if c.Field == "" {
			c.Field = f.Name
		}
		c.Tabs = append(c.Tabs, tab{f.Name, link(page, append(params, "field", f.Name)...), f.Name == c.Field})
	}
	if c.id, err = inspect.ChooseField(fields, c.Field); err != nil {
		return c, notFound("%v", err)
	}
	return c, nil
}

// inField names the field in an error.
func (c *chosen) inField() string {
	if c.Field == "" {
		return ""
	}
	return " in field " + cli.Quote(c.Field)
}

// fieldRow is what a document has in a field.
type fieldRow struct {
	Name, Kind string
	Lengths    bool
	Len        uint32
	Stored     bool
	Column     bool
	Values     [][]piece // with the words of the query that led here
}

// fieldsOf returns what a document has in the fields of the schema, and how many bytes of it are
// not shown.
func (x *source) fieldsOf(g *inspect.Segment, local uint32, q string) (rows []fieldRow, more int, err error) {
	stored, err := g.Documents().AppendStored(nil, local)
	if err != nil {
		return nil, 0, err
	}
	values, err := inspect.Values(g.Segment, x.Manifest, local, stored)
	if err != nil {
		return nil, 0, err
	}
	fields := x.Fields()
	room := maxText
	for i := range fields {
		f := &fields[i]
		row := fieldRow{Name: f.Name, Kind: f.Kind.String(), Lengths: f.HasLengths(), Stored: f.Stored, Column: f.Column}
		if row.Len, err = inspect.LengthIn(g.Segment, f.ID, local); err != nil {
			return nil, 0, err
		}
		for _, v := range values {
			if v.Field.ID != f.ID {
				continue
			}
			text := []byte(v.Value.String())
			n := min(len(text), room)
			more += len(text) - n
			pieces := []piece{{Text: cli.Printable(string(text[:n]))}}
			if f.Kind == schema.Text && f.Indexing() != schema.IndexNone {
				if pieces, err = x.whole(text[:n], f.Name, q); err != nil {
					return nil, 0, err
				}
			}
			room -= n
			row.Values = append(row.Values, pieces)
		}
		rows = append(rows, row)
	}
	return rows, more, nil
}
