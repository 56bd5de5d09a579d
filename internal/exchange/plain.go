package exchange

import (
	"bytes"
	"io"
	"strconv"
)

// madeIDs are ids for documents that have none: the path of the file, a colon, and the
// number of the line on which the document begins.
type madeIDs struct {
	path string
	buf  []byte
}

// id returns the id of the document that begins at line. It is valid until the next call.
func (m *madeIDs) id(line int64) []byte {
	m.buf = append(append(m.buf[:0], m.path...), ':')
	m.buf = strconv.AppendInt(m.buf, line, 10)
	return m.buf
}

// Plain reads lines of text, each as a document. It skips blank lines.
type Plain struct {
	lines *lines
	in    input
	made  *madeIDs
}

// NewPlain reads from r; file is its name in errors and ids, which are FILE:LINE.
func NewPlain(file string, r io.Reader) *Plain {
	return &Plain{newLines(file, r), asInput(r), &madeIDs{path: file}}
}

// Next implements Source.
func (p *Plain) Next() (Document, error) {
	for {
		b, err := p.lines.next()
		if err != nil {
			return Document{}, err
		}
		if len(bytes.TrimSpace(b)) == 0 {
			continue
		}
		id := p.made.id(p.lines.line)
		if err := checkID(id); err != nil {
			return Document{}, &Error{File: p.lines.file, Line: p.lines.line, Offset: -1, Recoverable: true, Err: err}
		}
		return Document{ID: id, Contents: bytes.TrimSuffix(b, []byte("\r"))}, nil
	}
}

// BytesRead implements Source.
func (p *Plain) BytesRead() int64 { return bytesRead(p.in) }

// Close implements Source.
func (p *Plain) Close() error { return closeInput(p.in) }
