package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

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
	w     *bufio.Writer // which keeps its first error
	e     *json.Encoder // to value
	value bytes.Buffer
	begun bool // the object has a member
	n     int  // elements of the current array
}

// The indentation of members, and of elements of arrays.
const memberIndent, elementIndent = "  ", "    "

// NewJSONWriter begins an object on w.
func NewJSONWriter(w io.Writer) (*JSONWriter, error) {
	j := &JSONWriter{w: bufio.NewWriterSize(w, 1<<16)}
	j.e = json.NewEncoder(&j.value)
	j.e.SetEscapeHTML(false)
	return j, j.write("{")
}

func (j *JSONWriter) write(s string) error {
	_, err := j.w.WriteString(s)
	return err
}

// begin begins a line, after a comma if there are lines like it before.
func (j *JSONWriter) begin(again bool, indent string) {
	if again {
		_ = j.write(",")
	}
	_ = j.write("\n")
	_ = j.write(indent)
}

// encode writes a value, whose further lines are indented.
func (j *JSONWriter) encode(value any, indent string) error {
	j.value.Reset()
	if err := j.e.Encode(value); err != nil {
		return err
	}
	_, err := j.w.Write(appendIndented(j.w.AvailableBuffer(), bytes.TrimSuffix(j.value.Bytes(), []byte("\n")), indent))
	return err
}

// appendIndented appends JSON without blanks, which is known to be valid, with line breaks as by json.Indent.
func appendIndented(dst, src []byte, indent string) []byte {
	depth := 0
	newline := func() {
		dst = append(append(dst, '\n'), indent...)
		for range depth {
			dst = append(dst, "  "...)
		}
	}
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			end := i + 1
			for ; src[end] != '"'; end++ {
				if src[end] == '\\' {
					end++
				}
			}
			dst = append(dst, src[i:end+1]...)
			i = end
		case ',':
			dst = append(dst, c)
			newline()
		case ':':
			dst = append(dst, ": "...)
		case '[', '{':
			dst = append(dst, c)
			if next := src[i+1]; next == ']' || next == '}' {
				dst = append(dst, next)
				i++
				continue
			}
			depth++
			newline()
		case ']', '}':
			depth--
			newline()
			dst = append(dst, c)
		default: // a number, true, false or null
			end := i + 1
			for end < len(src) && src[end] != ',' && src[end] != ']' && src[end] != '}' {
				end++
			}
			dst = append(dst, src[i:end]...)
			i = end - 1
		}
	}
	return dst
}

// name begins a member of the object.
func (j *JSONWriter) name(name string) error {
	j.begin(j.begun, memberIndent)
	j.begun = true
	if err := j.encode(name, ""); err != nil {
		return err
	}
	return j.write(": ")
}

// Member writes a member of the object.
func (j *JSONWriter) Member(name string, value any) error {
	if err := j.name(name); err != nil {
		return err
	}
	return j.encode(value, memberIndent)
}

// Array begins a member that is an array; elements follow, until EndArray.
func (j *JSONWriter) Array(name string) error {
	j.n = 0
	if err := j.name(name); err != nil {
		return err
	}
	return j.write("[")
}

// Element writes an element of an array.
func (j *JSONWriter) Element(value any) error {
	j.begin(j.n > 0, elementIndent)
	if err := j.encode(value, elementIndent); err != nil {
		return err
	}
	if j.n++; j.n == firstRows { // to be seen at once
		return j.w.Flush()
	}
	return nil
}

// EndArray ends the array.
func (j *JSONWriter) EndArray() error {
	if j.n > 0 {
		_ = j.write("\n" + memberIndent)
	}
	return j.write("]")
}

// Close ends the object and writes what is left.
func (j *JSONWriter) Close() error {
	if j.begun {
		_ = j.write("\n")
	}
	_ = j.write("}\n")
	return j.w.Flush()
}
