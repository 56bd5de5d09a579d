package segment

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
)

// pages compares the pages of a segment's sections with PAGESUMS. Of a file in memory it
// checks each page on first touch; a page that is damaged fails every touch. What is read
// on demand is checked each time it is read.
type pages struct {
	sums   section
	count  int64 // pages of the file before PAGESUMS, the first page included
	off    bool  // nothing is checked
	good   []atomic.Uint64
	groups []atomic.Pointer[[]byte] // groups of sums that were found good
}

// findPageSums locates PAGESUMS, which covers what is before it.
func (s *Segment) findPageSums(mapped []byte) error {
	p := &s.pages
	last := len(s.h.Sections) - 1
	if p.sums.ID = format.SectionPageSums; s.h.Sections[last].ID != p.sums.ID {
		return s.corrupt(&p.sums, 0, "section is missing or not the last")
	}
	p.sums.Section = s.h.Sections[last]
	p.count = p.sums.Offset / format.PageSize
	if want := format.PageSumsLength(p.count - 1); p.sums.Length != want {
		return s.corrupt(&p.sums, 0, "section has %d bytes, %d pages need %d", p.sums.Length, p.count-1, want)
	}
	p.groups = make([]atomic.Pointer[[]byte], (p.count-1+format.PageGroup-1)/format.PageGroup)
	if mapped != nil && !p.off {
		p.good = make([]atomic.Uint64, (p.count+63)/64)
	}
	return nil
}

// touch checks the pages of n bytes at off of a section in memory.
func (s *Segment) touch(sec *section, off, n int64) error {
	if sec.mem == nil {
		return nil
	}
	at := sec.Offset + off
	if s.pages.isGood(at, at+n) {
		return nil
	}
	return s.checkMapped(sec, at, at+n)
}

// isGood reports whether the bytes from lo to hi of the file lie in one page, which was
// found good.
func (p *pages) isGood(lo, hi int64) bool {
	a := uint64(lo) / format.PageSize
	return a == uint64(hi-1)/format.PageSize && a/64 < uint64(len(p.good)) && p.good[a/64].Load()>>(a%64)&1 != 0
}

// checkMapped checks those pages of bytes lo to hi of the file that were not found good
// before. The bytes lie in sec, which is in memory.
func (s *Segment) checkMapped(sec *section, lo, hi int64) error {
	if s.pages.off || lo >= hi {
		return nil
	}
	mem := sec.mem[:cap(sec.mem)]
	for page, end := lo/format.PageSize, (hi-1)/format.PageSize; page <= end; {
		word := &s.pages.good[page/64]
		if run := bits.TrailingZeros64(^(word.Load() >> (page % 64))); run > 0 {
			page += int64(run)
			continue
		}
		at := page*format.PageSize - sec.Offset
		if err := s.checkPage(sec, page, mem[at:at+format.PageSize]); err != nil {
			return err
		}
		word.Or(1 << (page % 64))
		page++
	}
	return nil
}

// checkPage compares a page of the file, of section sec, with its sum.
func (s *Segment) checkPage(sec *section, page int64, b []byte) error {
	i := page - 1
	group, err := s.groupOf(i / format.PageGroup)
	if err != nil {
		return err
	}
	if format.PageSum(b) == binary.LittleEndian.Uint32(group[format.PageSumSize*(i%format.PageGroup):]) {
		return nil
	}
	at := page * format.PageSize
	return s.corrupt(sec, at-sec.Offset, "bytes %d to %d do not match their checksum", at, at+format.PageSize-1)
}

// groupOf returns a group of sums.
func (s *Segment) groupOf(i int64) ([]byte, error) {
	p := &s.pages
	if g := p.groups[i].Load(); g != nil {
		return *g, nil
	}
	const size = format.PageSumSize * (format.PageGroup + 1)
	at := i * size
	b, err := s.data.Range(p.sums.Offset+at, min(size, p.sums.Length-at))
	if err != nil {
		return nil, format.Locate(err, s.place(&p.sums))
	}
	sums := b[:len(b)-format.PageSumSize]
	if format.PageSum(sums) != binary.LittleEndian.Uint32(b[len(sums):]) {
		return nil, s.corrupt(&p.sums, at, "page checksums do not match their own, so bytes %d to %d cannot be checked",
			(1+i*format.PageGroup)*format.PageSize, min(1+(i+1)*format.PageGroup, p.count)*format.PageSize-1)
	}
	p.groups[i].Store(&sums)
	return sums, nil
}

// readPages reads n bytes at off of a section on demand. It reads whole pages, to check
// them.
func (s *Segment) readPages(sec *section, off, n int64) ([]byte, error) {
	at := sec.Offset + off
	lo, hi := at, at+n
	if !s.pages.off && n > 0 {
		lo, hi = lo&^(format.PageSize-1), (hi+format.PageSize-1)&^(format.PageSize-1)
	}
	b, err := s.data.Range(lo, hi-lo)
	if err != nil {
		return nil, format.Locate(err, s.place(sec))
	}
	if int64(len(b)) != hi-lo || n > 0 && lo%8 == 0 && !aligned(b, 8) {
		return nil, s.badSource(lo, hi-lo, len(b))
	}
	for page := lo; page < hi && !s.pages.off; page += format.PageSize {
		if err := s.checkPage(sec, page/format.PageSize, b[page-lo:page-lo+format.PageSize]); err != nil {
			return nil, err
		}
	}
	return b[at-lo : at-lo+n], nil
}
