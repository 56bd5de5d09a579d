package exchange

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner decodes ordinary lines. It reuses its memory for the next line.
type scanner struct {
	fields *fieldSet
	dec    jsontext.Decoder
	in     bytes.Buffer
	buf    []byte // unescaped strings
	parts  [][]byte
	unread [][]byte // names of the fields that the last document did not take
	chosen []int
}

// scan decodes an object whose id and text are strings, in any order. It returns false
// for everything else. The document and s.unread refer to line and to the scanner's
// memory.
func (s *scanner) scan(line []byte) (d Document, ok bool) {
	s.in = *bytes.NewBuffer(line)
	s.dec.Reset(&s.in, jsontext.AllowDuplicateNames(true))
	if t, err := s.dec.ReadToken(); err != nil || t.Kind() != '{' {
		return d, false
	}
	if s.parts == nil {
		s.parts = make([][]byte, len(s.fields.names))
	}
	clear(s.parts)
	s.buf, s.unread = s.buf[:0], s.unread[:0]
	for s.dec.PeekKind() == '"' {
		if !s.field() {
			return d, false
		}
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return d, false
	}
	if _, err := s.dec.ReadToken(); err != io.EOF {
		return d, false
	}
	id, text, err := s.fields.choose(s.chosen[:0], func(slot int) bool { return s.parts[slot] != nil })
	if err != nil {
		return d, false
	}
	s.chosen = text
	if id >= 0 {
		d.ID, s.parts[id] = s.parts[id], nil
	}
	d.Contents = s.join(text)
	for slot, p := range s.parts {
		if p != nil {
			s.unread = append(s.unread, []byte(s.fields.names[slot]))
		}
	}
	return d, true
}

// field reads one field.
func (s *scanner) field() bool {
	name, err := s.dec.ReadValue()
	if err != nil || bytes.IndexByte(name, '\\') >= 0 {
		return false
	}
	slot := s.fields.find(name[1 : len(name)-1])
	if slot < 0 {
		// The decoder overwrites nothing of the line: its input is one whole buffer.
		s.unread = append(s.unread, name[1:len(name)-1])
		return s.dec.SkipValue() == nil
	}
	v, err := s.dec.ReadValue()
	if err != nil || v.Kind() != '"' || s.parts[slot] != nil {
		return false
	}
	s.parts[slot], err = s.unquote(v)
	return err == nil
}

// unquote returns the string v without escapes.
func (s *scanner) unquote(v jsontext.Value) (text []byte, err error) {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1 : len(v)-1], nil
	}
	start := len(s.buf)
	s.buf, err = jsontext.AppendUnquote(s.buf, v)
	return s.buf[start:len(s.buf):len(s.buf)], err
}

// join joins parts by line feeds, but for empty ones, and removes them from s.parts.
func (s *scanner) join(slots []int) []byte {
	if len(slots) == 1 {
		p := s.parts[slots[0]]
		s.parts[slots[0]] = nil
		return p
	}
	start := len(s.buf)
	for _, slot := range slots {
		p := s.parts[slot]
		s.parts[slot] = nil
		if len(p) > 0 && len(s.buf) > start {
			s.buf = append(s.buf, '\n')
		}
		s.buf = append(s.buf, p...)
	}
	return s.buf[start:]
}
