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
//   - META: from the sections and what is known.
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
		clear(m.p.pages) // bits that only a CRC says are flipped
	}
	if m.h.Kind != format.KindSegment || m.h.FileLen > 2*size {
		e := format.Corrupt("%d bytes are left of a %s of %d bytes", size, m.h.Kind, m.h.FileLen)
		return nil, format.Locate(e, format.Place{File: name, Block: format.NoBlock})
	}
	if err := m.setPageSums(m.h.Sections); err != nil {
		return nil, format.Locate(err, format.Place{File: name, Block: format.NoBlock})
	}
	m.p.size = m.h.FileLen
	if len(front.Mends) > 0 {
		m.setFront(front.Page, front.Foot)
	}
	whole, err := m.sections()
	if err != nil {
		return nil, err
	}
	return m.mended(front, whole), nil
}

// setPageSums finds PAGESUMS among the sections.
func (m *mender) setPageSums(sections []format.Section) error {
	if len(sections) == 0 || sections[len(sections)-1].ID != format.SectionPageSums {
		return format.Corrupt("section %s is missing or not the last", format.SectionPageSums)
	}
	m.sums = sections[len(sections)-1]
	if want := format.PageSumsLength(m.sums.Offset/format.PageSize - 1); m.sums.Length != want {
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
	some, err := m.implied(sound)
	if err != nil {
		return false, err
	}
	if some && !sound[last] { // their pages may have been all that was missing
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
func (m *mender) implied(sound []bool) (some bool, err error) {
	i := slices.IndexFunc(m.h.Sections, func(sec format.Section) bool { return sec.ID == format.SectionMeta })
	if i >= 0 && !sound[i] {
		if sound[i], err = m.mendMeta(i); err != nil {
			return false, err
		}
		some = sound[i]
	}
	if i >= 0 && sound[i] && m.sure && slices.Contains(sound, false) {
		some = m.derive(sound) || some
	}
	return some, nil
}

// mendPages replaces the damaged pages of a section by those from which they differ in one
// bit, or in padding. It replaces none and returns false if the section's checksum does not
// confirm it. If no checksum confirms the table, sound pages are enough.
func (m *mender) mendPages(i int) (bool, error) {
	sec := m.h.Sections[i]
	var replaced []int64
	undo := func() {
		for _, page := range replaced {
			delete(m.p.pages, page)
		}
	}
	for off := sec.Offset; off < sec.Offset+sec.PaddedLength(); off += format.PageSize {
		page := off / format.PageSize
		b, err := m.p.piece(off, format.PageSize)
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
		was := slices.Clone(b)
		clear(was[min(max(0, sec.Offset+sec.Length-off), format.PageSize):])
		if !flipBack(was, want) {
			undo()
			return false, nil
		}
		m.p.pages[page] = was
		replaced = append(replaced, page)
	}
	sum, ok, err := m.sum(sec)
	if err == nil && ok && sum == sec.Checksum && (m.sure || replaced == nil) {
		return true, nil
	}
	if err == nil && ok && !m.sure && replaced == nil {
		m.h.Sections[i].Checksum = sum // the table is what is wrong
		m.restamp()
		return true, nil
	}
	undo()
	return false, err
}

// mended returns the result.
func (m *mender) mended(front *format.Front, whole bool) *Mended {
	r := &Mended{Data: m.p, Whole: whole}
	if len(m.p.pages) == 0 && m.p.size == m.p.d.Size() {
		r.Data = m.p.d
	}
	add := func(part string, off int64, is, was []byte, sure bool) {
		if x, ok := format.MendOf(part, off, is, was); ok {
			x.Sure = sure
			r.Mends = append(r.Mends, x)
		}
	}
	end := m.h.FileLen / format.PageSize
	for _, page := range slices.Sorted(maps.Keys(m.p.pages)) {
		if page == 0 || page == end {
			continue
		}
		off := page * format.PageSize
		n := max(0, min(format.PageSize, m.p.d.Size()-off))
		is, err := m.p.d.Range(min(off, m.p.d.Size()), n)
		if err != nil {
			is = nil
		}
		add(m.part(off), off, is, m.p.pages[page], !m.isUnsure(off))
	}
	r.Mends = append(slices.Clone(front.Mends), r.Mends...)
	slices.SortStableFunc(r.Mends, func(a, b format.Mend) int { return int(a.Offset - b.Offset) })
	return r
}

// isUnsure reports whether an offset is in a section whose checksum does not hold.
func (m *mender) isUnsure(off int64) bool {
	return slices.ContainsFunc(m.unsure, func(s format.Section) bool { return off >= s.Offset && off < s.Offset+s.PaddedLength() })
}

// part returns the name of the section that an offset is in.
func (m *mender) part(off int64) string {
	for _, s := range m.h.Sections {
		if off >= s.Offset && off < s.Offset+s.PaddedLength() {
			return s.ID.String()
		}
	}
	return ""
}
