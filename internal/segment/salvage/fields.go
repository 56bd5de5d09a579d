package salvage

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// described is what META and FIELDS say of a segment.
type described struct {
	meta   segment.Meta
	fields []segment.Field
}

// run is a part of the dictionary in which terms ascend: that of a field.
type run struct {
	terms        uint64
	exact, coded lengths
}

// lengths are what FIELDS says of the lengths of documents, which add up the frequencies of lists.
type lengths struct {
	docs        uint32
	tokens, sum uint64
	min, max    uint32
}

// lengthsOf returns what lengths say, exact or as length codes.
func lengthsOf(lens []uint32, tokens uint64, coded bool) (l lengths) {
	l.tokens, l.min = tokens, math.MaxUint32
	for _, n := range lens {
		if coded {
			n = format.DecodeLen(format.EncodeLen(n))
		}
		if n > 0 {
			l.docs++
		}
		l.sum += uint64(n)
		l.min, l.max = min(l.min, n), max(l.max, n)
	}
	l.min = min(l.min, l.max)
	return l
}

// mendFields makes META and FIELDS, sections meta and fields of a segment with a schema, from the dictionary, the lists and
// the schemas that are known. It sets sound, and returns true, if their checksums confirm them. If not, but only one
// description fits, m.as is that.
func (m *mender) mendFields(sound []bool, meta, fields int) bool {
	if i := m.number(format.SectionTerms); i < 0 || !sound[i] {
		return false
	}
	candidates := m.candidates(sound[meta], sound[fields], meta, fields)
	if len(candidates) == 0 {
		return false
	}
	outline := m.fieldsOutline()
	var runs []run
	if sound[fields] {
		for _, f := range candidates[0] {
			if f.Terms > 0 {
				runs = append(runs, run{terms: f.Terms})
			}
		}
	} else if runs = m.split(&outline); runs == nil && outline.TermBlocks > 0 {
		return false
	}
	complete := m.count(runs, &outline)
	fits, done := 0, false
	for _, c := range candidates {
		outline.Fields = uint32(len(c))
		m.assignments(c, runs, func(all []segment.Field) bool {
			x := &described{outline, all}
			if done = complete && m.confirm(x, sound, meta, fields); done {
				return false
			}
			if fits < 2 {
				if _, err := segment.OpenAs(m.name, m.p, &x.meta, x.fields); err == nil {
					fits++
					m.as = x
				}
			}
			return complete || fits < 2
		})
		if done {
			break
		}
	}
	if done || fits > 1 { // of several, nothing says which
		m.as = nil
	}
	return done
}

// fieldsOutline returns the META that the lengths of sections imply, without what the dictionary says.
func (m *mender) fieldsOutline() segment.Meta {
	return segment.Meta{Docs: uint32(max(m.docs(), 0)), Stored: m.number(format.SectionStored) >= 0,
		TermBlocks: uint64(max(m.lengthOf(format.SectionTermIndex)-8, 0) / 16), LengthBytes: uint64(m.lengthOf(format.SectionDocLengths))}
}

// lengthOf returns the length of a section, 0 if there is none.
func (m *mender) lengthOf(id format.SectionID) int64 {
	sec, _ := m.h.Section(id)
	return sec.Length
}

// candidates returns the fields that the segment may have, in bytewise order of their names: what FIELDS says if that is sound, else
// those of the schemas, as many as META says if that is sound.
func (m *mender) candidates(metaSound, fieldsSound bool, meta, fields int) (all [][]segment.Field) {
	var said segment.Meta
	if metaSound {
		sec := m.h.Sections[meta]
		b, err := m.p.Range(sec.Offset, sec.Length)
		if err == nil {
			said, err = segment.ParseMeta(format.NewBuffer(b, sec.Offset), false)
		}
		if err != nil {
			return nil
		}
	}
	if fieldsSound {
		sec := m.h.Sections[fields]
		b, err := m.p.Range(sec.Offset, sec.Length)
		if err != nil {
			return nil
		}
		n, _ := layout.Uvarint(b, 0)
		most := segment.Meta{Docs: uint32(max(m.docs(), 0)), Terms: math.MaxUint64, Tokens: math.MaxUint64, Fields: uint32(min(n, schema.MaxFields))}
		is, _ := segment.ParseFields(format.NewBuffer(b, sec.Offset), &most) // sums differ from these
		return [][]segment.Field{is}
	}
	for _, s := range m.known.Schemas {
		s = slices.Clone(s)
		slices.SortFunc(s, func(a, b schema.Field) int { return cmp.Compare(a.ID, b.ID) })
		for n := len(s); n > 0; n-- { // an older segment lacks the last ones
			if metaSound && n != int(said.Fields) {
				continue
			}
			c := make([]segment.Field, n)
			for i, f := range s[:n] {
				f.Index = f.Indexing()
				f.Analyzer, f.Options = f.Analysis()
				f.K1, f.B, f.Boost, f.Scale = 0, 0, 0, 0
				c[i].Field = f
			}
			slices.SortFunc(c, func(a, b segment.Field) int { return cmp.Compare(a.Name, b.Name) })
			if !slices.ContainsFunc(all, func(x []segment.Field) bool { return slices.Equal(x, c) }) {
				all = append(all, c)
			}
		}
	}
	return all
}

