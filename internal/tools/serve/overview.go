package serve

import (
	"cmp"
	"fmt"
	"math/bits"
	"net/http"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
)

// overview is what the index consists of.
type overview struct {
	summary
	Files    []file
	Segments []segmentRow
	Fields   []fieldSum
	Damage   string // why figures of fields are missing
	Sections []share
}

// summary are the figures of an index.
type summary struct {
	Path                    string
	Generation              uint64 // 0 if no manifest can be read
	Analyzer                string
	Docs, Deleted           uint64
	Terms, Postings, Tokens uint64
	AvgLen                  string
	Stored                  bool
	Bytes                   int64
}

type segmentRow struct {
	File              string
	Base              uint32
	Docs, Deleted     uint32
	Terms, Postings   uint64
	Bytes             int64
	DocsCodecs, Freqs string
}

// share is a part of the bytes of a whole.
type share struct {
	Name        string
	Bytes       int64
	Start, Size float64 // in percent of the whole
	Link        string
	Color       int
}

// fieldSum are the figures of a field.
type fieldSum struct {
	inspect.FieldSummary
	Kind, Indexed, Analyzer string
	Stored, Column          bool
	AvgLen, Link            string // empty where there is none
}

// fieldSums returns the figures of the fields of the schema.
func (x *source) fieldSums() (all []fieldSum, err error) {
	sums, err := inspect.SummarizeFields(x.manifest, x.segments())
	if err != nil {
		return nil, err
	}
	fields := x.fields()
	for i, sum := range sums {
		f := &fields[i]
		row := fieldSum{FieldSummary: sum, Kind: f.Kind.String(), Indexed: record.IndexedName(f), Stored: f.Stored, Column: f.Column}
		if f.Kind == schema.Text {
			row.Analyzer = fmt.Sprintf("%s (%s)", f.Analyzer, f.Options)
		}
		if f.HasLengths() {
			row.AvgLen = fmt.Sprintf("%.1f", sum.AvgLength)
		}
		if sum.Terms > 0 {
			row.Link = link("terms", "field", f.Name)
		}
		all = append(all, row)
	}
	return all, nil
}

func (s *shown) overview(*http.Request) (any, error) {
	o := overview{summary: s.main.summary(), Files: s.main.files}
	var err error
	if o.Fields, err = s.main.fieldSums(); err != nil {
		o.Damage = err.Error()
	}
	sizes := map[string]int64{}
	for _, g := range s.main.segs {
		m := g.Meta()
		o.Segments = append(o.Segments, segmentRow{File: g.file, Base: g.base, Docs: m.Docs, Deleted: g.deletes.Count(), Terms: m.Terms,
			Postings: m.Postings, Bytes: g.Header().FileLen, DocsCodecs: codecNames(m.DocsCodecs), Freqs: codecNames(m.FreqsCodecs)})
		for _, sec := range g.Header().Sections {
			sizes[sec.ID.String()] += sec.PaddedLength()
		}
	}
	for name, n := range sizes {
		o.Sections = append(o.Sections, share{Name: name, Bytes: n})
	}
	slices.SortFunc(o.Sections, func(a, b share) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name)) })
	placeShares(o.Sections)
	return o, nil
}

// placeShares places parts beside each other.
func placeShares(parts []share) {
	whole, at := int64(0), 0.0
	for _, p := range parts {
		whole += p.Bytes
	}
	for i := range parts {
		parts[i].Start, parts[i].Color = at, i
		parts[i].Size = 100 * float64(parts[i].Bytes) / float64(max(whole, 1))
		at += parts[i].Size
	}
}

// summary adds up what is known of the segments.
func (x *source) summary() summary {
	s := summary{Path: x.path}
	if m := x.manifest; m != nil {
		s.Generation = m.Generation
		if m.Schema.IsImplicit() {
			name, options := m.Analyzer()
			s.Analyzer = fmt.Sprintf("%s (%s)", name, options)
		}
	}
	for _, g := range x.segs {
		m := g.Meta()
		s.Docs += uint64(m.Docs)
		s.Deleted += uint64(g.deletes.Count())
		s.Terms += m.Terms
		s.Postings += m.Postings
		s.Tokens += m.Tokens
		s.Stored = s.Stored || m.Stored
	}
	if m := x.manifest; m != nil { // which counts segments that do not open, too
		s.Docs, s.Deleted, s.Postings, s.Tokens = m.Docs(), 0, 0, 0
		for _, i := range m.Segments {
			s.Deleted += uint64(i.Deleted)
			s.Postings += i.Postings
			s.Tokens += i.Tokens
		}
	}
	s.AvgLen = fmt.Sprintf("%.1f", float64(s.Tokens)/float64(max(s.Docs, 1)))
	for _, f := range x.files {
		s.Bytes += f.Size
	}
	return s
}

// Live returns the number of documents that are not deleted.
func (s summary) Live() uint64 { return s.Docs - s.Deleted }

// codecNames returns the names of the codecs whose bits are set.
func codecNames(set uint64) string {
	var names []string
	for ; set != 0; set &= set - 1 {
		id := codec.ID(bits.TrailingZeros64(set))
		if c, ok := registry.ByID(id); ok {
			names = append(names, c.ID().String())
		} else {
			names = append(names, fmt.Sprint("codec ", id))
		}
	}
	return strings.Join(names, ", ")
}
