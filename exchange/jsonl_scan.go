package exchange

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/writer"
)

// scanner decodes ordinary lines. It reuses its memory for the next line.
type scanner struct {
	dec jsontext.Decoder
	in  bytes.Buffer
	buf []byte // unescaped strings
}

// scan decodes {"id": "...", "contents": "..."}, with the fields in either order.
// It returns false for everything else. The document refers to line and to the
// scanner's memory.
func (s *scanner) scan(line []byte) (writer.Document, bool) {
	s.in = *bytes.NewBuffer(line)
	s.dec.Reset(&s.in, jsontext.AllowDuplicateNames(true))
	if t, err := s.dec.ReadToken(); err != nil || t.Kind() != '{' {
		return writer.Document{}, false
	}
	var f [2][]byte
	s.buf = s.buf[:0]
	for s.dec.PeekKind() == '"' {
		name, err := s.dec.ReadValue()
		if err != nil {
			return writer.Document{}, false
		}
		which := 0
		switch string(name) {
		case `"id"`:
		case `"contents"`:
			which = 1
		default:
			return writer.Document{}, false
		}
		v, err := s.dec.ReadValue()
		if err != nil || v.Kind() != '"' || f[which] != nil {
			return writer.Document{}, false
		}
		if bytes.IndexByte(v, '\\') < 0 {
			f[which] = v[1 : len(v)-1 : len(v)-1]
			continue
		}
		start := len(s.buf)
		if s.buf, err = jsontext.AppendUnquote(s.buf, v); err != nil {
			return writer.Document{}, false
		}
		f[which] = s.buf[start:len(s.buf):len(s.buf)]
	}
	if _, err := s.dec.ReadToken(); err != nil || f[0] == nil || f[1] == nil {
		return writer.Document{}, false
	}
	if _, err := s.dec.ReadToken(); err != io.EOF {
		return writer.Document{}, false
	}
	return writer.Document{ID: f[0], Contents: f[1]}, true
}