// openRuns opens the file as a segment with a field for each number of terms, so that the dictionary and the lists can be read.
// There are as many columns, and positions if there are some, as sections have.
func (m *mender) openRuns(terms []uint64, outline *segment.Meta) (*segment.Segment, error) {
	meta := *outline
	meta.Terms = 0
	var fields []segment.Field
	add := func(f schema.Field, terms uint64) {
		f.ID, f.Name = uint32(len(fields)+1), fmt.Sprintf("%04d", len(fields))
		fields = append(fields, segment.Field{Field: f, Terms: terms})
		meta.Terms += terms
	}
	for _, n := range terms {
		add(schema.Field{Kind: schema.Text, Index: schema.IndexFreqs, Positions: m.number(format.SectionPositions) >= 0}, n)
	}
	columns := m.lengthOf(format.SectionColumnBounds) / colblock.BoundsSize(meta.Docs)
	for range min(columns, schema.MaxFields) {
		add(schema.Field{Kind: schema.Integer, Index: schema.IndexNone, Column: true}, 0)
	}
	if len(fields) == 0 {
		add(schema.Field{Kind: schema.Integer, Index: schema.IndexNone}, 0)
	}
	meta.Fields = uint32(len(fields))
	s, err := segment.OpenAs(m.name, m.p, &meta, fields)
	if err == nil {
		s.Raw().SkipPageChecks() // checksums hold of what is read, or what is damaged shows
	}
	return s, err
}

// indexedOf returns which fields may have terms.
func indexedOf(c []segment.Field) (all []int) {
	for i := range c {
		if c[i].Index != schema.IndexNone {
			all = append(all, i)
		}
	}
	return all
}

// split finds the blocks of the dictionary and returns the runs: a field ends with a block of few terms, or where terms no longer
// ascend. It returns nil if the dictionary cannot be read.
func (m *mender) split(outline *segment.Meta) (runs []run) {
	sec, _ := m.h.Section(format.SectionTerms)
	b, err := m.p.Range(sec.Offset, sec.Length)
	if err != nil {
		return nil
	}
	s, err := m.openRuns([]uint64{outline.TermBlocks * layout.TermsPerBlock}, outline)
	if err != nil {
		return nil
	}
	var last []byte // of the run
	open := false
	blocks := uint64(0)
	for at := 0; at < len(b); blocks++ {
		n, size, first, end := termBlock(s, b[at:], int64(at))
		if n == 0 {
			return nil
		}
		if !open || bytes.Compare(first, last) <= 0 {
			runs = append(runs, run{})
		}
		runs[len(runs)-1].terms += uint64(n)
		last, open = end, n == layout.TermsPerBlock
		at += size
	}
	if blocks != outline.TermBlocks {
		return nil
	}
	return runs
}

