package salvage

import (
	"maps"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// Mended is a damaged segment file as far as what is left of it says what it was.
type Mended struct {
	// Data is the file as it was. What is still damaged is as it is.
	Data segment.Data
	// Mends are the parts of Data that differ from the file, in its order.
	Mends []format.Mend
	// Whole is whether every checksum of Data holds.
	Whole bool

	name string
	as   *described
}

// Open opens Data. If META or FIELDS are lost, they say what the dictionary and the schemas that are known tell, unless
// that could be several things.
func (m *Mended) Open() (*segment.Segment, error) {
	if m.as != nil {
		return segment.OpenAs(m.name, m.Data, &m.as.meta, m.as.fields)
	}
	return segment.Open(m.name, m.Data)
}

// Mend mends the segment file behind d, which errors call name, as far as the redundancy of
// its parts allows:
//
//   - Header, section table and footer: format.MendFront. A table that is lost is that of the
//     sections as they lie in the file, in the order of package build, if META and PAGESUMS are
//     sound.
//   - A page in which one bit is flipped: the sum of the page says which, and the section's
//     checksum confirms it. So it is with a page that differs from its sum in padding.
//   - PAGESUMS: from the sums of groups as above, else from the pages of sound sections.
//   - META, and FIELDS if there is a schema: from the sections and what is known.
//   - IDINDEX and IDHASH: from IDS. TERMINDEX: from TERMS. DOCLENGTHS: from the lists.
//
// It reads the whole file. The error is that of opening it if it is not known where its
// sections are.
func Mend(name string, d segment.Data, known Known) (*Mended, error) {
	size := d.Size()
	page, err := d.Range(0, min(size, format.PageSize))
	if err != nil {
		return nil, err
	}
	foot, err := d.Range(max(0, size-format.FooterSize), min(size, format.FooterSize))
	if err != nil {
		return nil, err
	}
	m := &mender{name: name, known: known, p: &patched{d: d, size: size, pages: map[int64][]byte{}}}
	front, err := format.MendFront(name, size, page, foot, format.KindSegment, known.ID, m.layouts)
	if err != nil {
		return nil, err
	}
	m.h, m.sure = front.Header, front.Sure
	if !m.sure {
		m.p.clear() // bits that only a CRC says are flipped
	}
	if m.h.Kind != format.KindSegment || m.h.FileLen > 2*size {
		e := format.Corrupt("%d bytes are left of a %s of %d bytes", size, m.h.Kind, m.h.FileLen)
		return nil, format.Locate(e, format.Place{File: name, Block: format.NoBlock})
	}
	if err := m.setPageSums(m.h.Sections); err != nil {
		return nil, format.Locate(err, format.Place{File: name, Block: format.NoBlock})
	}
	m.p.size = m.h.FileLen
	m.p.fill()
	if len(front.Mends) > 0 {
		m.setFront(front.Page, front.Foot)
	}
	whole, err := m.sections()
	if err != nil {
		return nil, err
	}
	if m.p.err != nil && !isCorrupt(m.p.err) {
		return nil, m.p.err
	}
	return m.mended(front, whole), nil
}

// setPageSums finds PAGESUMS among the sections.
func (m *mender) setPageSums(sections []format.Section) error {
	if len(sections) == 0 || sections[len(sections)-1].ID != format.SectionPageSums {
		return format.Corrupt("section %s is missing or not the last", format.SectionPageSums)
	}
	m.sums = sections[len(sections)-1]
	m.pages = m.h.Version.Pages(m.h.FrontSize(), m.sums.Offset)
	if want := m.pages.SumsLength(); m.sums.Length != want {
		return format.Corrupt("section %s has %d bytes instead of %d", format.SectionPageSums, m.sums.Length, want)
	}
	return nil
}

// sections mends the sections and reports whether all are sound.
func (m *mender) sections() (whole bool, err error) {
	sound := make([]bool, len(m.h.Sections)) // by their own checksums
	for i, sec := range m.h.Sections {
		if sound[i], err = m.holds(sec); err != nil {
			return false, err
		}
	}
	last := len(sound) - 1
	if sound[last], err = m.mendSums(sound[last], sound[:last]); err != nil {
		return false, err
	}
	for i := range m.h.Sections[:last] {
		if !sound[i] || !m.sure {
			if sound[i], err = m.mendPages(i); err != nil {
				return false, err
			}
		}
	}
	if some := m.implied(sound); some && !sound[last] { // their pages may have been all that was missing
		if sound[last], err = m.mendSums(false, sound[:last]); err != nil {
			return false, err
		}
	}
	for i, sec := range m.h.Sections {
		if !sound[i] {
			m.unsure = append(m.unsure, sec)
		}
	}
	return len(m.unsure) == 0, nil
}

// implied makes the damaged sections that sound ones imply, and reports whether there are any.
func (m *mender) implied(sound []bool) (some bool) {
	i := m.number(format.SectionMeta)
	if fields := m.number(format.SectionFields); fields >= 0 {
		if m.sure && i >= 0 && !(sound[i] && sound[fields]) {
			some = m.mendFields(sound, i, fields)
		}
		if !sound[fields] {
			return some
		}
	} else if i >= 0 && !sound[i] {
		some = m.mendMeta(i)
		sound[i] = some
	}
	if i >= 0 && sound[i] && m.sure && slices.Contains(sound, false) {
		for slices.Contains(sound, false) && m.derive(sound) { // LISTS takes TERMINDEX
			some = true
		}
	}
	return some
}

// number returns which section has an id, -1 if none has.
func (m *mender) number(id format.SectionID) int {
	return slices.IndexFunc(m.h.Sections, func(sec format.Section) bool { return sec.ID == id })
}

// mendPages replaces the damaged pages of a section by those from which they differ in one
// bit, or in padding. It replaces none and returns false if the section's checksum does not
// confirm it. If no checksum confirms the table, sound pages are enough.
func (m *mender) mendPages(i int) (bool, error) {
	sec := m.h.Sections[i]
	undo, replaced := m.p.save(), false
	for page := sec.Offset / format.PageSize; page <= (sec.End()-1)/format.PageSize; page++ {
		b, err := m.pageBytes(page)
		if err != nil && !isCorrupt(err) {
			return false, err
		}
		want, known := m.pageSum(page)
		if err == nil && known && format.PageSum(b) == want {
			continue
		}
		if err != nil || !known {
			undo()
			return false, nil
		}
		lo, _ := m.pages.Bounds(page)
		was := slices.Clone(b)
		m.clearPadding(was, lo)
		if !flipBack(was, want) {
			undo()
			return false, nil
		}
		m.p.put(lo, was)
		replaced = true
	}
	sum, ok, err := m.sum(sec)
	if err == nil && ok && sum == sec.Checksum && (m.sure || !replaced) {
		return true, nil
	}
	if err == nil && ok && !m.sure && !replaced {
		m.h.Sections[i].Checksum = sum // the table is what is wrong
		m.restamp()
		return true, nil
	}
	undo()
	return false, err
}

// clearPadding clears the padding of sections in b, which is at off of the file.
func (m *mender) clearPadding(b []byte, off int64) {
	end := off + int64(len(b))
	for _, sec := range m.h.Sections {
		if lo, hi := max(off, sec.Offset+sec.Length), min(end, sec.End()); lo < hi {
			clear(b[lo-off : hi-off])
		}
	}
}

// mended returns the result.
func (m *mender) mended(front *format.Front, whole bool) *Mended {
	r := &Mended{Data: m.p, Whole: whole, name: m.name, as: m.as}
	if len(m.p.pages) == 0 && m.p.size == m.p.d.Size() {
		r.Data = m.p.d
	}
	for _, page := range slices.Sorted(maps.Keys(m.p.pages)) {
		is := m.p.page(page)
		off := page * format.PageSize
		for _, sec := range m.h.Sections {
			lo, hi := max(off, sec.Offset), min(off+format.PageSize, sec.End())
			if lo >= hi {
				continue
			}
			was := m.p.pages[page][lo-off : hi-off]
			if x, ok := format.MendOf(sec.ID.String(), lo, is[min(lo-off, int64(len(is))):], was); ok {
				x.Sure = !slices.Contains(m.unsure, sec)
				r.Mends = append(r.Mends, x)
			}
		}
	}
	r.Mends = append(slices.Clone(front.Mends), r.Mends...)
	slices.SortStableFunc(r.Mends, func(a, b format.Mend) int { return int(a.Offset - b.Offset) })
	return r
}
