package salvage

import (
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/segment/sections"
	"github.com/pinion-index/pinion/segment"
)

// layouts yields the section tables that a segment of this size and version may have, in the
// orders in which package build writes sections, with the checksums of what is there. It
// replaces pages that differ from their sums in one bit.
func (m *mender) layouts(v format.Version, yield func([]format.Section) bool) {
	m.p.clear()
	if !m.findSums(v) {
		return
	}
	if err := m.flipPages(); err != nil {
		return
	}
	meta, sec, ok := m.findMeta(v)
	if !ok {
		return
	}
	for _, optional := range presences(&meta) {
		for _, docsFirst := range []bool{false, true} {
			f := finder{m: m, v: v, end: sec.Offset, steps: m.p.size / layout.ExtentAlign, optional: optional}
			if !f.sections(&meta, docsFirst) {
				continue
			}
			undo := m.p.save()
			m.flipFirst(v, f.end)
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
			undo()
		}
	}
}

// presences returns the sets of optional sections that a segment may have. META says whether
// it has stored text.
func presences(meta *segment.Meta) [][]*section.Tools {
	sets := [][]*section.Tools{nil}
	for row := range sections.Tools() {
		if row.Find == nil {
			continue // META says whether it is there
		}
		var with [][]*section.Tools
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
func (m *mender) findSums(v format.Version) bool {
	for pages := m.p.size/format.PageSize + 1; pages > 0; pages-- {
		n := format.PageSumsLength(pages)
		at := m.p.size - format.FooterSize - v.PadSection(n)
		if at < format.HeaderSize || at%v.Align() != 0 {
			continue
		}
		m.pages = v.Pages(format.HeaderSize, at) // page 0 begins later
		switch need := m.pages.End - m.pages.First; {
		case need < pages:
			continue
		case need > pages:
			return false
		}
		m.sums = v.NewSection(format.SectionPageSums, at, n)
		_, err := m.readGroups()
		return err == nil && m.putSums()
	}
	return false
}

// flipPages replaces the pages behind the first that differ from their sums in one bit.
func (m *mender) flipPages() error {
	for page := int64(1); page < m.pages.End; page++ {
		if err := m.flipPage(page); err != nil {
			return err
		}
	}
	return nil
}

func (m *mender) flipPage(page int64) error {
	b, err := m.pageBytes(page)
	if err != nil {
		return err
	}
	if want, _ := m.pageSum(page); format.PageSum(b) != want {
		if was := slices.Clone(b); flipBack(was, want) {
			lo, _ := m.pages.Bounds(page)
			m.p.put(lo, was)
		}
	}
	return nil
}

// flipFirst is flipPage of the first page, of which it takes front to know where it begins.
func (m *mender) flipFirst(v format.Version, front int64) {
	if m.pages = v.Pages(front, m.sums.Offset); m.pages.First == 0 {
		m.flipPage(0)
	}
}

// findMeta finds META, which is before PAGESUMS.
func (m *mender) findMeta(v format.Version) (meta segment.Meta, sec format.Section, ok bool) {
	for n := v.Align(); n <= v.PadSection(layout.MaxMeta) && n < m.sums.Offset; n += v.Align() {
		b, err := m.p.Range(m.sums.Offset-n, n)
		if err != nil {
			return meta, sec, false
		}
		d := format.NewBuffer(b, 0)
		meta, err = segment.ParseMeta(d, true)
		length := int64(d.Pos())
		if err == nil && v.PadSection(length) == n && format.NonZero(b[length:]) < 0 {
			return meta, v.NewSection(format.SectionMeta, m.sums.Offset-n, length), true
		}
	}
	return meta, sec, false
}

// finder finds sections from the end of the file to its beginning.
type finder struct {
	m     *mender
	v     format.Version
	end   int64            // of the next section, with padding
	found []format.Section // in file order
	steps int64            // extents that may still be looked at

	optional []*section.Tools // those of the file
	columns  int              // fields that are columns
	values   int64            // length of COLUMNS
	codes    int64            // of VECTORS, 0 if there is none
	floats   int64            // of VECTORFLOATS
	indexed  bool             // a field with positions has terms
	places   int64            // length of POSITIONS
}

// add adds the section of length n that ends at f.end.
func (f *finder) add(id format.SectionID, n int64) bool {
	if n < 0 || n > f.end || f.end-f.v.PadSection(n) < format.HeaderSize {
		return false
	}
	f.end -= f.v.PadSection(n)
	f.found = slices.Insert(f.found, 0, f.v.NewSection(id, f.end, n))
	return true
}

// implied adds a section of the length that META implies, and returns it.
func (f *finder) implied(id format.SectionID, meta *segment.Meta) (n int64, ok bool) {
	row, _ := id.Info()
	m := *meta
	m.Terms = min(m.Terms, uint64(f.m.p.size))
	n = row.Length.Implied(f.v, m.Counts())
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

// sections finds all sections before META, and reports whether they begin where a section
// table may end.
func (f *finder) sections(meta *segment.Meta, docsFirst bool) bool {
	terms, extents, ok := int64(0), int64(0), f.fields(meta) && f.bounds(meta) && f.tail(meta)
	if ok && f.indexed {
		if !f.tailed() {
			return false
		}
		f.places, ok = f.index(format.SectionPositionIndex, meta)
	}
	if ok && f.tailed() {
		if meta.Extents > 0 {
			extents, ok = f.index(format.SectionLists, meta)
		}
		if !ok {
			return false
		}
		if _, ok = f.implied(format.SectionDocLengths, meta); ok {
			terms, ok = f.index(format.SectionTermIndex, meta)
		}
	}
	if ok && f.codes > 0 {
		ok = f.add(format.SectionVectors, f.codes) && (f.floats == 0 || f.add(format.SectionVectorFloats, f.floats))
	}
	if !ok || f.columns > 0 && !f.add(format.SectionColumns, f.values) {
		return false
	}
	if !docsFirst {
		return f.docs(meta) && f.terms(meta, terms) && f.add(format.SectionPostings, f.lists(extents)) && f.begins(0)
	}
	if !f.terms(meta, terms) {
		return false
	}
	if f.tailed() {
		return f.add(format.SectionPostings, extents) && f.docs(meta) && f.begins(0)
	}
	for start := f.end - f.v.Align(); start > format.HeaderSize && f.steps > 0; start -= f.v.Align() {
		n := f.postings(start)
		if f.v.PadSection(n) != f.end-start {
			continue
		}
		g := *f
		g.found = slices.Clone(f.found)
		if g.add(format.SectionPostings, n) && g.docs(meta) && g.begins(0) {
			*f = g
			return true
		}
	}
	return false
}

// fields adds FIELDS, if META says that there is one. It may end in zeros, as padding does.
func (f *finder) fields(meta *segment.Meta) bool {
	if meta.Fields == 0 {
		return true
	}
	begin := binary.AppendUvarint(nil, uint64(meta.Fields))
	for n := f.v.Align(); n <= f.v.PadSection(layout.MaxFields) && n < f.end; n += f.v.Align() {
		if b, err := f.m.p.Range(f.end-n, int64(len(begin))); err != nil || string(b) != string(begin) {
			continue
		}
		b, err := f.m.p.Range(f.end-n, n)
		if err != nil {
			return false
		}
		for length := n - format.ReadablePadding; length > 0 && f.v.PadSection(length) == n && format.NonZero(b[length:]) < 0; length-- {
			if fields, err := segment.ParseFields(format.NewBuffer(b[:length], 0), meta); err == nil {
				for i := range fields {
					if fields[i].Column {
						f.columns++
					}
					if fields[i].Vectors != nil {
						f.codes, f.floats = fields[i].VectorsEnd(meta.Docs)
					}
					f.indexed = f.indexed || fields[i].Positions && fields[i].Terms > 0
				}
				return f.add(format.SectionFields, length)
			}
		}
	}
	return false
}

// bounds adds COLUMNBOUNDS, if FIELDS says that there are columns. It says where the last one ends.
func (f *finder) bounds(meta *segment.Meta) bool {
	if f.columns == 0 {
		return true
	}
	size := colblock.BoundsSize(meta.Docs)
	if !f.tailed() || !f.add(format.SectionColumnBounds, int64(f.columns)*size) {
		return false
	}
	b, err := f.m.p.Range(f.end+int64(f.columns-1)*size, colblock.HeadSize)
	if err != nil {
		return false
	}
	f.values = int64(min(colblock.ParseHead(b).End, format.MaxFileSize))
	return true
}

// tail adds the optional sections of the tail that do not follow from META.
func (f *finder) tail(meta *segment.Meta) bool {
	for _, row := range slices.Backward(f.optional) {
		if !inTail(row) {
			continue
		}
		lengths := row.Find(f.v, f.m.p.Range, f.end, meta.Counts())
		if lengths == nil || !f.tailed() || !f.add(row.IDs[0], lengths[0]) {
			return false
		}
	}
	return true
}

// inTail reports whether builders write the section of row in the tail.
func inTail(row *section.Tools) bool {
	info, _ := row.IDs[0].Info()
	return info.Tail
}

// tailed reports whether sections of either side lie in a tail.
func (f *finder) tailed() bool { return f.v.Align() == format.SectionAlign }

// begins reports whether the section table may end at f.end, if more sections are to be found
// before.
func (f *finder) begins(more int) bool { return f.v.ValidFront(f.end, len(f.found)+more+2) }

// lists returns the length of POSTINGS if it is the first section: extents, or what they say
// where there is no LISTS.
func (f *finder) lists(extents int64) int64 {
	if f.tailed() {
		return extents
	}
	return f.postings(format.PageSize)
}

// terms adds the dictionary: TERMS of n bytes, or, where it lies beside it, TERMINDEX, which
// says how many.
func (f *finder) terms(meta *segment.Meta, n int64) bool {
	ok := true
	if !f.tailed() {
		n, ok = f.index(format.SectionTermIndex, meta)
	}
	if f.indexed && !f.add(format.SectionPositions, f.places) {
		return false
	}
	return ok && f.add(format.SectionTerms, n)
}

// docs adds the sections of documents.
func (f *finder) docs(meta *segment.Meta) bool {
	var first format.Section // what is written straight
	for _, row := range slices.Backward(f.optional) {
		if inTail(row) {
			continue
		}
		lengths := row.Find(f.v, f.m.p.Range, f.end, meta.Counts())
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
	if n, ok := f.implied(format.SectionIDHash, meta); !ok || f.v.PackedIDs() && f.unpacked(f.v.PadSection(n), meta.Docs) {
		return false
	}
	ids, ok := f.index(format.SectionIDIndex, meta)
	if !ok || !f.add(format.SectionIDs, ids) {
		return false
	}
	if !f.tailed() {
		_, ok = f.implied(format.SectionDocLengths, meta)
	}
	return ok && (first.ID == 0 || f.add(first.ID, first.Length))
}

// unpacked reports whether the section of n bytes with padding that begins at f.end is an IDHASH that is not packed. Of a few documents
// it is as long as one that is.
func (f *finder) unpacked(n int64, docs uint32) bool {
	if docs == 0 || 8*int64(docs) > n {
		return false
	}
	last := uint64(0)
	for i := range int64(docs) {
		w, ok := f.m.word(f.end + 8*i)
		if !ok || w < last || uint32(w) >= docs {
			return false
		}
		last = w
	}
	return true
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
