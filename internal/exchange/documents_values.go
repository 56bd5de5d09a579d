package exchange

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/pinion-index/pinion/schema"
)

// fieldSource reads records with keys into the fields of a schema.
type fieldSource interface {
	takeFields(f Fields, s *schema.Schema) error
	nextValues() (id []byte, values []schema.Value, err error)
}

// contentsKey is the key of documents that are text alone.
const contentsKey = "contents"

// takeContents makes d ready for documents that are text alone.
func (d *Documents) takeContents(file string, format Format) error {
	if d.contents != nil {
		return nil
	}
	t, err := d.opts.Fields.taker(d.opts.Schema, true)
	if err != nil {
		return err
	}
	if n := t.root.child([]byte(contentsKey)); (n == nil || len(n.slots) == 0) && t.unknown != UnknownStore {
		return fmt.Errorf("%s: documents of format %s have one key, %s, which no field takes; --field %[3]s=NAME says which", file, format, contentsKey)
	}
	d.contents = t
	return nil
}

// NextValues returns the id and the values of the next document, or io.EOF after the last: in the implicit schema one, its
// text. Its bytes are valid until the next call. Errors
// are as those of Next; they name the key, and the field that does not take its value.
func (d *Documents) NextValues() (id []byte, values []schema.Value, err error) {
	if d.opts.Schema == nil {
		doc, err := d.Next()
		if err != nil {
			return nil, nil, err
		}
		d.one[0] = schema.TextValue(0, doc.Contents)
		return doc.ID, d.one[:], nil
	}
	err = d.next(func(src Source) error {
		if f, ok := src.(fieldSource); ok {
			if id, values, err = f.nextValues(); err == nil && d.suspect() && !validValues(values) {
				d.misread.document(src, id)
			}
			return err
		}
		doc, err := src.Next()
		if err != nil {
			return err
		}
		if w, ok := src.(*whole); ok {
			if err := d.takeContents(w.file, FormatTextDir); err != nil {
				return &Error{File: w.file, Offset: -1, Recoverable: true, Err: foreignError("text, which no field takes; --field contents=NAME says which")}
			}
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
		if id = doc.ID; d.suspect() && !utf8.Valid(doc.Contents) {
			d.misread.document(src, id)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return id, values, nil
}

// Next implements Source.
func (d *Documents) Next() (doc Document, err error) {
	if d.opts.Schema != nil {
		return doc, fmt.Errorf("%w: the input is read with a schema, by NextValues", ErrInvalid)
	}
	err = d.next(func(src Source) (err error) {
		if doc, err = src.Next(); err == nil && d.suspect() && !utf8.Valid(doc.Contents) {
			d.misread.document(src, doc.ID)
		}
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
