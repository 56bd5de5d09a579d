package segtest

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// IsIndexError reports whether err means that a file is not a valid index file.
func IsIndexError(err error) bool {
	return errors.Is(err, format.ErrCorrupt) || errors.Is(err, format.ErrNotAnIndex) || errors.Is(err, format.ErrTooNew) || errors.Is(err, format.ErrTooOld)
}

// Repair recomputes every checksum of a damaged file whose outline is intact.
func Repair(b []byte) {
	if len(b) < format.PageSize+format.FooterSize {
		return
	}
	le := binary.LittleEndian
	for i := range min(le.Uint32(b[48:]), format.MaxSections) {
		e := b[format.HeaderSize+i*format.SectionEntrySize:]
		off, n := le.Uint64(e[8:]), le.Uint64(e[16:])
		if off > uint64(len(b)) || n > uint64(len(b)) || off+uint64(format.PadSection(int64(n))) > uint64(len(b)) {
			continue
		}
		sec := b[off : off+uint64(format.PadSection(int64(n)))]
		if format.SectionID(le.Uint32(e)) == format.SectionPostings {
			repairExtents(sec[:n])
		}
		if format.SectionID(le.Uint32(e)) == format.SectionPageSums {
			repairPages(b, sec[:n], int64(off))
		}
		le.PutUint64(e[24:], xxhash.Sum64(sec))
	}
	le.PutUint64(b[40:], xxhash.Sum64(b[format.HeaderSize:format.PageSize]))
	le.PutUint64(b[56:], xxhash.Sum64(b[:56]))
	f := b[len(b)-format.FooterSize:]
	copy(f[8:32], b[8:32])
	copy(f[40:48], b[56:64])
	le.PutUint64(f[56:], xxhash.Sum64(f[:56]))
}

// repairPages recomputes PAGESUMS, which is at off of b.
func repairPages(b, sums []byte, off int64) {
	if int64(len(sums)) != format.PageSumsLength(off/format.PageSize-1) {
		return
	}
	for len(sums) > 0 {
		n := min(format.PageSumSize*format.PageGroup, len(sums)-format.PageSumSize)
		for i := 0; i < n; i += format.PageSumSize {
			b = b[format.PageSize:]
			binary.LittleEndian.PutUint32(sums[i:], format.PageSum(b[:format.PageSize]))
		}
		binary.LittleEndian.PutUint32(sums[n:], format.PageSum(sums[:n]))
		sums = sums[n+format.PageSumSize:]
	}
}

func repairExtents(b []byte) {
	for len(b) >= 64 {
		n := int(binary.LittleEndian.Uint32(b[8:])) * 64
		if n < 64 || n > len(b) {
			return
		}
		binary.LittleEndian.PutUint64(b, xxhash.Sum64(b[8:n]))
		b = b[n:]
	}
}