// termBlock returns how many terms the block of the dictionary has that b, at off of TERMS, begins with, its size, and its first and
// last term: as many as can be read, so that the next block can begin behind them. n is 0 if there is no such number.
func termBlock(s *segment.Segment, b []byte, off int64) (n, size int, first, last []byte) {
	for n = layout.TermsPerBlock; n > 0; n-- {
		pos, ok := 0, true
		var term []byte
		for i := 0; i < n && ok; i++ {
			shared, suffix, next := layout.Head(b, pos, len(term))
			if next < 0 {
				ok = false
				break
			}
			is := append(slices.Clone(term[:shared]), suffix...)
			if ok = i == 0 && shared == 0 || i > 0 && bytes.Compare(is, term) > 0; i == 0 {
				first = is
			}
			term, pos = is, next
		}
		block := segment.TermBlock{Bytes: b, Offset: off}
		for i := 0; i < n && ok; i++ {
			_, pos = s.Raw().ParseEntry(&block, i, pos)
			ok = pos >= 0
		}
		if ok && (pos == len(b) || b[pos]&layout.HeadMax == 0 && pos < len(b)) {
			return n, pos, first, term
		}
	}
	return 0, 0, nil, nil
}

// count sets what the lists of runs say, and outline to the META of them but for Fields. It returns false if some cannot be read.
func (m *mender) count(runs []run, outline *segment.Meta) bool {
	var terms []uint64
	outline.Terms = 0
	for i := range runs {
		terms = append(terms, runs[i].terms)
		outline.Terms += runs[i].terms
	}
	s, err := m.openRuns(terms, outline)
	if err != nil {
		return false
	}
	x := New(s, s, func(uint32) bool { return false })
	x.bare = true
	lens := make([]uint32, outline.Docs)
	for i := range runs {
		clear(lens)
		tokens := uint64(0)
		for l := range x.fieldLists(i) {
			for j, doc := range l.Docs {
				lens[doc] += l.Freqs[j]
				tokens += uint64(l.Freqs[j])
			}
		}
		runs[i].exact, runs[i].coded = lengthsOf(lens, tokens, false), lengthsOf(lens, tokens, true)
		outline.Tokens += tokens
	}
	x.countLists(outline)
	outline.Postings, outline.Tokens = max(outline.Postings, outline.Terms), max(outline.Tokens, outline.Terms)
	return len(x.losses) == 0
}

// assignments calls yield with the fields c for each way in which runs can be those of fields of c that are indexed, in their
// order, until it returns false, or there have been very many.
func (m *mender) assignments(c []segment.Field, runs []run, yield func([]segment.Field) bool) {
	const most = 1 << 16
	indexed := indexedOf(c)
	left := most
	var next func(all []segment.Field, at, run int) bool
	next = func(all []segment.Field, at, run int) bool {
		if left--; left < 0 {
			return false
		}
		if run == len(runs) {
			return yield(slices.Clone(all))
		}
		for ; len(indexed)-at >= len(runs)-run; at++ {
			with := slices.Clone(all)
			runs[run].describe(&with[indexed[at]])
			if !next(with, at+1, run+1) {
				return false
			}
		}
		return true
	}
	all := slices.Clone(c)
	for i := range all {
		(&run{}).describe(&all[i])
	}
	next(all, 0, 0)
}

// describe sets what FIELDS says of a field with the terms and lists of r.
func (r *run) describe(f *segment.Field) {
	f.Terms, f.Docs, f.Tokens, f.LengthSum, f.MinLen, f.MaxLen, f.LenWidth = r.terms, 0, 0, 0, 0, 0, 0
	switch {
	case !f.HasLengths():
	case f.Coded():
		r.coded.set(f)
		f.LenWidth = 1
	default:
		r.exact.set(f)
		f.LenWidth = layout.LengthWidth(f.MaxLen)
	}
}

func (l *lengths) set(f *segment.Field) {
	f.Docs, f.Tokens, f.LengthSum, f.MinLen, f.MaxLen = l.docs, l.tokens, l.sum, l.min, l.max
}

// confirm puts META and FIELDS, as d says, in the place of those that are not sound, and reports whether checksums confirm them.
func (m *mender) confirm(d *described, sound []bool, meta, fields int) bool {
	for _, x := range []struct {
		section int
		bytes   []byte
	}{{fields, segment.AppendFields(nil, d.fields)}, {meta, segment.AppendMeta(nil, &d.meta)}} {
		sec := m.h.Sections[x.section]
		if int64(len(x.bytes)) != sec.Length {
			return false
		}
		b := append(x.bytes, make([]byte, sec.PaddedLength()-sec.Length)...)
		if sumOf(b) != sec.Checksum {
			return false
		}
		if !sound[x.section] {
			defer m.p.put(sec.Offset, b)
		}
	}
	sound[meta], sound[fields] = true, true
	return true
}
