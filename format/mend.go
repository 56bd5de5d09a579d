package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// Mend is a damaged part of a file that other parts of the file give back.
type Mend struct {
	Part   string // header, section table, footer, or the name of a section
	Offset int64  // in the file, of the first byte that was wrong
	Length int64  // bytes from there to the last that was wrong
	Bit    int    // the one bit of the byte at Offset that was wrong, 0 the lowest; -1 if more were
	Sure   bool   // whether a checksum of 64 bits confirms it
}

// String says what was mended, for people.
func (m Mend) String() string {
	s := fmt.Sprintf("%s: bytes %d to %d restored", m.Part, m.Offset, m.Offset+m.Length-1)
	switch {
	case m.Bit >= 0:
		s = fmt.Sprintf("%s: bit %d of byte %d flipped back", m.Part, m.Bit, m.Offset)
	case m.Length == 1:
		s = fmt.Sprintf("%s: byte %d restored", m.Part, m.Offset)
	}
	if !m.Sure {
		s += ", which nothing confirms"
	}
	return s
}

// MendOf returns the Mend that makes is, at offset off of the file, into was, which is as
// long or longer. ok is false if they are equal. Of a byte that the file does not have, all
// bits count as wrong.
func MendOf(part string, off int64, is, was []byte) (m Mend, ok bool) {
	first, last, wrong := -1, 0, 0
	for i, c := range was {
		diff := byte(0xff)
		if i < len(is) {
			diff = is[i] ^ c
		}
		if diff == 0 {
			continue
		}
		if first < 0 {
			first = i
			m.Bit = bits.TrailingZeros8(diff)
		}
		last = i
		wrong += bits.OnesCount8(diff)
	}
	if first < 0 {
		return Mend{}, false
	}
	m.Part, m.Offset, m.Length = part, off+int64(first), int64(last-first+1)
	if wrong != 1 {
		m.Bit = -1
	}
	return m, true
}

// Front is what a file says of itself outside its sections.
type Front struct {
	Header     *Header
	Page, Foot []byte // header and section table, and the footer, as they must have been
	Mends      []Mend
	// Sure is whether a header's or a footer's checksum confirms it all. Otherwise Header is
	// what the section table or the caller says.
	Sure bool
}

// Tables yields section tables that a file of version v may have: sections in file order,
// made by Version.NewSection, with checksums.
type Tables func(v Version, yield func([]Section) bool)

// MendFront is ParseHeader for a damaged file. The header's fields are in the footer too,
// and the header's checksum covers those of the table. So a candidate for the table can be
// told from a wrong one if either of header and footer is sound, or differs in one bit from
// one that is. Candidates are the table as it is, with one bit flipped, and those that
// tables yields, unless it is nil.
//
// kind and id are what the caller knows of the file; they count if header and footer are
// lost. The length of the file is size unless a sound header says otherwise. The error is
// that of ParseHeader if the file cannot be mended.
func MendFront(file string, size int64, page, foot []byte, kind Kind, id ID, tables Tables) (*Front, error) {
	h, err := ParseHeader(file, size, page, foot)
	if err == nil {
		return &Front{Header: h, Page: page[:h.FrontSize()], Foot: foot, Sure: true}, nil
	}
	if size < HeaderSize {
		return nil, err
	}
	m := &fronts{size: size, kind: kind, id: id}
	m.page = append(make([]byte, 0, PageSize), page...)[:PageSize] // what is missing is zero
	m.foot = append(make([]byte, 0, FooterSize), foot...)[:FooterSize]
	m.anchor()
	if !m.anchored && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNotAnIndex) {
		return nil, err
	}
	if m.base.Version.Check() != nil || m.base.FileLen < HeaderSize+FooterSize || m.base.FileLen > MaxFileSize {
		return nil, err
	}
	sure := m.search(tables)
	if !sure && m.fallback == nil {
		return nil, err
	}
	if !sure {
		m.base.Version, m.base.Sections = m.fallbackVersion, m.fallback
	}
	f := &Front{Page: m.base.AppendFront(nil), Sure: sure}
	f.Foot = m.base.AppendFooter(nil, f.Page)
	if f.Header, err = ParseHeader(file, m.base.FileLen, f.Page, f.Foot); err != nil {
		return nil, err
	}
	f.compare(page, foot, size)
	return f, nil
}

// compare fills in what f changes of a file.
func (f *Front) compare(page, foot []byte, size int64) {
	add := func(part string, off int64, is, was []byte) {
		if m, ok := MendOf(part, off, is, was); ok {
			m.Sure = f.Sure
			f.Mends = append(f.Mends, m)
		}
	}
	add("header", 0, page[:min(len(page), HeaderSize)], f.Page[:HeaderSize])
	add("section table", HeaderSize, page[min(len(page), HeaderSize):min(len(page), len(f.Page))], f.Page[HeaderSize:])
	if size != f.Header.FileLen {
		foot = nil
	}
	add("footer", f.Header.FileLen-FooterSize, foot, f.Foot)
}

