package exchange

import (
	"bytes"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/writer"
)

// scanner decodes ordinary lines. It reuses its memory for the next line.
type scanner struct {
	dec   jsontext.Decoder
	in    bytes.Buffer
	buf   []byte // unescaped strings
	parts [][]byte
}

// scan decodes an object whose id and contents are strings, in any order, and counts the
// fields that are neither. It returns false for everything else. The document refers to
// line and to the scanner's memory.
func (s *scanner) scan(line []byte, f *Fields) (d writer.Document, ignored uint64, ok bool) {
	s.in = *bytes.NewBuffer(line)
	s.dec.Reset(&s.in, jsontext.AllowDuplicateNames(true))
	if t, err := s.dec.ReadToken(); err != nil || t.Kind() != '{' {
		return d, 0, false
	}
	if s.parts = s.parts[:0]; cap(s.parts) < 1+len(f.Contents) {
		s.parts = make([][]byte, 0, 1+len(f.Contents))
	}
	s.parts = s.parts[:1+len(f.Contents)]
	clear(s.parts)
	s.buf = s.buf[:0]
	for s.dec.PeekKind() == '"' {
		name, err := s.dec.ReadValue()
		if err != nil || bytes.IndexByte(name, '\\') >= 0 {
			return d, 0, false
		}
		which := f.find(name[1 : len(name)-1])
		if which < 0 {
			if s.dec.SkipValue() != nil {
				return d, 0, false
			}
			ignored++
			continue
		}
		v, err := s.dec.ReadValue()
		if err != nil || v.Kind() != '"' || s.parts[which] != nil {
			return d, 0, false
		}
		if s.parts[which], err = s.unquote(v); err != nil {
			return d, 0, false
		}
	}
	if _, err := s.dec.ReadToken(); err != nil || s.parts[0] == nil {
		return d, 0, false
	}
	if _, err := s.dec.ReadToken(); err != io.EOF {
		return d, 0, false
	}
	d.ID = s.parts[0]
	d.Contents, ok = s.join(s.parts[1:])
	return d, ignored, ok
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

// join joins the fields of the contents by line feeds. It returns false if one is missing.
func (s *scanner) join(parts [][]byte) ([]byte, bool) {
	if slices.ContainsFunc(parts, func(p []byte) bool { return p == nil }) {
		return nil, false
	}
	if len(parts) == 1 {
		return parts[0], true
	}
	start := len(s.buf)
	for i, p := range parts {
		if i > 0 {
			s.buf = append(s.buf, '\n')
		}
		s.buf = append(s.buf, p...)
	}
	return s.buf[start:], true
}
