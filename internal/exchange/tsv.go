package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/schema"
)

// TSV reads lines of columns separated by tabs: an id, and whatever follows the first
// tab as text, further tabs with it. It skips empty lines.
type TSV struct {
	lines *lines
	in    input
	made  *madeIDs // nil: ids are read
	cols  *columns // nil: the id and the rest
	taker *taker   // nil: documents are without fields
}

// columns are the columns of a document.
type columns struct {
	id   int // from 0; -1: made up
	text []int
	cut  [][]byte
	buf  []byte
}

// NewTSV reads from r; file is its name in errors.
func NewTSV(file string, r io.Reader) *TSV {
	return &TSV{lines: newLines(file, r), in: asInput(r)}
}

// setFields names the columns to read, by their numbers.
func (t *TSV) setFields(f Fields) (err error) {
	if f.ID == "" && len(f.Contents) == 0 {
		return nil
	}
	c := &columns{id: 0}
	if t.made != nil {
		c.id = -1
	}
	number := func(name string) int {
		n, nerr := strconv.Atoi(name)
		if nerr != nil || n < 1 {
			err = fmt.Errorf("%s: columns of TSV are numbers from 1, not %q", t.lines.file, name)
		}
		return n - 1
	}
	if f.ID != "" {
		c.id = number(f.ID)
	}
	for _, name := range f.Contents {
		c.text = append(c.text, number(name))
	}
	t.cols = c
	return err
}

// Next implements Source.
func (t *TSV) Next() (Document, error) {
	for {
		b, err := t.lines.next()
		if err != nil {
			return Document{}, err
		}
		if b = bytes.TrimSuffix(b, []byte("\r")); len(b) == 0 {
			continue
		}
		d, err := t.document(b)
		if err == nil {
			err = checkID(d.ID)
		}
		if err != nil {
			return Document{}, &Error{File: t.lines.file, Line: t.lines.line, Offset: -1, Recoverable: true, Err: err}
		}
		return d, nil
	}
}

// nextValues implements fieldSource.
func (t *TSV) nextValues() (id []byte, values []schema.Value, err error) {
	for {
		b, err := t.lines.next()
		if err != nil {
			return nil, nil, err
		}
		if b = bytes.TrimSuffix(b, []byte("\r")); len(b) == 0 {
			continue
		}
		id, values, err := t.take(b)
		if err != nil {
			return nil, nil, &Error{File: t.lines.file, Line: t.lines.line, Offset: -1, Recoverable: true, Err: err}
		}
		return id, values, nil
	}
}

// take returns the id and the values of a line.
func (t *TSV) take(b []byte) (id []byte, values []schema.Value, err error) {
	t.taker.begin()
	more := true
	for n := 1; more; n++ {
		var cell []byte
		cell, b, more = bytes.Cut(b, []byte("\t"))
		if err := t.taker.cell(columnName(n), cell); err != nil {
			return nil, nil, err
		}
	}
	id, values, err = t.taker.end()
	if err == nil {
		if t.made != nil {
			id = t.made.id(t.lines.line)
		}
		err = checkID(id)
	}
	return id, values, err
}

// columnNames are the names of the first columns of TSV.
var columnNames = func() (names [64][]byte) {
	for i := range names {
		names[i] = strconv.AppendInt(nil, int64(i), 10)
	}
	return names
}()

func columnName(n int) []byte {
	if n < len(columnNames) {
		return columnNames[n]
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

func (t *TSV) ignoredFields() ignored {
	if t.taker == nil {
		return nil
	}
	return t.taker.ignored
}

// takeFields implements fieldSource. Columns have numbers.
func (t *TSV) takeFields(f Fields, s *schema.Schema) (err error) {
	if t.taker, err = f.taker(s, t.made != nil, "1"); err != nil {
		return err
	}
	keys := slices.Clone(t.taker.names)
	for _, k := range f.Keys {
		keys = append(keys, k.Key)
	}
	if len(f.Keys) == 0 {
		return fmt.Errorf("%s: columns of TSV are numbers; which of them go into which fields?", t.lines.file)
	}
	for _, key := range keys {
		if n, err := strconv.Atoi(key); err != nil || n < 1 || strconv.Itoa(n) != key {
			return fmt.Errorf("%s: columns of TSV are numbers from 1, not %q", t.lines.file, key)
		}
	}
	return nil
}

// document returns the document of a line.
func (t *TSV) document(b []byte) (d Document, err error) {
	switch {
	case t.cols != nil:
		d, err = t.cols.document(b)
	case t.made != nil:
		d.Contents = b
	default:
		var ok bool
		if d.ID, d.Contents, ok = bytes.Cut(b, []byte("\t")); !ok {
			return d, errors.New("no tab between id and text")
		}
	}
	if t.made != nil {
		d.ID = t.made.id(t.lines.line)
	}
	return d, err
}

// document returns the document of a line. Its text are all columns but the id if none
// are named.
func (c *columns) document(b []byte) (d Document, err error) {
	c.cut, c.buf = c.cut[:0], c.buf[:0]
	for more := true; more; {
		var col []byte
		col, b, more = bytes.Cut(b, []byte("\t"))
		c.cut = append(c.cut, col)
	}
	take := func(col int) {
		if col >= len(c.cut) {
			err = fmt.Errorf("a line of %d columns, column %d is wanted", len(c.cut), col+1)
			return
		}
		if len(c.cut[col]) > 0 && len(c.buf) > 0 {
			c.buf = append(c.buf, '\n')
		}
		c.buf = append(c.buf, c.cut[col]...)
	}
	for _, col := range c.text {
		take(col)
	}
	for col := 0; len(c.text) == 0 && col < len(c.cut); col++ {
		if col != c.id {
			take(col)
		}
	}
	switch {
	case c.id >= len(c.cut):
		err = fmt.Errorf("a line of %d columns, column %d is wanted", len(c.cut), c.id+1)
	case c.id >= 0:
		d.ID = c.cut[c.id]
	}
	d.Contents = c.buf
	return d, err
}

// BytesRead implements Source.
func (t *TSV) BytesRead() int64 { return bytesRead(t.in) }

// Close implements Source.
func (t *TSV) Close() error { return closeInput(t.in) }