// fronts is the search for a front and a footer.
type fronts struct {
	size       int64
	kind       Kind
	id         ID
	page, foot []byte

	base     Header // without sections
	anchored bool   // want is known
	want     uint64 // the header's checksum
	count    int    // of sections, -1 if it is not known
	buf      []byte

	fallback        []Section // what to take if nothing is confirmed
	fallbackVersion Version
}

// anchor finds out what header and footer say.
func (m *fronts) anchor() {
	le := binary.LittleEndian
	m.count = -1
	footOK := flipUntil(m.foot, func() bool {
		return string(m.foot[:8]) == footerMagic && le.Uint64(m.foot[offFootSum:]) == xxhash.Sum64(m.foot[:offFootSum])
	})
	head := m.page[:HeaderSize]
	headOK := flipUntil(head, func() bool {
		return string(head[:8]) == headerMagic && le.Uint64(head[offHeaderSum:]) == xxhash.Sum64(head[:offHeaderSum])
	})
	from := head
	switch {
	case headOK:
		m.anchored, m.want, m.count = true, le.Uint64(head[offHeaderSum:]), int(min(le.Uint32(head[offSections:]), MaxSections))
	case footOK:
		from = m.foot
		m.anchored, m.want = true, le.Uint64(m.foot[offFootHeader:])
	default:
		m.base = Header{Version: Current(), Kind: m.kind, ID: m.id, FileLen: m.size}
		return
	}
	m.base = Header{
		Version: Version{le.Uint16(from[offMajor:]), le.Uint16(from[offMinor:])},
		Kind:    Kind(le.Uint32(from[offKind:])),
		ID:      ID(from[offID : offID+16]),
		FileLen: int64(le.Uint64(from[offFileLen:])), // at the same place in both
	}
}

// flipUntil flips one bit of b back that makes ok return true, unless it does already.
func flipUntil(b []byte, ok func() bool) bool {
	if ok() {
		return true
	}
	for i := range 8 * len(b) {
		b[i/8] ^= 1 << (i % 8)
		if ok() {
			return true
		}
		b[i/8] ^= 1 << (i % 8)
	}
	return false
}

// search looks for the section table and reports whether a checksum confirms the one in
// base. If neither header nor footer tells the version, it looks for one of each version.
func (m *fronts) search(tables Tables) bool {
	versions := []Version{m.base.Version}
	if !m.anchored {
		versions = []Version{Current(), version03, version02}
	}
	for _, v := range versions {
		m.base.Version = v
		if m.searchVersion(tables) {
			return true
		}
	}
	return false
}

func (m *fronts) searchVersion(tables Tables) bool {
	counts := m.counts()
	for _, n := range counts {
		if m.try(m.entries(n)) {
			return true
		}
		m.fallBack(m.entries(n))
	}
	for _, n := range counts {
		table := m.page[HeaderSize:][:n*SectionEntrySize]
		if m.anchored && flipUntil(table, func() bool { return m.try(m.entries(n)) }) {
			return true
		}
	}
	found := false
	if tables != nil {
		tables(m.base.Version, func(s []Section) bool {
			if found = m.try(s); !found {
				m.fallBack(s)
			}
			return !found
		})
	}
	return found
}

// counts returns the numbers of entries that the table may have. If the header does not say
// it, they are those that would leave two contradictions at most, as many as one flipped bit
// makes.
func (m *fronts) counts() (all []int) {
	if m.count >= 0 {
		return []int{m.count}
	}
	s := m.entries(MaxSections)
	broken := 0 // entries that do not begin where those before them end
	for n := 1; n <= len(s); n++ {
		wrong := 0
		if n > 1 && s[n-1].Offset != s[n-2].End() {
			broken++
		}
		if !m.base.Version.ValidFront(s[0].Offset, n) {
			wrong++
		}
		if s[n-1].End() != m.base.FileLen-FooterSize {
			wrong++
		}
		if broken+wrong <= 2 {
			all = append(all, n)
		}
	}
	return all
}

// entries returns the first n entries of the table as it is.
func (m *fronts) entries(n int) []Section {
	out := m.base.Sections[:0]
	for e := m.page[HeaderSize:]; len(out) < n; e = e[SectionEntrySize:] {
		s := parseEntry(e)
		s.paged = m.base.Version.paged()
		out = append(out, s)
	}
	return out
}

// try makes s the sections of base and reports whether the header's checksum confirms
// them.
func (m *fronts) try(s []Section) bool {
	m.base.Sections = s
	if !m.anchored || !m.base.Version.ValidFront(m.base.FrontSize(), len(s)) {
		return false
	}
	m.buf = m.base.AppendFront(m.buf[:0])
	return binary.LittleEndian.Uint64(m.buf[offHeaderSum:]) == m.want
}

// fallBack keeps s in case that nothing is confirmed, if it is a table for a file of this
// length, and the first.
func (m *fronts) fallBack(s []Section) {
	h := Header{Version: m.base.Version, FileLen: m.base.FileLen, Sections: s}
	if m.fallback != nil || len(s) == 0 || !h.Version.ValidFront(h.FrontSize(), len(s)) {
		return
	}
	m.buf = h.AppendFront(m.buf[:0])
	if h.parseTable(m.buf, len(s)) == nil {
		m.fallback, m.fallbackVersion = h.Sections, h.Version
	}
}
