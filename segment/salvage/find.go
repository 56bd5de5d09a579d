package salvage

import (
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
	"github.com/pinion-index/pinion/segment/internal/section"
	"github.com/pinion-index/pinion/segment/internal/sections"
)

// layouts yields the section tables that a segment of this size may have, in the two orders
// in which package build writes sections, with the checksums of what is there. It replaces
// pages that differ from their sums in one bit.
func (m *mender) layouts(yield func([]format.Section) bool) {
	if !m.findSums() {
		return
	}
	if err := m.flipPages(); err != nil {
		return
	}
	meta, sec, ok := m.findMeta()
	if !ok {
		return
	}
	for _, optional := range presences(&meta) {
		for _, docsFirst := range []bool{false, true} {
			f := finder{m: m, end: sec.Offset, steps: m.p.size / layout.ExtentAlign, optional: optional}
			if !f.sections(&meta, docsFirst) {
				continue
			}
			all := append(f.found, sec, m.sums)
			for i := range all {
				var err error
				if all[i].Checksum, ok, err = m.sum(all[i]); err != nil || !ok {
					return
				}
			}
			if !yield(all) {
				return
			}
		}
	}
}

// presences returns the sets of optional sections that a segment may have. META says whether
// it has stored text.
func presences(meta *segment.Meta) [][]*section.Section {
	sets := [][]*section.Section{nil}
	for row := range sections.All() {
		var with [][]*section.Section
		for _, set := range sets {
			with = append(with, append(slices.Clone(set), row))
		}
		switch {
		case row.IDs[0] != format.SectionStored:
			sets = append(sets, with...)
		case meta.Stored:
			sets = with
		}
	}
	return sets
}

// findSums finds PAGESUMS: the length of the file says where it is.
func (m *mender) findSums() bool {
	total := m.p.size - format.PageSize - format.FooterSize
	for pages := total / format.PageSize; pages > 0; pages-- {
		n := format.PageSumsLength(pages)
		switch end := pages*format.PageSize + format.PadSection(n); {
		case end > total:
			continue
		case end < total:
			return false
		}
		m.sums = format.Section{ID: format.SectionPageSums, Flags: format.SectionRequired, Offset: (1 + pages) * format.PageSize, Length: n}
		_, err := m.readGroups()
		return err == nil && m.putSums()
	}
	return false
}

// flipPages replaces the pages that differ from their sums in one bit.
func (m *mender) flipPages() error {
	for page := int64(1); page < m.sums.Offset/format.PageSize; page++ {
		b, err := m.p.piece(page*format.PageSize, format.PageSize)
		if err != nil {
			return err
		}
		want, _ := m.pageSum(page)
		if format.PageSum(b) == want {
			continue
		}
		if was := slices.Clone(b); flipBack(was, want) {
			m.p.pages[page] = was
		}
	}
	return nil
}

// findMeta finds META, which is before PAGESUMS.
func (m *mender) findMeta() (meta segment.Meta, sec format.Section, ok bool) {
	for n := int64(format.PageSize); n <= format.PadSection(layout.MaxMeta) && n < m.sums.Offset; n += format.PageSize {
		b, err := m.p.Range(m.sums.Offset-n, n)
		if err != nil {
			return meta, sec, false
		}
		d := format.NewBuffer(b, 0)
		meta, err = segment.ParseMeta(d, true)
		length := int64(d.Pos())
		if err == nil && format.PadSection(length) == n && format.NonZero(b[length:]) < 0 {
			return meta, format.Section{ID: format.SectionMeta, Flags: format.SectionRequired, Offset: m.sums.Offset - n, Length: length}, true
		}
	}
	return meta, sec, false
}

// finder finds sections from the end of the file to its beginning.
type finder struct {
	m     *mender
	end   int64            // of the next section, with padding
	found []format.Section // in file order
	steps int64            // extents that may still be looked at

	optional []*section.Section // those of the file
}

// add adds the section of length n that ends at f.end.
func (f *finder) add(id format.SectionID, n int64) bool {
	if n < 0 || n > f.end || f.end-format.PadSection(n) < format.PageSize {
		return false
	}
	f.end -= format.PadSection(n)
	f.found = slices.Insert(f.found, 0, format.Section{ID: id, Flags: id.Flags(), Offset: f.end, Length: n})
	return true
}

// implied adds a section of the length that META implies, and returns it.
func (f *finder) implied(id format.SectionID, meta *segment.Meta) (n int64, ok bool) {
	row, _ := id.Info()
	m := *meta
	m.Terms = min(m.Terms, uint64(f.m.p.size))
	n = row.Length.Implied(m.Counts())
	return n, f.add(id, n)
}

// index adds an index, and returns the length of the section that it is of: it is the last
// word of the index.
func (f *finder) index(id format.SectionID, meta *segment.Meta) (length int64, ok bool) {
	n, ok := f.implied(id, meta)
	if !ok {
		return 0, false
	}
	w, ok := f.m.word(f.end + n - 8)
	return int64(min(w, format.MaxFileSize)), ok
}

// sections finds all sections before META, and reports whether they begin where the first
// page ends.
func (f *finder) sections(meta *segment.Meta, docsFirst bool) bool {
	if !docsFirst {
		return f.docs(meta) && f.terms(meta) &&
			f.add(format.SectionPostings, f.postings(format.PageSize)) && f.end == format.PageSize
	}
	if !f.terms(meta) {
		return false
	}
	for start := f.end - format.PageSize; start > format.PageSize && f.steps > 0; start -= format.PageSize {
		n := f.postings(start)
		if format.PadSection(n) != f.end-start {
			continue
		}
		g := finder{m: f.m, end: f.end, found: slices.Clone(f.found), optional: f.optional}
		if g.add(format.SectionPostings, n) && g.docs(meta) && g.end == format.PageSize {
			*f = g
			return true
		}
	}
	return false
}

// terms adds the dictionary.
func (f *finder) terms(meta *segment.Meta) bool {
	n, ok := f.index(format.SectionTermIndex, meta)
	return ok && f.add(format.SectionTerms, n)
}

// docs adds the sections of documents.
func (f *finder) docs(meta *segment.Meta) bool {
	var first format.Section // what is written straight
	for _, row := range slices.Backward(f.optional) {
		lengths := row.Find(f.m.p.Range, f.end, meta.Counts())
		if lengths == nil {
			return false
		}
		ids := row.IDs
		if row.Straight {
			first = format.Section{ID: ids[0], Length: lengths[0]}
			ids, lengths = ids[1:], lengths[1:]
		}
		for i := range slices.Backward(ids) {
			if !f.add(ids[i], lengths[i]) {
				return false
			}
		}
	}
	if _, ok := f.implied(format.SectionIDHash, meta); !ok {
		return false
	}
	ids, ok := f.index(format.SectionIDIndex, meta)
	if !ok || !f.add(format.SectionIDs, ids) {
		return false
	}
	_, ok = f.implied(format.SectionDocLengths, meta)
	return ok && (first.ID == 0 || f.add(first.ID, first.Length))
}

// postings returns the length of POSTINGS, which begins at off and ends before f.end.
func (f *finder) postings(off int64) int64 {
	n := int64(0)
	for f.steps > 0 && off+n <= f.end-layout.ExtentAlign {
		f.steps--
		b, err := f.m.p.Range(off+n, layout.ExtentAlign)
		if err != nil {
			return -1
		}
		size := int64(binary.LittleEndian.Uint32(b[layout.ExtLength:])) * layout.ExtentAlign
		if size == 0 {
			break
		}
		n += size
	}
	return n
}
