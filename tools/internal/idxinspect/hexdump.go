package idxinspect

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// Dump is what `idxinspect hexdump` prints.
type Dump []DumpFile

// DumpFile are the fields of one file.
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

// maxHex is how many bytes of a field are given in hex.
const maxHex = 64

func hexdumpCommand() *cobra.Command {
	var term string
	var sections []string
	var limit int
	cmd := command("hexdump INDEX|FILE", "Show the bytes of a file and what they mean",
		`Every field is shown with its offset, bytes, name and value and the checksum that
covers it. FILE is a segment, manifest or deletes file. Of an INDEX, its newest
manifest is shown, or with --section or --term the segments.`,
		`  idxinspect hexdump kjv.idx/segment-000000000001.pin
  idxinspect hexdump --section meta kjv.idx
  idxinspect hexdump --term shepherd --fields 0 kjv.idx`,
		[]string{"INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			for _, s := range sections {
				if !slices.Contains(sectionNames(), s) {
					return nil, cli.Usage("no section %q; there are %s", s, strings.Join(sectionNames(), ", "))
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
	cmd.Flags().IntVar(&limit, "fields", 40, "at most `N` fields of each section, 0 for all")
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
	for id := format.SectionMeta; id <= format.SectionDeletes; id++ {
		names = append(names, id.String())
	}
	return names
}

// dumpFiles returns the files that path stands for.
func dumpFiles(path string, o dumpOptions) ([]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	if !st.IsDir() {
		return []string{path}, nil
	}
	d, err := store.Open(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer d.Close()
	g, err := d.Generation()
	if err != nil {
		return nil, cli.Opening(err)
	}
	if g > 0 && o.term == "" && o.sections == nil {
		return []string{filepath.Join(path, store.ManifestName(g))}, nil
	}
	c, err := d.Latest()
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer c.Release()
	var files []string
	for _, s := range c.Segments {
		files = append(files, filepath.Join(path, store.SegmentName(s.File)))
	}
	return files, nil
}

// dumpAll shows as much of the files as can be made out. The error says what is
// wrong with them.
func dumpAll(files []string, o dumpOptions) (report, error) {
	out := Dump{}
	found := false
	var first error
	for _, f := range files {
		d, err := dumpFile(f, o)
		if errors.Is(err, errNoTerm) {
			continue
		}
		found = true
		if d != nil {
			out = append(out, DumpFile{f, d.fields})
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

var errNoTerm = errors.New("no such term")

func dumpFile(path string, o dumpOptions) (d *dumper, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	data, err := openData(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer data.Close()
	b, err := data.Range(0, data.Size())
	if err != nil {
		return nil, err
	}
	d = &dumper{b: b, limit: o.limit}
	page, foot := b[:min(format.PageSize, len(b))], b[max(0, len(b)-format.FooterSize):]
	h, err := format.ParseHeader(path, int64(len(b)), page, foot)
	if errors.Is(err, format.ErrNotAnIndex) {
		return nil, err
	}
	if o.term == "" && o.sections == nil {
		d.header()
	}
	if err != nil {
		return d, err
	}
	var s *segment.Segment
	if h.Kind == format.KindSegment {
		if s, err = segment.Open(path, data); err != nil {
			return d, err
		}
	}
	if o.term != "" {
		if s == nil {
			return nil, cli.Usage("--term: %s is a %s file, not a segment", path, h.Kind)
		}
		return d, d.term(s, []byte(o.term))
	}
	for _, sec := range h.Sections {
		if o.sections != nil && !slices.Contains(o.sections, sec.ID.String()) {
			continue
		}
		d.section(s, sec)
	}
	if o.sections == nil {
		d.footer()
	}
	return d, nil
}

// dumper gathers the fields of one file.
type dumper struct {
	b      []byte // the file
	fields []Field
	cover  string // the checksum that covers what follows
	limit  int    // fields a section, 0 for all
	count  int    // fields of the present section
}

// heading starts a part of the file.
func (d *dumper) heading(off int64, format string, args ...any) {
	d.count = 0
	d.fields = append(d.fields, Field{Offset: off, Name: fmt.Sprintf(format, args...)})
}

// full reports whether the present section has as many fields as are wanted.
func (d *dumper) full() bool { return d.limit > 0 && d.count >= d.limit }

// put adds the field of n bytes at off.
func (d *dumper) put(off, n int64, name, value string, args ...any) {
	if len(args) > 0 {
		value = fmt.Sprintf(value, args...)
	}
	d.count++
	end := min(off+min(n, maxHex), int64(len(d.b)))
	d.fields = append(d.fields, Field{off, n, hex.EncodeToString(d.b[min(off, end):end]), name, value, d.cover})
}

// rest adds what is left of a section, up to end, as one field.
func (d *dumper) rest(off, end int64) {
	if off < end {
		d.put(off, end-off, "...", "%s bytes more: see --fields", cli.Count(end-off))
	}
}

const lineFormat = "%-8s  %-45s %-22s %-40s %s"

// perLine is how many bytes a line shows.
const perLine = 12

func (d Dump) text(w io.Writer) {
	for i, f := range d {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, f.File)
		fmt.Fprintf(w, lineFormat+"\n", "offset", "bytes", "field", "value", "covered by checksum of")
		for _, e := range f.Fields {
			e.text(w)
		}
	}
}

func (f *Field) text(w io.Writer) {
	if f.Length == 0 {
		fmt.Fprintf(w, "\n%s\n", f.Name)
		return
	}
	raw, _ := hex.DecodeString(f.Hex)
	line := raw[:min(len(raw), perLine)]
	text := fmt.Sprintf("% x", line)
	if f.Length > int64(len(line)) {
		text += fmt.Sprintf(" .. +%d", f.Length-int64(len(line)))
	}
	s := fmt.Sprintf(lineFormat, fmt.Sprintf("%08x", f.Offset), text, f.Name, f.Value, f.Checksum)
	fmt.Fprintln(w, strings.TrimRight(s, " "))
}
