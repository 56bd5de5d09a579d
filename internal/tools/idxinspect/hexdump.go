package idxinspect

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/dump"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// Dump is what `idxinspect hexdump` prints.
type Dump []DumpFile

// DumpFile holds the fields of one file.
type DumpFile struct {
	File   string  `json:"file"`
	Fields []Field `json:"fields"`
}

// Field is a run of bytes with a meaning. A field without bytes is a heading.
type Field struct {
	Offset   int64  `json:"offset"`
	Length   int64  `json:"length"`
	Hex      string `json:"hex"` // at most maxHex bytes
	Name     string `json:"field"`
	Value    string `json:"value"`
	Checksum string `json:"checksum"` // which one covers the bytes
}

// maxHex is the number of bytes of a field that are shown in hex.
const maxHex = 64

func hexdumpCommand() *cobra.Command {
	var term string
	var sections []string
	var limit int
	cmd := command("hexdump INDEX|FILE", "Show the bytes of a file and what they mean",
		`Every field is shown with its offset, bytes, name and value, and the checksum that
covers it. FILE is a segment, manifest or deletes file. For an INDEX, the newest
manifest is shown, or with --section or --term the segments.`,
		`  idxinspect hexdump kjv.idx/segment-000000000001.pin
  idxinspect hexdump --section meta kjv.idx
  idxinspect hexdump --term shepherd --fields 0 kjv.idx`,
		[]string{"INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			for _, s := range sections {
				if !slices.Contains(sectionNames(), s) {
					return nil, cli.Usage("no section %q; there are %s%s", s, strings.Join(sectionNames(), ", "), cli.DidYouMean(s, sectionNames()))
				}
			}
			if term != "" && sections != nil {
				return nil, cli.Usage("--term and --section exclude each other")
			}
			o := dumpOptions{term: term, sections: sections, limit: limit}
			files, err := dumpFiles(args[0], o)
			if err != nil {
				return nil, err
			}
			return dumpAll(files, o)
		})
	cmd.Flags().StringVar(&term, "term", "", "only the dictionary block and the list of `TERM`")
	cmd.Flags().StringSliceVar(&sections, "section", nil, "only these sections, as `NAME,...`")
	// The errors mean that a flag has a function already.
	_ = cmd.RegisterFlagCompletionFunc("term", completeTerm)
	cli.CompleteList(cmd, "section", sectionNames())
	cli.Int(cmd.Flags(), &limit, "fields", 40, 0, cli.Any, "at most `N` fields of each section, 0 for all")
	return cmd
}

type dumpOptions struct {
	term     string
	sections []string
	limit    int
}

// sectionNames returns the names of all sections.
func sectionNames() []string {
	var names []string
	for row := range format.Sections() {
		names = append(names, row.Name)
	}
	return names
}

