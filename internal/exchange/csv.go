package exchange

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pinion-index/pinion/schema"
)

// CSV reads comma-separated values as RFC 4180 describes them: the first record names
// the columns, every other record is a document. Where the first line has no comma, but
// semicolons or else tabs, these separate values in its place. CSV takes the columns of
// Fields; others are ignored and counted. It skips empty lines.
type CSV struct {
	lines   *lines
	in      input
	made    *madeIDs // nil: ids are read
	fields  *fieldSet
	ignored ignored

	record bytes.Buffer // what parser reads next
	parser *csv.Reader
	comma  byte  // what separates values; 0 before the first record
	line   int64 // on which the record begins
	header []string
	id     int // column of the id; -1: made up
	text   []int
	unread []string // columns
	buf    []byte
	taker  *taker // nil: documents are without fields
	cells  [][]byte
}

// NewCSV reads from r; file is its name in errors.
func NewCSV(file string, r io.Reader) *CSV {
	c := &CSV{lines: newLines(file, r), in: asInput(r), ignored: ignored{}}
	c.SetFields(Fields{})
	return c
}

// SetFields names the columns to read. It must be called before Next.
func (c *CSV) SetFields(f Fields) { c.fields = f.set(c.made != nil) }

func (c *CSV) ignoredFields() ignored { return c.ignored }

// Next implements Source.
func (c *CSV) Next() (Document, error) {
	if c.header == nil {
		if err := c.begin(); err != nil {
			return Document{}, err
		}
	}
	values, err := c.next()
	if err != nil {
		return Document{}, err
	}
	d, err := c.document(values)
	if err != nil {
		return Document{}, c.bad(true, err)
	}
	for _, name := range c.unread {
		c.ignored.count([]byte(name), 1)
	}
	return d, nil
}

// nextValues implements fieldSource.
func (c *CSV) nextValues() (id []byte, values []schema.Value, err error) {
	if c.header == nil {
		if err := c.beginFields(); err != nil {
			return nil, nil, err
		}
	}
	record, err := c.next()
	if err != nil {
		return nil, nil, err
	}
	if id, values, err = c.take(record); err != nil {
		return nil, nil, c.bad(true, err)
	}
	return id, values, nil
}

// take returns the id and the values of a record.
func (c *CSV) take(record []string) (id []byte, values []schema.Value, err error) {
	if len(record) != len(c.header) {
		return nil, nil, fmt.Errorf("a record of %d values, there are %d columns", len(record), len(c.header))
	}
	c.taker.begin()
	c.buf = c.buf[:0]
	for i, name := range c.cells {
		start := len(c.buf)
		c.buf = append(c.buf, record[i]...)
		if err := c.taker.cell(name, c.buf[start:len(c.buf):len(c.buf)]); err != nil {
			return nil, nil, err
		}
	}
	id, values, err = c.taker.end()
	if err == nil {
		if c.made != nil {
			id = c.made.id(c.line)
		}
		err = checkID(id)
	}
	return id, values, err
}

// beginFields reads the header. Without a column for the id nothing can be read.
func (c *CSV) beginFields() error {
	if err := c.readHeader(); err != nil {
		return err
	}
	c.cells = nil
	var id *keyNode
	for i, name := range c.header {
		if slices.Contains(c.header[:i], name) {
			return c.bad(false, fmt.Errorf("column %q comes twice", name))
		}
		c.cells = append(c.cells, []byte(name))
		n := c.taker.root.child(c.cells[i])
		if n == nil || n.id == 0 {
			continue
		}
		if other := n; id != nil { // the one is the id that goes first
			if n.id < id.id {
				other, id = id, n
			}
			other.id = 0
		} else {
			id = n
		}
	}
	if id == nil && c.made == nil {
		return c.bad(false, thereAre(missing(c.taker.names[0]), c.header))
	}
	return nil
}

// takeFields implements fieldSource.
func (c *CSV) takeFields(f Fields, s *schema.Schema) (err error) {
	if c.taker, err = f.taker(s, c.made != nil, usualIDs...); err == nil {
		c.taker.ignored = c.ignored
	}
	return err
}

// document returns the document of a record.
func (c *CSV) document(values []string) (d Document, err error) {
	if len(values) != len(c.header) {
		return d, fmt.Errorf("a record of %d values, there are %d columns", len(values), len(c.header))
	}
	c.buf = c.buf[:0]
	for _, col := range c.text {
		if len(values[col]) > 0 && len(c.buf) > 0 {
			c.buf = append(c.buf, '\n')
		}
		c.buf = append(c.buf, values[col]...)
	}
	if d.Contents = c.buf; c.id >= 0 {
		d.ID = []byte(values[c.id])
	} else {
		d.ID = c.made.id(c.line)
	}
	return d, checkID(d.ID)
}

