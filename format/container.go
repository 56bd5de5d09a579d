package format

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Sizes and limits of the container. All offsets and lengths are in bytes.
const (
	// PageSize is the size of the pages that PAGESUMS has sums of, and the most that header
	// and section table may have.
	PageSize = 4096
	// HeaderSize is the size of the header at offset 0.
	HeaderSize = 64
	// FooterSize is the size of the footer, the last bytes of the file.
	FooterSize = 64
	// SectionEntrySize is the size of one entry of the section table.
	SectionEntrySize = 32
	// MaxSections is the number of section table entries that fit in PageSize.
	MaxSections = (PageSize - HeaderSize) / SectionEntrySize
	// ReadablePadding is the minimum number of zero bytes after the content of every
	// section, so that vector loads at its end stay inside the file.
	ReadablePadding = 64
	// MaxFileSize is the maximum size of a file: 2^46 bytes.
	MaxFileSize = 1 << 46
)

// Magic numbers of header and footer. Like PNG's, the header's detects text-mode
// transfers.
const (
	headerMagic = "\x89PIN\r\n\x1a\n"
	footerMagic = "PINIONED"
)

// Field offsets in header and footer; see FORMAT.md.
const (
	offMajor      = 8
	offMinor      = 10
	offKind       = 12
	offID         = 16
	offFileLen    = 32
	offTableSum   = 40
	offSections   = 48
	offFlags      = 52
	offHeaderSum  = 56
	offFootLen    = 32
	offFootHeader = 40
	offFootZero   = 48
	offFootSum    = 56
)

// ID identifies a file's content. It is random, except that a deletes file has the ID of
// its segment.
type ID [16]byte

// Section is one entry of the section table.
type Section struct {
	ID       SectionID
	Flags    uint32
	Offset   int64  // multiple of SectionAlign
	Length   int64  // content, without padding
	Checksum uint64 // xxhash64 of content and padding

	paged bool // of a file whose version is paged
}

// PaddedLength returns the length including the section's zero padding: at least
// ReadablePadding bytes, up to a multiple of SectionAlign.
func (s Section) PaddedLength() int64 {
	if s.paged {
		return version02.PadSection(s.Length)
	}
	return Current().PadSection(s.Length)
}

// End returns the offset behind the section's padding.
func (s Section) End() int64 { return s.Offset + s.PaddedLength() }

// Header is what the front of a file says: header and section table.
type Header struct {
	Version  Version
	Kind     Kind
	ID       ID
	FileLen  int64
	Sections []Section // in file order
}

// Section returns the entry of section id and reports whether there is one.
func (h *Header) Section(id SectionID) (Section, bool) {
	for _, s := range h.Sections {
		if s.ID == id {
			return s, true
		}
	}
	return Section{}, false
}

// AppendFront appends header and section table to dst: FrontSize bytes.
func (h *Header) AppendFront(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, h.FrontSize())...)
	p := dst[at:]
	for i, s := range h.Sections {
		e := p[HeaderSize+i*SectionEntrySize:]
		binary.LittleEndian.PutUint32(e, uint32(s.ID))
		binary.LittleEndian.PutUint32(e[4:], s.Flags)
		binary.LittleEndian.PutUint64(e[8:], uint64(s.Offset))
		binary.LittleEndian.PutUint64(e[16:], uint64(s.Length))
		binary.LittleEndian.PutUint64(e[24:], s.Checksum)
	}
	copy(p, headerMagic)
	binary.LittleEndian.PutUint16(p[offMajor:], h.Version.Major)
	binary.LittleEndian.PutUint16(p[offMinor:], h.Version.Minor)
	binary.LittleEndian.PutUint32(p[offKind:], uint32(h.Kind))
	copy(p[offID:], h.ID[:])
	binary.LittleEndian.PutUint64(p[offFileLen:], uint64(h.FileLen))
	binary.LittleEndian.PutUint64(p[offTableSum:], xxhash.Sum64(p[HeaderSize:]))
	binary.LittleEndian.PutUint32(p[offSections:], uint32(len(h.Sections)))
	binary.LittleEndian.PutUint64(p[offHeaderSum:], xxhash.Sum64(p[:offHeaderSum]))
	return dst
}

// AppendFooter appends the footer of the file to dst. front begins with its header.
func (h *Header) AppendFooter(dst, front []byte) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, FooterSize)...)
	p := dst[at:]
	copy(p, footerMagic)
	copy(p[offMajor:offFootLen], front[offMajor:offFootLen])
	binary.LittleEndian.PutUint64(p[offFootLen:], uint64(h.FileLen))
	copy(p[offFootHeader:], front[offHeaderSum:HeaderSize])
	binary.LittleEndian.PutUint64(p[offFootSum:], xxhash.Sum64(p[:offFootSum]))
	return dst
}

// ParseHeader decodes and checks header, section table and footer of a file of size bytes.
// page must be the first PageSize bytes, or the whole file if it is shorter, and foot the
// last FooterSize bytes. Section contents are not checked. The error is an *Error that
// names file.
func ParseHeader(file string, size int64, page, foot []byte) (*Header, error) {
	h, err := parseHeader(size, page, foot)
	if err != nil {
		return nil, Locate(err, Place{File: file, Section: "header", Block: NoBlock})
	}
	return h, nil
}

// ParseFile is ParseHeader for a file in memory.
func ParseFile(file string, b []byte) (*Header, error) {
	return ParseHeader(file, int64(len(b)), b[:min(PageSize, len(b))], b[max(0, len(b)-FooterSize):])
}

