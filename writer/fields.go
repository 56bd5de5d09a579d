package writer

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/writer/internal/invert"
)

// Doc is one document to add to an index with a schema.
type Doc struct {
	// ID is its external id, as Document.ID.
	ID []byte
	// Values are what it has in the fields, which they name by their numbers in
	// Writer.Schema().Fields. Of several values of one field, each is indexed, one after the
	// other; those that are stored keep this order.
	Values []schema.Value
}

// AddDoc adds a document to an index with a schema, replacing one with the same id. It is Add
// otherwise: it copies the document. The error for a bad document names the field and matches
// ErrDocument; nothing of such a document is added.
func (w *Writer) AddDoc(ctx context.Context, d Doc) error {
	if err := w.opts.CheckDoc(d); err != nil {
		return err
	}
	return w.pipe.addDoc(orBackground(ctx), d)
}

// CheckDoc returns the error, which matches ErrDocument, with which a Writer of these options
// refuses a document, and nil if it takes it. Schema must be that of the index.
func (o *Options) CheckDoc(d Doc) error {
	if err := checkID(d.ID); err != nil {
		return err
	}
	if o.Schema == nil {
		return fmt.Errorf("%w %s: it has fields, and the index no schema", ErrDocument, quote(d.ID))
	}
	for i := range d.Values {
		err := o.Schema.CheckValue(d.Values[i])
		if err == nil && d.Values[i].Kind == schema.KindImpacts {
			err = checkOnly(o.Schema, d.Values, i)
		}
		if err != nil {
			return fmt.Errorf("%w %s: %w", ErrDocument, quote(d.ID), err)
		}
	}
	if n, most := invert.SizeOfValues(nil, d.Values), o.maxText(); n > most {
		return fmt.Errorf("%w %s: %d bytes in all fields, at most %d fit the memory budget", ErrDocument, quote(d.ID), n, most)
	}
	return nil
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

// setFields makes what inverts the values of the schema's fields, if there is a schema.
func (w *Writer) setFields() error {
	s := w.opts.Schema
	if s == nil {
		w.acc = w.pipe.pool.NewAccumulator()
		return nil
	}
	analyzers := make([]analysis.Analyzer, len(s.Fields))
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != schema.KindText || f.Indexing() == schema.IndexNone {
			continue
		}
		a, err := analysis.New(f.Analysis())
		if err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
		analyzers[i] = a
	}
	w.fields = invert.NewFields(s, analyzers)
	w.acc = w.pipe.pool.NewFieldAccumulator(w.fields)
	return nil
}

// newInverter returns an Inverter for the documents of the index.
func (w *Writer) newInverter() *invert.Inverter {
	if w.fields != nil {
		return w.pipe.pool.NewFieldInverter(w.pipe.seed, w.fields)
	}
	return w.pipe.pool.NewInverter(w.pipe.seed, w.opts.Analyzer.Tokenizer(), w.opts.Stored)
}

// fieldOptions returns the options of a Builder for the documents of a.
func fieldOptions(a *invert.Accumulator) build.Options {
	o := build.Options{Docs: uint32(a.Live()), Fields: a.FieldsOf()}
	for i := range o.Fields {
		o.Stored = o.Stored || o.Fields[i].Stored
	}
	return o
}
