package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/dump"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// bytesPage shows bytes of a file, and what they mean.
type bytesPage struct {
	File, Section, Term string
	Size                int64
	Files               []inspect.File
	Sections            []sectionLink
	Fields              []field
	More                int // fields that are not shown
	Damage              string

	// Of a page by offset.
	Raw    bool
	Off    int64
	Lines  []line
	Within string // the section that holds Off
	List   string // the term whose list holds Off
	Link   string // to that list's fields
}

type sectionLink struct {
	end         int64 // behind its padding
	Name, Link  string
	Off, Length int64
	On          bool
	id          format.SectionID
}

// field is one field of a dump. A field without bytes is a heading.
type field struct {
	Off                      int64
	Hex, More                string
	Name, Value, Cover, Link string
	Bad                      bool
}

// line is a line of a hex dump.
type line struct {
	Off  int64
	Hex  []cell
	Text string
}

type cell struct {
	Hex  string
	Kind int // changes from field to field
	Name string
}

const (
	fieldsPerPart = 40
	maxFields     = 600
	perLine       = 16
	perPage       = 32 * perLine
	maxHex        = 12
)

func (s *shown) bytes(r *http.Request) (any, error) {
	q := r.URL.Query()
	p := &bytesPage{File: q.Get("file"), Section: q.Get("section"), Term: q.Get("term"), Files: s.main.Files}
	if p.File == "" && len(p.Files) > 0 {
		p.File = p.Files[len(p.Files)-1].Name
	}
	f := s.main.File(p.File)
	if f == nil {
		return nil, notFound("the index has no file %q", p.File)
	}
	d := f.Data
	if d == nil {
		return nil, notFound("%s does not open", p.File)
	}
	p.Size = d.Size()
	p.sections(d)
	off, err := number(r, "off", math.MaxInt64, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	if off != math.MaxInt64 {
		return p, p.raw(d, int64(off), s.main)
	}
	return p, p.dump(d)
}

// sections lists the sections of the file, if its header can be read.
func (p *bytesPage) sections(d store.Data) {
	h, err := header(p.File, d)
	if err != nil {
		p.Damage = err.Error()
		return
	}
	for _, sec := range h.Sections {
		name := sec.ID.String()
		p.Sections = append(p.Sections, sectionLink{Name: name, Off: sec.Offset, end: sec.End(), Length: sec.Length, On: name == p.Section, id: sec.ID,
			Link: link("bytes", "file", p.File, "section", name)})
	}
	slices.SortFunc(p.Sections, func(a, b sectionLink) int { return int(min(max(a.Off-b.Off, -1), 1)) })
}

func header(name string, d store.Data) (*format.Header, error) {
	page, err := d.Range(0, min(format.PageSize, d.Size()))
	if err != nil {
		return nil, err
	}
	at := max(d.Size()-format.FooterSize, 0)
	foot, err := d.Range(at, d.Size()-at)
	if err != nil {
		return nil, err
	}
	return format.ParseHeader(name, d.Size(), page, foot)
}

// dump shows the fields of the file, of a section or of a list.
func (p *bytesPage) dump(d store.Data) error {
	var fields []dump.Field
	var err error
	o := dump.Options{Limit: fieldsPerPart, Lazy: true}
	switch {
	case p.Term != "":
		fields, err = dump.Term(p.File, d, []byte(p.Term), fieldsPerPart)
		if errors.Is(err, dump.ErrNoTerm) || errors.Is(err, dump.ErrNotSegment) {
			return notFound("%s: %v", p.File, err)
		}
	case p.Section != "":
		i := slices.IndexFunc(p.Sections, func(s sectionLink) bool { return s.On })
		if i < 0 {
			return notFound("%s has no section %q", p.File, p.Section)
		}
		o.Sections = []format.SectionID{p.Sections[i].id}
		fields, err = dump.File(p.File, d, o)
	default:
		o.Limit = 4
		fields, err = dump.File(p.File, d, o)
	}
	if err != nil {
		p.Damage = err.Error()
	}
	p.More = max(len(fields)-maxFields, 0)
	for _, f := range fields[:len(fields)-p.More] {
		p.Fields = append(p.Fields, p.field(f))
	}
	return nil
}

func (p *bytesPage) field(f dump.Field) field {
	shown := f.Bytes[:min(len(f.Bytes), maxHex)]
	out := field{Off: f.Offset, Hex: spaced(shown), Name: f.Name, Value: f.Value, Cover: f.Cover,
		Link: link("bytes", "file", p.File, "off", f.Offset)}
	if f.Length > int64(len(shown)) {
		out.More = fmt.Sprintf("+%d", f.Length-int64(len(shown)))
	}
	for _, word := range []string{"DAMAGED", "MALFORMED", "NOT ZERO", "OUT OF"} {
		out.Bad = out.Bad || strings.Contains(f.Value+f.Name, word)
	}
	return out
}

func spaced(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return fmt.Sprintf("% x", b)
}

// raw shows a page of bytes from off on, aligned to lines.
func (p *bytesPage) raw(d store.Data, off int64, x *source) error {
	if off >= p.Size {
		return notFound("%s has %d bytes, there is none at %d", p.File, p.Size, off)
	}
	p.Raw, p.Off = true, off/perLine*perLine
	b, err := d.Range(p.Off, min(perPage, p.Size-p.Off))
	if err != nil {
		return err
	}
	for _, s := range p.Sections {
		if off >= s.Off && off < s.end {
			p.Within = s.Name
		}
	}
	var fields []dump.Field
	if p.Within == format.SectionPostings.String() {
		for _, g := range x.Segs {
			if g.File == p.File {
				p.List = listAt(g, off)
			}
		}
		if p.List != "" {
			p.Link = link("bytes", "file", p.File, "term", p.List)
			// Damage shows where the list's own fields do.
			fields, _ = dump.Term(p.File, d, []byte(p.List), 0)
		}
	} else if p.Within == "" || p.Off < 1<<20 {
		fields, _ = dump.File(p.File, d, dump.Options{Limit: 1000, Lazy: true})
	}
	p.lines(b, fields)
	return nil
}

// lines cuts b, which begins at p.Off, into lines, and colors the fields that it holds.
func (p *bytesPage) lines(b []byte, fields []dump.Field) {
	fields = slices.DeleteFunc(fields, func(f dump.Field) bool { return f.Length == 0 })
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Offset < fields[j].Offset })
	end, at := p.Off+int64(len(b)), 0
	for ; at < len(fields) && fields[at].Offset+fields[at].Length <= p.Off; at++ {
	}
	for i := at; i < len(fields) && fields[i].Offset < end && len(p.Fields) < 2*perPage; i++ {
		p.Fields = append(p.Fields, p.field(fields[i]))
	}
	for from := 0; from < len(b); from += perLine {
		l := line{Off: p.Off + int64(from)}
		text := []byte{}
		for i, c := range b[from:min(from+perLine, len(b))] {
			pos := l.Off + int64(i)
			for at < len(fields) && fields[at].Offset+fields[at].Length <= pos {
				at++
			}
			h := cell{Hex: hex.EncodeToString([]byte{c}), Kind: -1}
			if at < len(fields) && fields[at].Offset <= pos {
				h.Kind, h.Name = at%4, fields[at].Name+" "+fields[at].Value
			}
			l.Hex = append(l.Hex, h)
			if c < ' ' || c > '~' {
				c = '.'
			}
			text = append(text, c)
		}
		l.Text = string(text)
		p.Lines = append(p.Lines, l)
	}
}

