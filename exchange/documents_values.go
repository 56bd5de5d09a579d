package exchange

import (
	"fmt"
	"io"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// fieldSource reads records with keys into the fields of a schema.
type fieldSource interface {
	takeFields(f Fields, s *schema.Schema) error
	nextValues() (id []byte, values []schema.Value, err error)
}

// contentsKey is the key of documents that are text alone.
const contentsKey = "contents"

// takeContents makes d ready for documents that are text alone.
func (d *Documents) takeContents(format Format) error {
	if d.contents != nil {
		return nil
	}
	t, err := d.opts.Fields.taker(d.opts.Schema, true)
	if err != nil {
		return err
	}
	if n := t.root.child([]byte(contentsKey)); (n == nil || len(n.slots) == 0) && t.unknown != UnknownStore {
		return fmt.Errorf("documents of format %s have one key, %s, which no field takes", format, contentsKey)
	}
	d.contents = t
	return nil
}

// NextValues returns the id and the values of the next document of an input that is read
// with a schema, or io.EOF after the last. Its bytes are valid until the next call. Errors
// are as those of Next; they name the key, and the field that does not take its value.
func (d *Documents) NextValues() (id []byte, values []schema.Value, err error) {
	if d.opts.Schema == nil {
		return nil, nil, fmt.Errorf("%w: the input is read without a schema, by Next", ErrInvalid)
	}
	err = d.next(func(src Source) error {
		if f, ok := src.(fieldSource); ok {
			id, values, err = f.nextValues()
			return err
		}
		doc, err := src.Next()
		if err != nil {
			return err
		}
		if err := d.takeContents(FormatTextDir); err != nil { // of a file that is a document
			return err
		}
		d.contents.begin()
		if err = d.contents.cell([]byte(contentsKey), doc.Contents); err == nil {
			_, values, err = d.contents.end()
		}
		if err != nil {
			file := d.path
			if w, ok := src.(*whole); ok {
				file = w.file
			}
			return &Error{File: file, Offset: -1, Recoverable: true, Msg: fmt.Sprintf("document %.80q", doc.ID), Err: err}
		}
		id = doc.ID
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return id, values, nil
}

// Next implements Source.
func (d *Documents) Next() (doc writer.Document, err error) {
	if d.opts.Schema != nil {
		return doc, fmt.Errorf("%w: the input is read with a schema, by NextValues", ErrInvalid)
	}
	err = d.next(func(src Source) (err error) {
		doc, err = src.Next()
		return err
	})
	return doc, err
}

// next calls read with the source of the next document. It goes on to the next one if
// read returns io.EOF.
func (d *Documents) next(read func(Source) error) error {
	for {
		src, err := d.current()
		if err != nil {
			return err
		}
		err = read(src)
		if _, ok := src.(*whole); ok && err == nil {
			d.formats[FormatTextDir]++
		}
		if err != io.EOF {
			return err
		}
		if err := d.end(); err != nil {
			return err
		}
	}
}
