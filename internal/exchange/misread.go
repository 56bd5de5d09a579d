package exchange

import (
	"fmt"
	"unicode/utf8"

	"github.com/pinion-index/pinion/schema"
)

// misread counts texts that are not in the encoding in which they are read.
type misread struct {
	docs, lost         uint64
	firstDoc, firstOff *Error
}

// NotUTF8 returns how many of the documents so far have text that is not UTF-8, and the place and id of the first, which is nil if
// there is none. The bytes of such text are kept, but no query finds the words that have them.
func (d *Documents) NotUTF8() (n uint64, first *Error) { return d.misread.docs, d.misread.firstDoc }

// Undecoded returns how many characters could not be decoded from the encoding that their file declares, or Options.Encoding, in
// the files that were read to the end, and the place of the first, which is nil if there is none. They are U+FFFD.
func (d *Documents) Undecoded() (n uint64, first *Error) { return d.misread.lost, d.misread.firstOff }

// suspect reports whether the documents of the current source may have text that is not UTF-8.
func (d *Documents) suspect() bool { return d.stream == nil || d.stream.invalid }

// validValues reports whether all texts are UTF-8.
func validValues(values []schema.Value) bool {
	for _, v := range values {
		if (v.Kind == schema.Text || v.Kind == schema.Keyword) && !utf8.Valid(v.Bytes()) {
			return false
		}
	}
	return true
}

// placed is a Source that knows where its last document begins.
type placed interface {
	place() (file string, line int64)
}

// document counts the last document of a source.
func (m *misread) document(src Source, id []byte) {
	if m.docs++; m.firstDoc == nil {
		file, line := src.(placed).place()
		m.firstDoc = &Error{File: file, Line: line, Offset: -1, Msg: fmt.Sprintf("document %.80q", id)}
	}
}

// end counts what was lost of a source that has been read from a stream.
func (m *misread) end(src Source, s *stream) {
	if s == nil {
		return
	}
	n, line := s.lost.Count()
	m.off(s.name, uint64(n), line, s.encoding.String())
	if t, ok := src.(*TREC); ok {
		m.off(s.name, t.lost, t.lostLine, "the encoding of its page")
	}
}

// off counts n characters that are not in an encoding.
func (m *misread) off(file string, n uint64, line int64, encoding string) {
	if m.lost += n; n > 0 && m.firstOff == nil {
		m.firstOff = &Error{File: file, Line: line, Offset: -1, Msg: "not in " + encoding}
	}
}

func (j *JSONL) place() (file string, line int64) { return j.lines.file, j.line() }
func (c *CSV) place() (file string, line int64)   { return c.lines.file, c.line }
func (t *TSV) place() (file string, line int64)   { return t.lines.file, t.lines.line }
func (t *TREC) place() (file string, line int64)  { return t.lines.file, t.line }
func (p *Plain) place() (file string, line int64) { return p.lines.file, p.lines.line }
func (w *whole) place() (file string, line int64) { return w.file, 0 }