// begin reads the header.
func (c *CSV) begin() error {
	if err := c.readHeader(); err != nil {
		return err
	}
	cols := make([]int, len(c.fields.names)) // of the slots, from 1
	c.unread = slices.Clone(c.header)
	for i, name := range c.header {
		slot := c.fields.find([]byte(name))
		if slot < 0 {
			continue
		}
		if cols[slot] != 0 {
			return c.bad(false, fmt.Errorf("column %q comes twice", name))
		}
		cols[slot] = i + 1
	}
	id, text, err := c.fields.choose(nil, func(slot int) bool { return cols[slot] != 0 })
	if err != nil {
		return c.bad(false, thereAre(err, c.header))
	}
	if c.id = -1; id >= 0 {
		c.id = cols[id] - 1
	}
	for _, slot := range text {
		c.text = append(c.text, cols[slot]-1)
	}
	c.unread = c.unread[:0]
	for i, name := range c.header {
		if i != c.id && !slices.Contains(c.text, i) {
			c.unread = append(c.unread, name)
		}
	}
	return nil
}

// readHeader reads the names of the columns.
func (c *CSV) readHeader() error {
	header, err := c.next()
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Recoverable = false // without a header nothing can be read
		}
		return err
	}
	c.header = slices.Clone(header)
	return nil
}

// bad locates err at the record.
func (c *CSV) bad(recoverable bool, err error) error {
	return &Error{File: c.lines.file, Line: c.line, Offset: -1, Recoverable: recoverable, Err: err}
}

// next returns the next record. It is valid until the next call.
func (c *CSV) next() ([]string, error) {
	if err := c.gather(); err != nil {
		return nil, err
	}
	if c.parser == nil {
		c.parser = csv.NewReader(&c.record)
		c.parser.Comma, c.parser.FieldsPerRecord, c.parser.ReuseRecord = rune(c.comma), -1, true
	}
	values, err := c.parser.Read()
	if err != nil {
		c.parser = nil // it may hold a part of the record
		var p *csv.ParseError
		if errors.As(err, &p) {
			err = fmt.Errorf("broken CSV at byte %d of line %d of the record: %w", p.Column, p.Line-p.StartLine+1, p.Err)
		}
		return nil, c.bad(true, err)
	}
	return values, nil
}

// gather collects the lines of the next record: a quoted value may hold line feeds. A
// quote that nothing ends would make one value of all that follows, which is an error.
func (c *CSV) gather() error {
	c.record.Reset()
	quoted := false
	for {
		b, err := c.lines.next()
		switch {
		case err == io.EOF && quoted:
			return c.bad(false, errors.New("the file ends inside a quoted value of this record"))
		case err != nil && quoted:
			return c.bad(false, fmt.Errorf("inside a quoted value: %w", err))
		case err != nil:
			return err
		case len(bytes.Trim(b, "\r")) == 0 && c.record.Len() == 0:
			continue
		}
		if c.record.Len() == 0 {
			c.line = c.lines.line
		}
		if c.comma == 0 {
			c.comma = separator(b)
		}
		c.record.Write(b)
		c.record.WriteByte('\n')
		if quoted = endsQuoted(b, c.comma, quoted); !quoted {
			return nil
		}
		if c.record.Len() > c.lines.limit {
			return c.bad(false, fmt.Errorf("a record of more than %d bytes: is a quote missing?", c.lines.limit))
		}
	}
}

// separator returns what separates the values of a file with this first line.
func separator(header []byte) byte {
	for _, c := range []byte(",;\t") {
		if bytes.IndexByte(header, c) >= 0 {
			return c
		}
	}
	return ','
}

// endsQuoted reports whether a line of values that comma separates ends inside a quoted one, and begins so if quoted.
func endsQuoted(b []byte, comma byte, quoted bool) bool {
	begins := !quoted // at the beginning of a value
	for len(b) > 0 {
		switch {
		case quoted:
			i := bytes.IndexByte(b, '"')
			if i < 0 {
				return true
			}
			if b = b[i+1:]; len(b) > 0 && b[0] == '"' {
				b = b[1:]
			} else {
				quoted = false
			}
		case begins && b[0] == '"':
			quoted, begins = true, false
			b = b[1:]
		default:
			i := bytes.IndexByte(b, comma)
			if i < 0 {
				return false
			}
			b, begins = b[i+1:], true
		}
	}
	return quoted
}

// BytesRead implements Source.
func (c *CSV) BytesRead() int64 { return bytesRead(c.in) }

// Close implements Source.
func (c *CSV) Close() error { return closeInput(c.in) }
