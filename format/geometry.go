package format

// SectionAlign is what offsets of sections are multiples of. Those of version 0.2 are
// multiples of PageSize.
const SectionAlign = 64

// paged reports whether sections of files of version v begin at multiples of PageSize.
func (v Version) paged() bool { return v == Version{Major: 0, Minor: 2} }

// Align returns what offsets of sections are multiples of: SectionAlign, or in version 0.2
// PageSize.
func (v Version) Align() int64 {
	if v.paged() {
		return PageSize
	}
	return SectionAlign
}

// PadSection returns the padded length of a section with n bytes of content: at least
// ReadablePadding bytes more.
func (v Version) PadSection(n int64) int64 {
	a := v.Align()
	return (n + ReadablePadding + a - 1) &^ (a - 1)
}

// NewSection returns the entry of section id, without a checksum, in a file of version v.
func (v Version) NewSection(id SectionID, off, n int64) Section {
	return Section{ID: id, Flags: id.Flags(), Offset: off, Length: n, paged: v.paged()}
}

// ValidFront reports whether the first of n sections may begin at off, which is where the
// section table ends, padding included.
func (v Version) ValidFront(off int64, n int) bool {
	return off%v.Align() == 0 && off >= v.LeastFront(n) && off <= PageSize
}

// LeastFront returns the least length of header and section table with n sections.
func (v Version) LeastFront(n int) int64 {
	if v.paged() {
		return PageSize
	}
	return (HeaderSize + SectionEntrySize*int64(n) + SectionAlign - 1) &^ (SectionAlign - 1)
}

// FrontSize returns the length of header and section table: the offset of the first section.
func (h *Header) FrontSize() int64 {
	if len(h.Sections) > 0 {
		return h.Sections[0].Offset
	}
	return h.FileLen - FooterSize
}

// Pages are the pages of a segment that have a sum in PAGESUMS: pieces of PageSize bytes of
// the file, of which the first begins where the sections begin and the last ends where
// PAGESUMS begins.
type Pages struct {
	First, End int64 // numbers, from the beginning of the file; that of the last is End-1

	lo, hi int64
}

// Pages returns the pages from the first section to PAGESUMS, which begins at end.
func (v Version) Pages(front, end int64) Pages {
	p := Pages{End: (end + PageSize - 1) / PageSize, lo: front, hi: end}
	if v.paged() {
		p.First = 1 // the first page is not of sections
	}
	return p
}

// Bounds returns where a page begins and ends in the file.
func (p Pages) Bounds(page int64) (lo, hi int64) {
	return max(page*PageSize, p.lo), min((page+1)*PageSize, p.hi)
}

// SumsLength returns the length of PAGESUMS.
func (p Pages) SumsLength() int64 { return PageSumsLength(p.End - p.First) }

// Group returns which group has the sum of a page, and where in the group it is.
func (p Pages) Group(page int64) (group, at int64) {
	i := page - p.First
	return i / PageGroup, PageSumSize * (i % PageGroup)
}

// Of returns the pages of a group, from the first to before the last.
func (p Pages) Of(group int64) (first, end int64) {
	first = p.First + group*PageGroup
	return first, min(first+PageGroup, p.End)
}
