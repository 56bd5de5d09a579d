package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// ErrNotStored is matched by the error of ExportJSONL for an index that does not have the
// text of all documents, or that has no field that is stored, in a column or of vectors.
var ErrNotStored = errors.New("the index does not store the text of its documents")

// ExportJSONL writes the documents of a snapshot, but for deleted ones, in docID order:
// one JSON object a line with "id" and "contents", the stored text; or with a schema, "id"
// and the fields that are stored or have columns, by name, and those of vectors. A field with several values has an array. A vector is
// an array of the shortest decimals that give the same float32, and several are an array of these. If
// there is a field named id, the document's id is "_id". JSON holds nothing
// but valid UTF-8: other bytes of a text become U+FFFD, and replaced is the number of
// texts that had some; such an id is an error. Otherwise errors are those of reading,
// writing and ctx; a nil ctx is context.Background.
func ExportJSONL(ctx context.Context, w io.Writer, s *reader.Snapshot) (replaced int, err error) {
	switch {
	case s == nil:
		return 0, fmt.Errorf("%w: no snapshot", ErrInvalid)
	case w == nil:
		return 0, errNoWriter
	case ctx == nil:
		ctx = context.Background()
	}
	release, err := s.Acquire()
	if err != nil {
		return 0, err
	}
	defer release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	x := &jsonExport{ctx: ctx, w: bufio.NewWriterSize(w, 1<<16)}
	if err := x.begin(s); err != nil {
		return 0, err
	}
	for _, g := range s.Segments() {
		if err := x.segment(g); err != nil {
			return x.replaced, err
		}
	}
	return x.replaced, x.w.Flush()
}

// jsonExport writes documents as JSON.
type jsonExport struct {
	ctx      context.Context
	w        *bufio.Writer
	schema   *schema.Schema // of the index
	idKey    string
	replaced int
	line     []byte
	stored   []byte           // of a document, with what is in columns
	number   map[uint32]int   // of a field in schema, by id
	values   [][]schema.Value // of a document, by field
	dense    []denseWriter    // of the segment, by field
}

// begin checks that the index stores what is written.
func (x *jsonExport) begin(s *reader.Snapshot) error {
	x.idKey = `{"id":`
	if x.schema = s.Schema(); x.schema.IsImplicit() {
		for _, g := range s.Segments() {
			if !g.Meta().Stored && g.Docs() > 0 {
				return fmt.Errorf("%s: %w", g.Name(), ErrNotStored)
			}
		}
		return nil
	}
	stored := func(f schema.Field) bool { return f.Stored || f.Column || f.Kind == schema.Vector }
	if !slices.ContainsFunc(x.schema.Fields, stored) {
		return ErrNotStored
	}
	if _, ok := x.schema.Field("id"); ok {
		x.idKey = `{"_id":`
	}
	x.number = map[uint32]int{}
	for i := range x.schema.Fields {
		x.number[x.schema.Fields[i].ID] = i
	}
	x.values = make([][]schema.Value, len(x.schema.Fields))
	return nil
}

// segment writes the documents of one segment.
func (x *jsonExport) segment(g *reader.Segment) error {
	deletes, err := g.Deletes()
	if err != nil {
		return err
	}
	text := func(uint32) ([]byte, error) { return nil, nil }
	if g.Meta().Stored {
		texts, err := g.Views().Documents().Texts()
		if err != nil {
			return err
		}
		text = texts.At
	}
	if !x.schema.IsImplicit() {
		if x.dense, err = denseWriters(x.dense, x.schema, g.Views()); err != nil {
			return err
		}
	}
	return g.Views().Documents().EachID(func(doc uint32, id []byte) error {
		if deletes.Has(doc) {
			return nil
		}
		if !utf8.Valid(id) {
			return fmt.Errorf("%s: document %d: the id %q is %w, and JSON cannot hold it", g.Name(), doc, id, ErrNotUTF8)
		}
		b, err := text(doc)
		if err == nil && !x.schema.IsImplicit() {
			x.stored, err = g.Views().Documents().AppendColumns(append(x.stored[:0], b...), doc)
			b = x.stored
		}
		if err == nil && doc%1024 == 0 {
			err = x.ctx.Err()
		}
		if err == nil {
			err = x.document(id, doc, b)
		}
		if err != nil {
			return err
		}
		_, err = x.w.Write(append(x.line, '}', '\n'))
		return err
	})
}

// document makes the line of a document but for its end.
func (x *jsonExport) document(id []byte, doc uint32, stored []byte) (err error) {
	x.line, _ = jsontext.AppendQuote(append(x.line[:0], x.idKey...), id)
	if x.schema.IsImplicit() {
		x.line = append(x.line, `,"contents":`...)
		x.quote(stored)
		return nil
	}
	for i := range x.values {
		x.values[i] = x.values[i][:0]
	}
	for len(stored) > 0 {
		v, rest, err := record.Next(stored)
		if err != nil {
			return fmt.Errorf("document %q: %w", id, err)
		}
		stored = rest
		i, ok := x.number[v.ID]
		if !ok {
			continue // the field was dropped
		}
		value, err := v.Value(i, x.schema.Fields[i].Kind)
		if err != nil {
			return fmt.Errorf("document %q: %w", id, err)
		}
		x.values[i] = append(x.values[i], value)
	}
	for i, values := range x.values {
		dense := x.dense[i].seek(doc)
		if len(values)+dense == 0 {
			continue
		}
		x.line, _ = jsontext.AppendQuote(append(x.line, ','), x.schema.Fields[i].Name)
		x.line = append(x.line, ':')
		if dense == 0 {
			x.field(values)
		} else if x.line, err = x.dense[i].append(x.line, dense); err != nil {
			return fmt.Errorf("document %q: %w", id, err)
		}
	}
	return nil
}

// field appends the values of a field.
func (x *jsonExport) field(values []schema.Value) {
	if len(values) == 1 {
		x.value(values[0])
		return
	}
	open := byte('[')
	for _, v := range values {
		x.line = append(x.line, open)
		x.value(v)
		open = ','
	}
	x.line = append(x.line, ']')
}

func (x *jsonExport) value(v schema.Value) {
	switch n := kind.Of(uint8(v.Kind)); {
	case n == nil:
		x.quote(v.Bytes())
	case n.Quoted:
		x.line = append(n.Append(append(x.line, '"'), v.Bits()), '"')
	default:
		x.line = n.Append(x.line, v.Bits())
	}
}

// quote appends a text. What JSON cannot hold of it is counted.
func (x *jsonExport) quote(text []byte) {
	if !utf8.Valid(text) {
		x.replaced++
	}
	x.line, _ = jsontext.AppendQuote(x.line, text) // the error is about what it replaces
}