// maxSteps bounds how many terms listAt looks at for one step of its search.
const maxSteps = 20_000

// listAt returns the term whose extent holds the byte at an offset of the file, "" if
// there is none or it would take long to find. Extents lie in the order of their terms,
// so it searches the keys of the dictionary's blocks.
func listAt(g *inspect.Segment, off int64) string {
	sec, _ := g.Header().Section(format.SectionPostings)
	keys, err := g.Raw().TermKeys()
	if err != nil {
		return ""
	}
	for i := len(g.Fields()) - 1; i >= 0; i-- { // the last one whose first extent is not behind
		f := g.Segment.Field(i)
		keys := keys[f.Info().FirstBlock:][:f.Info().Blocks]
		behind := sort.Search(len(keys), func(i int) bool {
			_, at, ok := extentFrom(f, keys[i], func(int64) bool { return true })
			return !ok || sec.Offset+at > off
		})
		if behind > 0 {
			term, _, _ := extentFrom(f, keys[behind-1], func(next int64) bool { return sec.Offset+next > off })
			return term
		}
	}
	return ""
}

// extentFrom walks the terms of a field with an extent from a key of the dictionary on. It
// returns the last term, and the offset of its extent in the section, before one at which stop
// is true, or that one if it is the first.
func extentFrom(f segment.FieldView, key uint64, stop func(off int64) bool) (term string, off int64, ok bool) {
	first := bytes.TrimRight(binary.BigEndian.AppendUint64(nil, key), "\x00")
	it := f.Terms(nil)
	more := it.SeekGE(first)
	for steps := 0; more && steps < maxSteps; steps++ {
		if e := it.Entry(); e.Kind == segment.KindExtent {
			if stop(e.Offset) {
				if !ok {
					term, off, ok = string(it.Term()), e.Offset, true
				}
				return term, off, ok
			}
			term, off, ok = string(it.Term()), e.Offset, true
		}
		more = it.Next()
	}
	return term, off, ok
}

// OffsetWidth returns the number of digits of offsets: 8, or more in a file over 4 GiB.
func (p *bytesPage) OffsetWidth() int { return max(8, len(strconv.FormatInt(p.Size, 16))) }

func (p *bytesPage) links() (prev, next string) {
	if !p.Raw {
		return "", ""
	}
	if p.Off > 0 {
		prev = link("bytes", "file", p.File, "off", max(p.Off-perPage, 0))
	}
	if p.Off+perPage < p.Size {
		next = link("bytes", "file", p.File, "off", p.Off+perPage)
	}
	return prev, next
}
