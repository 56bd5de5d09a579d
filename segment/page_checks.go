package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// touch checks the pages of n bytes at off of a section in memory.
func (s *Segment) touch(sec *section, off, n int64) error {
	if sec.mem == nil {
		return nil
	}
	at := sec.Offset + off
	if s.pages.isGood(at, at+n) {
		return nil
	}
	return pageChecks{s}.mapped(sec, at, at+n)
}

// pageChecks compares pages of a segment with their sums.
type pageChecks struct{ *Segment }

// mapped checks the pages of bytes lo to hi of the file, which lie in sec.
func (c pageChecks) mapped(sec *section, lo, hi int64) error {
	if lo >= hi {
		return nil
	}
	return c.check(sec, lo/format.PageSize, (hi-1)/format.PageSize+1, c.pages.mem, 0)
}

// check checks those pages up to end that were not found good before. They have bytes
// of sec, and are in b, which begins at off of the file. Where a page is damaged that sec
// shares with other sections, its own checksum decides.
func (c pageChecks) check(sec *section, page, end int64, b []byte, off int64) error {
	for page = c.pages.unchecked(page, end); page < end; page = c.pages.unchecked(page+1, end) {
		lo, hi := c.pages.Bounds(page)
		if err := c.page(sec, page, b[lo-off:hi-off]); err != nil && (lo >= sec.Offset && hi <= sec.End() || !c.holds(sec, page, b[lo-off:hi-off])) {
			return err
		}
	}
	return nil
}

// wholeMost is the most bytes that a section may have for its checksum to be computed when a
// page that it shares is damaged.
const wholeMost = 64 << 20

// holding is a section with a page, of which it has some bytes, as it was read.
type holding struct {
	sec  format.SectionID
	page int64
	sum  uint32
}

// holds reports whether the checksum of sec holds with what it has of page in b, whatever else it
// reads.
func (c pageChecks) holds(sec *section, page int64, b []byte) bool {
	key := holding{sec.ID, page, format.PageSum(b)}
	if is, ok := c.pages.held.Load(key); ok || sec.PaddedLength() > wholeMost {
		return ok && is.(bool)
	}
	lo, hi := c.pages.Bounds(page)
	from, to := max(lo, sec.Offset), min(hi, sec.End())
	sum := xxhash.New()
	if !c.sumOf(sum, sec.Offset, from) {
		return false
	}
	sum.Write(b[from-lo : to-lo])
	if !c.sumOf(sum, to, sec.End()) {
		return false
	}
	is := sum.Sum64() == sec.Checksum
	if is || c.pages.mem != nil { // else what was wrong may come right
		c.pages.held.Store(key, is)
	}
	return is
}

// sumOf adds bytes off to end of the file to sum, unless they cannot be read.
func (c pageChecks) sumOf(sum *xxhash.Digest, off, end int64) bool {
	for off < end {
		n := min(end-off, 1<<20)
		b, err := c.read(off, n)
		if err != nil {
			return false
		}
		sum.Write(b)
		off += n
	}
	return true
}

// page compares b, a page with bytes of section sec, with its sum.
func (c pageChecks) page(sec *section, page int64, b []byte) error {
	i, at := c.pages.Group(page)
	group, err := c.groupOf(i)
	if err != nil {
		return err
	}
	if format.PageSum(b) == binary.LittleEndian.Uint32(group[at:]) {
		if c.pages.good != nil && !c.pages.anew {
			c.pages.good[page/64].Or(1 << (page % 64))
		}
		return nil
	}
	lo, hi := c.pages.Bounds(page)
	return c.corrupt(sec, lo-sec.Offset, "bytes %d to %d do not match their checksum", lo, hi-1)
}

// groupOf returns a group of sums.
func (c pageChecks) groupOf(i int64) ([]byte, error) {
	p := &c.pages
	if g := p.groups[i].Load(); g != nil {
		return *g, nil
	}
	const size = format.PageSumSize * (format.PageGroup + 1)
	at := i * size
	n := min(size, p.sums.Length-at)
	if c.ahead != nil { // not what is around it
		c.ahead.WillNeed(p.sums.Offset+at, n)
	}
	b, err := c.sound(p.sums.Offset+at, n, func(b []byte) error {
		if sums := b[:len(b)-format.PageSumSize]; format.PageSum(sums) == binary.LittleEndian.Uint32(b[len(sums):]) {
			return nil
		}
		first, end := p.Of(i)
		lo, _ := p.Bounds(first)
		_, hi := p.Bounds(end - 1)
		return c.corrupt(&p.sums, at, "page checksums do not match their own, so bytes %d to %d cannot be checked", lo, hi-1)
	})
	if err != nil {
		return nil, format.Locate(err, c.place(&p.sums))
	}
	sums := b[:len(b)-format.PageSumSize]
	if c.postings.mem == nil {
		sums = bytes.Clone(sums) // which frees what it was read with
	}
	p.groups[i].Store(&sums)
	return sums, nil
}

// readPages reads n bytes at off of a section on demand: whole pages if some of them must be
// checked.
func (c pageChecks) readPages(sec *section, off, n int64) ([]byte, error) {
	at := sec.Offset + off
	lo, hi := at, at+n
	page, end := lo/format.PageSize, (hi+format.PageSize-1)/format.PageSize
	check := c.pages.unchecked(page, end) < end
	if check {
		lo, _ = c.pages.Bounds(page)
		_, hi = c.pages.Bounds(end - 1)
	}
	b, err := c.sound(lo, hi-lo, func(b []byte) error {
		if n > 0 && lo%8 == 0 && !aligned(b, 8) {
			return fmt.Errorf("segment %s: data source gave unaligned bytes at %d: %w", c.name, lo, fs.ErrInvalid)
		}
		if !check {
			return nil
		}
		return c.check(sec, page, end, b, lo)
	})
	if err != nil {
		return nil, format.Locate(err, c.place(sec))
	}
	return b[at-lo : at-lo+n], nil
}
