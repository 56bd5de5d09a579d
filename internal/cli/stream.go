package cli

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/text"
)

// RowWriter writes a table whose rows are not all in memory. The first rows decide how
// wide the columns are; they are written as soon as there are enough of them, and further
// rows as they come. A wider cell moves the rest of its row to the right.
type RowWriter struct {
	w      *bufio.Writer
	heads  []string
	right  []bool
	widths []int
	first  [][]string // rows so far; nil once widths are fixed
	line   []byte
	limit  int // columns of the terminal, 0 if w is none
}

// firstRows is how many rows decide the widths.
const firstRows = 64

// NewRowWriter returns a writer of a table to w. Heads are as for NewTable.
func NewRowWriter(w io.Writer, heads ...string) *RowWriter {
	t := &RowWriter{w: bufio.NewWriterSize(w, 1<<16), first: [][]string{}, limit: terminalWidth(w)}
	for _, h := range heads {
		name, right := strings.CutPrefix(h, ">")
		t.heads = append(t.heads, name)
		t.right = append(t.right, right)
		t.widths = append(t.widths, text.StringWidthWithoutEscSequences(name))
	}
	return t
}

// Row writes a row of as many cells as there are heads, after which cells may change. The
// error is that of writing.
func (t *RowWriter) Row(cells ...string) error {
	if t.first == nil {
		return t.write(cells)
	}
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = strings.Clone(c)
		t.widths[i] = max(t.widths[i], textWidth(Printable(c)))
	}
	if t.first = append(t.first, row); len(t.first) < firstRows {
		return nil
	}
	if err := t.start(); err != nil {
		return err
	}
	return t.w.Flush()
}

// start writes the heads and the first rows.
func (t *RowWriter) start() error {
	rows := t.first
	t.first = nil
	if err := t.write(t.heads); err != nil {
		return err
	}
	for _, r := range rows {
		if err := t.write(r); err != nil {
			return err
		}
	}
	return nil
}

func (t *RowWriter) write(cells []string) error {
	line := t.line[:0]
	pad := 0 // spaces before the next cell
	for i, c := range cells {
		c = Printable(c)
		room := max(0, t.widths[i]-textWidth(c))
		if t.right[i] {
			pad, room = pad+room, 0
		}
		if c != "" {
			line = append(spaces(line, pad), c...)
			pad = 0
		}
		pad += room + 2
	}
	t.line = append(line, '\n')
	if t.limit > 0 {
		_, err := t.w.WriteString(cut(string(t.line), t.limit))
		return err
	}
	_, err := t.w.Write(t.line)
	return err
}

func spaces(line []byte, n int) []byte {
	const blank = "                                "
	for ; n > len(blank); n -= len(blank) {
		line = append(line, blank...)
	}
	return append(line, blank[:n]...)
}

// Pad returns s with spaces up to width columns.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-textWidth(s)))
}

// textWidth returns the columns that s takes on a terminal.
func textWidth(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i + text.StringWidthWithoutEscSequences(s[i:])
		}
	}
	return len(s)
}

// Flush writes what is left of the table.
func (t *RowWriter) Flush() error {
	if t.first != nil {
		if err := t.start(); err != nil {
			return err
		}
	}
	return t.w.Flush()
}

// JSONWriter writes a JSON object, indented as by JSON, whose arrays are not in memory.
type JSONWriter struct {
	w *bufio.Writer
	e *jsontext.Encoder
	n int // elements of the current array
}

// NewJSONWriter begins an object on w.
func NewJSONWriter(w io.Writer) (*JSONWriter, error) {
	b := bufio.NewWriterSize(w, 1<<16)
	j := &JSONWriter{w: b, e: jsontext.NewEncoder(b, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))}
	return j, j.e.WriteToken(jsontext.BeginObject)
}

// Member writes a member of the object.
func (j *JSONWriter) Member(name string, value any) error {
	if err := j.e.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return json.MarshalEncode(j.e, value)
}

// Array begins a member that is an array; elements follow, until EndArray.
func (j *JSONWriter) Array(name string) error {
	if err := j.e.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	j.n = 0
	return j.e.WriteToken(jsontext.BeginArray)
}

// Element writes an element of an array.
func (j *JSONWriter) Element(value any) error {
	if err := json.MarshalEncode(j.e, value); err != nil {
		return err
	}
	if j.n++; j.n == firstRows { // to be seen at once
		return j.w.Flush()
	}
	return nil
}

// EndArray ends the array.
func (j *JSONWriter) EndArray() error { return j.e.WriteToken(jsontext.EndArray) }

// Close ends the object and writes what is left.
func (j *JSONWriter) Close() error {
	if err := j.e.WriteToken(jsontext.EndObject); err != nil {
		return err
	}
	return j.w.Flush()
}

// MarshalJSONTo implements json.MarshalerTo, for JSONWriter.
func (t Text) MarshalJSONTo(e *jsontext.Encoder) error {
	if !utf8.ValidString(string(t)) {
		b, err := t.MarshalJSON()
		if err != nil {
			return err
		}
		return e.WriteValue(jsontext.Value(bytes.TrimSpace(b)))
	}
	return e.WriteToken(jsontext.String(string(t)))
}
