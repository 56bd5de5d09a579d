package exchange

import (
	"bytes"
	"io"

	"github.com/pinion-index/pinion/writer"
)

// TSV reads lines of an id, a tab and text. Further tabs belong to the text. It
// skips empty lines.
type TSV struct {
	lines *lines
	in    input
}

// NewTSV reads from r; file is its name in errors.
func NewTSV(file string, r io.Reader) *TSV {
	return &TSV{lines: newLines(file, r), in: asInput(r)}
}

// Next implements Source.
func (t *TSV) Next() (writer.Document, error) {
	for {
		b, err := t.lines.next()
		if err != nil {
			return writer.Document{}, err
		}
		if b = bytes.TrimSuffix(b, []byte("\r")); len(b) == 0 {
			continue
		}
		id, text, ok := bytes.Cut(b, []byte("\t"))
		if !ok {
			return writer.Document{}, t.bad("no tab between id and text")
		}
		if err := checkID(id); err != nil {
			return writer.Document{}, t.bad(err.Error())
		}
		return writer.Document{ID: id, Contents: text}, nil
	}
}

func (t *TSV) bad(msg string) error {
	return &Error{File: t.lines.file, Line: t.lines.line, Offset: -1, Recoverable: true, Msg: msg}
}

// BytesRead implements Source.
func (t *TSV) BytesRead() int64 { return t.in.BytesRead() }

// Close implements Source.
func (t *TSV) Close() error { return t.in.Close() }
