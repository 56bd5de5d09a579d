package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table prints rows of cells in aligned columns, with the width of East Asian
// characters counted as terminals show them. On a terminal that is too narrow, heads are
// broken at spaces, then cells of text are shortened, and last lines are cut.
type Table struct {
	heads table.Row
	align []table.ColumnConfig
	rows  []table.Row
	out   io.Writer // what Limit got
}

// NewTable returns a table with the given column heads. A head that begins with
// ">" aligns its column to the right.
func NewTable(heads ...string) *Table {
	t := &Table{}
	for i, h := range heads {
		name, right := strings.CutPrefix(h, ">")
		t.heads = append(t.heads, name)
		c := table.ColumnConfig{Number: i + 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft, VAlignHeader: text.VAlignBottom}
		if right {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		t.align = append(t.align, c)
	}
	return t
}

// Row adds a row. Integers are printed in groups of three digits, other values as by
// fmt.Sprint.
func (t *Table) Row(cells ...any) {
	row := make(table.Row, len(cells))
	for i, c := range cells {
		row[i] = Printable(cell(c))
	}
	t.rows = append(t.rows, row)
}

// Limit fits the table to the width of out, if that is a terminal: for a table that is
// written to memory first.
func (t *Table) Limit(out io.Writer) { t.out = out }

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

func cell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return Count(v)
	case int64:
		return Count(v)
	case uint32:
		return Count(v)
	case uint64:
		return Count(v)
	}
	return fmt.Sprint(v)
}

// WriteTo writes the heads, unless all are empty, and the rows.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	out := t.out
	if out == nil {
		out = w
	}
	heads, rows, width := t.heads, t.rows, terminalWidth(out)
	short := false
	if width > 0 {
		heads, rows, short = t.fit(width)
	}
	r := table.NewWriter()
	r.SetStyle(table.Style{
		Box:     table.BoxStyle{MiddleVertical: "  "},
		Options: table.Options{SeparateColumns: true},
	})
	r.SetColumnConfigs(t.align)
	r.SuppressTrailingSpaces()
	if slices.ContainsFunc(heads, func(h any) bool { return h != "" }) {
		r.AppendHeader(heads)
	}
	r.AppendRows(rows)
	lines := r.Render()
	if lines != "" {
		lines += "\n"
	}
	if width > 0 {
		whole := lines
		if lines = cut(whole, width); short || lines != whole {
			noteCut(out)
		}
	}
	n, err := io.WriteString(w, lines)
	return int64(n), err
}

// cut shortens each line to width columns. The table writer's own limit would mark
// lines of which it cuts nothing but padding.
func cut(lines string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(text.Snip(strings.TrimSuffix(line, "\n"), width, "…"))
		b.WriteByte('\n')
	}
	return b.String()
}

// JSON writes v as indented JSON.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Count prints an integer in groups of three digits.
func Count[T ~int | ~int64 | ~uint32 | ~uint64 | ~int32](n T) string {
	var digits, out [32]byte
	d := strconv.AppendUint(digits[:0], magnitude(n), 10)
	o := out[:0]
	if n < 0 {
		o = append(o, '-')
	}
	for i, c := range d {
		if i > 0 && (len(d)-i)%3 == 0 {
			o = append(o, ',')
		}
		o = append(o, c)
	}
	return string(o)
}

// Number prints a count with the name of what is counted: 1 segment, 2,000 segments, 3
// queries.
func Number[T ~int | ~int64 | ~uint32 | ~uint64 | ~int32](n T, name string) string {
	if n == 1 {
		return "1 " + name
	}
	if stem, ok := strings.CutSuffix(name, "y"); ok {
		return Count(n) + " " + stem + "ies"
	}
	if strings.HasSuffix(name, "ch") {
		return Count(n) + " " + name + "es"
	}
	return Count(n) + " " + name + "s"
}

// NumberOf is Number for templates, whose functions take an integer of any type.
func NumberOf(n any, name string) string {
	v := reflect.ValueOf(n)
	if v.CanUint() {
		return Number(v.Uint(), name)
	}
	return Number(v.Int(), name)
}

// CountOf is Count for templates.
func CountOf(n any) string {
	v := reflect.ValueOf(n)
	if v.CanUint() {
		return Count(v.Uint())
	}
	return Count(v.Int())
}

func magnitude[T ~int | ~int64 | ~uint32 | ~uint64 | ~int32](n T) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Bytes prints a size with a binary unit: 1.5 MiB.
func Bytes[T ~int | ~int64 | ~uint64](n T) string {
	v, units := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; v >= 1024 && i < len(units)-1; i++ {
		v /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return Float(v, 3) + " " + units[i]
}

// Float prints v with the given number of significant digits and without an exponent.
func Float(v float64, digits int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', max(decimals, 0), 64)
}

// Rate prints n per second with a decimal unit: 12.3 M.
func Rate(n float64, d time.Duration) string {
	v, units := n/max(d.Seconds(), 1e-9), []string{"", " k", " M", " G", " T"}
	i := 0
	for ; v >= 1000 && i < len(units)-1; i++ {
		v /= 1000
	}
	return Float(v, 3) + units[i]
}

// Seconds prints a duration with three significant digits.
func Seconds(d time.Duration) string {
	switch {
	case d >= time.Second:
		return Float(d.Seconds(), 3) + " s"
	case d >= time.Millisecond:
		return Float(d.Seconds()*1e3, 3) + " ms"
	}
	return Float(d.Seconds()*1e6, 3) + " us"
}

// Percent prints part of whole in percent.
func Percent[T ~int | ~int64 | ~uint64](part, whole T) string {
	if whole == 0 {
		return "-"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + " %"
}