func parseHeader(size int64, page, foot []byte) (*Header, error) {
	if len(page) < HeaderSize || string(page[:8]) != headerMagic {
		return nil, &Error{Kind: ErrNotAnIndex, Block: NoBlock, Offset: 0, Msg: "no Pinion header"}
	}
	v := Version{binary.LittleEndian.Uint16(page[offMajor:]), binary.LittleEndian.Uint16(page[offMinor:])}
	sumOK := binary.LittleEndian.Uint64(page[offHeaderSum:]) == xxhash.Sum64(page[:offHeaderSum])
	err := v.Check()
	if !sumOK && v.Major <= Current().Major { // another major version may have another header
		return nil, corruptAt(0, "header checksum does not match")
	}
	if err != nil {
		return nil, err
	}
	h := &Header{
		Version: v,
		Kind:    Kind(binary.LittleEndian.Uint32(page[offKind:])),
		ID:      ID(page[offID : offID+16]),
		FileLen: int64(binary.LittleEndian.Uint64(page[offFileLen:])),
	}
	if h.FileLen != size {
		return nil, corruptAt(offFileLen, "file has %d bytes, its header says %d", size, h.FileLen)
	}
	if size < HeaderSize+FooterSize || size > MaxFileSize || len(foot) != FooterSize {
		return nil, corruptAt(offFileLen, "impossible file length %d", size)
	}
	if binary.LittleEndian.Uint32(page[offFlags:]) != 0 {
		return nil, corruptAt(offFlags, "reserved header flags are set")
	}
	n := binary.LittleEndian.Uint32(page[offSections:])
	if n > MaxSections {
		return nil, corruptAt(offSections, "%d sections, at most %d fit", n, MaxSections)
	}
	front := size - FooterSize
	if e := page[HeaderSize:]; n > 0 && len(e) >= SectionEntrySize {
		front = parseEntry(e).Offset
	}
	if !v.ValidFront(front, int(n)) || front > int64(len(page)) || front > size-FooterSize {
		return nil, corruptAt(HeaderSize, "%d sections begin at %d of %d bytes", n, front, size)
	}
	if binary.LittleEndian.Uint64(page[offTableSum:]) != xxhash.Sum64(page[HeaderSize:front]) {
		return nil, corruptAt(HeaderSize, "section table checksum does not match")
	}
	if err := h.parseFooter(page, foot); err != nil {
		return nil, err
	}
	return h, h.parseTable(page[:front], int(n))
}

func (h *Header) parseFooter(page, foot []byte) error {
	at := h.FileLen - FooterSize
	switch {
	case string(foot[:8]) != footerMagic:
		return corruptAt(at, "no footer: the file is truncated or was never finished")
	case binary.LittleEndian.Uint64(foot[offFootSum:]) != xxhash.Sum64(foot[:offFootSum]):
		return corruptAt(at, "footer checksum does not match")
	case string(foot[offMajor:offFootLen]) != string(page[offMajor:offFootLen]),
		string(foot[offFootHeader:offFootZero]) != string(page[offHeaderSum:HeaderSize]),
		int64(binary.LittleEndian.Uint64(foot[offFootLen:])) != h.FileLen,
		binary.LittleEndian.Uint64(foot[offFootZero:]) != 0:
		return corruptAt(at, "footer belongs to another file than the header")
	}
	return nil
}

// parseTable reads the n entries of front's section table. Sections must be adjacent, so that
// every byte of the file is covered by exactly one checksum.
func (h *Header) parseTable(front []byte, n int) error {
	h.Sections = make([]Section, n)
	next := int64(len(front))
	for i := range h.Sections {
		s := parseEntry(front[HeaderSize+i*SectionEntrySize:])
		s.paged = h.Version.paged()
		if err := h.checkEntry(s, i, next); err != nil {
			err.Offset = int64(HeaderSize + i*SectionEntrySize)
			return err
		}
		next = s.End()
		h.Sections[i] = s
	}
	unused := HeaderSize + n*SectionEntrySize
	if i := NonZero(front[unused:]); i >= 0 {
		return corruptAt(int64(unused+i), "unused part of the section table is not zero")
	}
	if next != h.FileLen-FooterSize {
		return corruptAt(offSections, "sections end at %d, the footer begins at %d", next, h.FileLen-FooterSize)
	}
	return nil
}

// checkEntry checks entry i of the section table, which must begin at next.
func (h *Header) checkEntry(s Section, i int, next int64) *Error {
	info := s.ID.info()
	switch {
	case s.Length < 0 || s.Length > h.FileLen || s.Offset != next:
		return Corrupt("section %s: offset %d and length %d do not fit the file", s.ID, s.Offset, s.Length)
	case s.Flags&SectionRequired != 0 && info == nil:
		return &Error{Kind: ErrTooNew, Block: NoBlock, Msg: "required " + s.ID.String() + " is unknown to this build"}
	case info != nil && info.Reserved:
		return &Error{Kind: ErrTooNew, Block: NoBlock, Msg: "section " + s.ID.String() + " is not supported by this build"}
	case s.Flags&^SectionRequired != 0:
		return Corrupt("section %s: unknown flags %#x", s.ID, s.Flags)
	}
	for _, t := range h.Sections[:i] {
		if t.ID == s.ID {
			return Corrupt("section %s appears twice", s.ID)
		}
	}
	return nil
}

// parseEntry decodes an entry of the section table.
func parseEntry(e []byte) Section {
	return Section{
		ID:       SectionID(binary.LittleEndian.Uint32(e)),
		Flags:    binary.LittleEndian.Uint32(e[4:]),
		Offset:   int64(binary.LittleEndian.Uint64(e[8:])),
		Length:   int64(binary.LittleEndian.Uint64(e[16:])),
		Checksum: binary.LittleEndian.Uint64(e[24:]),
	}
}

func corruptAt(off int64, msg string, args ...any) *Error {
	e := Corrupt(msg, args...)
	e.Offset = off
	return e
}
