package writer

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer/internal/invert"
)

// Doc is one document to add.
type Doc struct {
	// ID is its external id: 1 to 65535 arbitrary bytes. It replaces a document with
	// the same id.
	ID []byte
	// Values are what it has in the fields, which they name by their numbers in
	// Writer.Schema().Fields. Of several values of one field, each is indexed, one after the
	// other; those that are stored keep this order. In the implicit schema there is one, field 0. Text is UTF-8. Other bytes
	// are taken as they are and not looked for, and no query finds the words that have them; utf8.Valid tells.
	Values []schema.Value
}

// Text returns a document for an index of the implicit schema: its id and its text. An index with a schema takes it if the first
// field is called "text".
func Text(id, text []byte) Doc {
	v := schema.TextValue(0, text)
	v.Name = "text"
	return Doc{ID: id, Values: []schema.Value{v}}
}

// Add adds a document, replacing one with the same id. It copies the document and
// returns before it is inverted, but waits while as many documents are in flight as
// the memory budget allows; ctx bounds only that wait. One that is larger than a 32nd of the
// budget, or a 48th with positions, it writes as a segment of its own, behind all before it, and returns then. The error
// for a bad document names the field and matches ErrDocument: nothing of it is added, and one with the same id stays.
func (w *Writer) Add(ctx context.Context, d Doc) error {
	if err := w.opts.checkDoc(w.now(), d); err != nil {
		return err
	}
	ctx = orBackground(ctx)
	if err := w.pipe.take(ctx, w.pipe.gate); err != nil {
		return err
	}
	defer w.pipe.leave()
	return changing{w}.putDoc(ctx, d)
}

// putDoc adds a document. The caller holds the gate.
func (w changing) putDoc(ctx context.Context, d Doc) error {
	if w.fields.SizeOf(d.ID, d.Values) > w.opts.batched() {
		return w.addLarge(ctx, d)
	}
	return w.pipe.put(ctx, d)
}

// CheckDoc returns the error, which matches ErrDocument, with which a Writer of these options
// refuses a document, and nil if it takes it. Schema must be that of the index.
func (o *Options) CheckDoc(d Doc) error { return o.checkDoc(o.schema(), d) }

// checkDoc is CheckDoc with a schema.
func (o *Options) checkDoc(s *schema.Schema, d Doc) error {
	if err := checkID(d.ID); err != nil {
		return err
	}
	if s.IsImplicit() && len(d.Values) != 1 {
		return fmt.Errorf("%w %s: %d values, and documents of the index have one text", ErrDocument, quote(d.ID), len(d.Values))
	}
	for i := range d.Values {
		err := s.CheckValue(d.Values[i])
		if err == nil && d.Values[i].Kind == schema.Impacts {
			err = checkOnly(s, d.Values, i)
		}
		if err != nil {
			return fmt.Errorf("%w %s: %w", ErrDocument, quote(d.ID), err)
		}
	}
	if s.IsImplicit() {
		return o.checkSize(d.ID, len(d.Values[0].Bytes()), "of text")
	}
	size := 0
	for i := range d.Values {
		size += max(invert.SizeOfValue(&d.Values[i]), leastValue)
	}
	return o.checkSize(d.ID, size, "in all fields")
}

// checkOnly returns an error if a document has had a value of impacts in the field of its value i.
func checkOnly(s *schema.Schema, values []schema.Value, i int) error {
	for j := range i {
		if values[j].Field == values[i].Field {
			return fmt.Errorf("field %q: a second value of impacts; a document has one", s.Fields[values[i].Field].Name)
		}
	}
	return nil
}

// setFields makes what inverts the values of the schema's fields.
func (w evolving) setFields() error {
	s := w.opts.Schema
	analyzers := make([]analysis.Analyzer, len(s.Fields))
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != schema.Text || f.Indexing() == schema.IndexNone {
			continue
		}
		a, err := analysis.New(f.Analysis())
		if err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
		analyzers[i] = a
	}
	w.fields = invert.NewFields(s, analyzers)
	w.acc = w.pipe.pool.NewAccumulator(w.fields)
	return nil
}

// newInverter returns an Inverter for the documents of the index.
func (w evolving) newInverter() *invert.Inverter {
	return w.pipe.pool.NewInverter(w.pipe.seed, w.fields)
}

// options returns the options of a Builder for so many documents with fields.
func options(docs int, fields []build.Field) build.Options {
	return build.Options{Docs: uint32(docs), Fields: fields, Stored: slices.ContainsFunc(fields, func(f build.Field) bool { return f.Stored })}
}