// dumpFiles returns the files to show for path.
func dumpFiles(path string, o dumpOptions) ([]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	if !st.IsDir() {
		return []string{path}, nil
	}
	d, err := indexdir.Open(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer d.Close()
	g, err := d.Generation()
	if err != nil {
		return nil, cli.Opening(err)
	}
	if g > 0 && o.term == "" && o.sections == nil {
		name := filepath.Join(path, indexdir.ManifestName(g))
		if _, err := os.Stat(name); err != nil {
			name = filepath.Join(path, indexdir.MirrorName(g))
		}
		return []string{name}, nil
	}
	c, err := d.Latest()
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer c.Release()
	if err := cli.Committed(path, c.Manifest); err != nil {
		return nil, err
	}
	var files []string
	for _, s := range c.Segments {
		files = append(files, filepath.Join(path, indexdir.SegmentName(s.File)))
	}
	return files, nil
}

// dumpAll shows as much of the files as it can read. The error says what is wrong
// with them.
func dumpAll(files []string, o dumpOptions) (report, error) {
	out := Dump{}
	found := false
	var first error
	for _, f := range files {
		fields, err := dumpFile(f, o)
		if errors.Is(err, dump.ErrNoTerm) {
			continue
		}
		found = true
		if fields != nil {
			out = append(out, DumpFile{f, fields})
		}
		if err != nil && first == nil {
			first = err
		}
	}
	if !found {
		return nil, fmt.Errorf("no term %s", cli.Quote(o.term))
	}
	return out, first
}

// dumpFile returns the fields of one file, nil if it is not a file of an index.
func dumpFile(path string, o dumpOptions) (fields []Field, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	data, err := inspect.OpenFile(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer data.Close()
	var dumped []dump.Field
	if o.term != "" {
		dumped, err = dump.Term(path, data, []byte(o.term), o.limit)
		if errors.Is(err, dump.ErrNotSegment) {
			return nil, cli.Usage("--term: %v", err)
		}
	} else {
		dumped, err = dump.File(path, data, dump.Options{Sections: o.ids(), Limit: o.limit})
	}
	for _, f := range dumped {
		if f.Name == dump.More {
			f.Value += ": see --fields"
		}
		shown := f.Bytes[:min(len(f.Bytes), maxHex)]
		fields = append(fields, Field{f.Offset, f.Length, hex.EncodeToString(shown), f.Name, f.Value, f.Cover})
	}
	return fields, err
}

// ids returns the sections of --section, nil for all.
func (o dumpOptions) ids() []format.SectionID {
	var ids []format.SectionID
	for row := range format.Sections() {
		if slices.Contains(o.sections, row.Name) {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// columns are the columns of a dump.
type columns struct {
	offset, bytes, field, value, cover int
	perLine                            int // bytes in a line
	wrap                               bool
}

// wideLine is the widest of lines that are not wrapped, with offsets of 8 digits.
const wideLine = 142

// columnsFor returns the columns of a dump for a terminal of that width, 0 for no limit.
// Where there is room for less than all of them, cells are wrapped.
func columnsFor(offset, width int) columns {
	c := columns{offset: offset, bytes: 45, field: 22, value: 40, cover: 22, perLine: 12}
	if width == 0 || width >= wideLine+offset-8 {
		return c
	}
	c.wrap = true
	switch {
	case width >= 110:
		c.perLine = 8
	case width >= 72:
		c.perLine = 4
	default:
		c.perLine = 2
	}
	c.bytes, c.cover = 3*c.perLine+8, 13
	room := max(width-offset-2-c.bytes-1-c.cover-2, 16)
	c.field = room * 2 / 5
	c.value = room - c.field
	return c
}

func (d Dump) Text(w io.Writer) {
	for i, f := range d {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, f.File)
		c := columnsFor(f.offsetWidth(), cli.Width(w))
		c.row(w, "offset", "bytes", "field", "value", "covered by checksum of")
		for _, e := range f.Fields {
			e.text(w, c)
		}
	}
}

// offsetWidth returns the number of digits of offsets: 8, or more past 4 GiB.
func (f *DumpFile) offsetWidth() int {
	width := 8
	for _, e := range f.Fields {
		width = max(width, len(strconv.FormatInt(e.Offset, 16)))
	}
	return width
}

func (f *Field) text(w io.Writer, c columns) {
	if f.Length == 0 {
		fmt.Fprintf(w, "\n%s\n", f.Name)
		return
	}
	raw, _ := hex.DecodeString(f.Hex)
	line := raw[:min(len(raw), c.perLine)]
	text := fmt.Sprintf("% x", line)
	if f.Length > int64(len(line)) {
		text += fmt.Sprintf(" .. +%d", f.Length-int64(len(line)))
	}
	c.row(w, fmt.Sprintf("%0*x", c.offset, f.Offset), text, f.Name, f.Value, f.Checksum)
}

// row prints a row of cells, in several lines where cells are wrapped.
func (c columns) row(w io.Writer, offset string, cells ...string) {
	widths := []int{c.bytes, c.field, c.value, c.cover}
	parts := make([][]string, len(cells))
	lines := 1
	for i, cell := range cells {
		parts[i] = []string{cell}
		if c.wrap {
			parts[i] = cli.Lines(cell, widths[i])
		}
		lines = max(lines, len(parts[i]))
	}
	for n := range lines {
		s := fmt.Sprintf("%-*s ", c.offset, offset)
		offset = ""
		for i := range parts {
			part := ""
			if n < len(parts[i]) {
				part = parts[i][n]
			}
			s += " " + cli.Pad(part, widths[i])
		}
		fmt.Fprintln(w, strings.TrimRight(s, " "))
	}
}
