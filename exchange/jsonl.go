package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/pinion-index/pinion/writer"
)

// JSONL reads one JSON object per line with exactly the string fields id and
// contents, in either order. It skips blank lines. Field names are case-sensitive
// and must not repeat, and lines must be valid UTF-8.
type JSONL struct {
	lines   *lines
	in      input
	scanner scanner
}

// NewJSONL reads from r; file is its name in errors.
func NewJSONL(file string, r io.Reader) *JSONL {
	return &JSONL{lines: newLines(file, r), in: asInput(r)}
}

// Next implements Source.
func (j *JSONL) Next() (writer.Document, error) {
	for {
		b, err := j.lines.next()
		if err != nil {
			return writer.Document{}, err
		}
		d, ok := j.scanner.scan(b)
		if !ok {
			if len(bytes.Trim(b, " \t\r")) == 0 {
				continue
			}
			if d, err = decodeObject(b); err != nil {
				return writer.Document{}, j.bad(err.Error())
			}
		}
		if err := checkID(d.ID); err != nil {
			return writer.Document{}, j.bad(err.Error())
		}
		return d, nil
	}
}

func (j *JSONL) bad(msg string) error {
	return &Error{File: j.lines.file, Line: j.lines.line, Offset: -1, Recoverable: true, Msg: msg}
}

// BytesRead implements Source.
func (j *JSONL) BytesRead() int64 { return j.in.BytesRead() }

// Close implements Source.
func (j *JSONL) Close() error { return j.in.Close() }

// decodeObject decodes a line with encoding/json. It decides whenever the scanner
// gives up, and returns the document or the reason why there is none.
func decodeObject(line []byte) (writer.Document, error) {
	if !utf8.Valid(line) {
		return writer.Document{}, fmt.Errorf("invalid UTF-8 at byte %d of the line", invalidUTF8(line)+1)
	}
	var whole json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return writer.Document{}, jsonFailure(line, err)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return writer.Document{}, errors.New("a JSON object is wanted")
	}
	var d writer.Document
	var seen [2]bool
	for dec.More() {
		if err := decodeField(dec, &d, &seen); err != nil {
			return writer.Document{}, err
		}
	}
	for i, name := range fieldNames {
		if !seen[i] {
			return writer.Document{}, fmt.Errorf("field %q is missing", name)
		}
	}
	return d, nil
}

var fieldNames = [2]string{"id", "contents"}

// decodeField decodes one field into d.
func decodeField(dec *json.Decoder, d *writer.Document, seen *[2]bool) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	name, _ := t.(string) // the decoder accepts only strings here
	which := -1
	for i := range fieldNames {
		if name == fieldNames[i] {
			which = i
		}
	}
	switch {
	case which < 0:
		return fmt.Errorf("unknown field %q", name)
	case seen[which]:
		return fmt.Errorf("field %q comes twice", name)
	}
	seen[which] = true
	if t, err = dec.Token(); err != nil {
		return err
	}
	s, ok := t.(string)
	if !ok {
		return fmt.Errorf("field %q is not a string", name)
	}
	if which == 0 {
		d.ID = []byte(s)
	} else {
		d.Contents = []byte(s)
	}
	return nil
}

// jsonFailure describes err, which encoding/json returned for line.
func jsonFailure(line []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("broken JSON: %w", err)
	}
	if syntax.Error() == "unexpected end of JSON input" {
		return errors.New("broken JSON: the line ends inside the object")
	}
	return fmt.Errorf("broken JSON at byte %d of the line: %w", syntax.Offset, err)
}

// invalidUTF8 returns the index of the first byte that is not valid UTF-8.
func invalidUTF8(b []byte) int {
	i := 0
	for i < len(b) {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return i
}
