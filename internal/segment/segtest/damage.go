package segtest

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/segment"
)

// IsIndexError reports whether err means that a file is not a valid index file.
func IsIndexError(err error) bool {
	return errors.Is(err, format.ErrCorrupt) || errors.Is(err, format.ErrNotAnIndex) || errors.Is(err, format.ErrTooNew) || errors.Is(err, format.ErrTooOld)
}

// Repair recomputes every checksum of a damaged file whose outline is intact.
func Repair(b []byte) {
	if len(b) < format.HeaderSize+format.SectionEntrySize+format.FooterSize {
		return
	}
	le := binary.LittleEndian
	v := format.Version{Major: le.Uint16(b[8:]), Minor: le.Uint16(b[10:])}
	n := min(le.Uint32(b[48:]), format.MaxSections)
	front := int64(le.Uint64(b[format.HeaderSize+8:]))
	if !v.ValidFront(front, int(n)) || front > int64(len(b)-format.FooterSize) {
		return
	}
	for i := range n {
		e := b[format.HeaderSize+i*format.SectionEntrySize:]
		off, n := le.Uint64(e[8:]), le.Uint64(e[16:])
		if off > uint64(len(b)) || n > uint64(len(b)) || off+uint64(v.PadSection(int64(n))) > uint64(len(b)) {
			continue
		}
		sec := b[off : off+uint64(v.PadSection(int64(n)))]
		if format.SectionID(le.Uint32(e)) == format.SectionPostings {
			repairExtents(sec[:n])
		}
		if format.SectionID(le.Uint32(e)) == format.SectionPageSums {
			repairPages(b, sec[:n], v.Pages(front, int64(off)))
		}
		le.PutUint64(e[24:], xxhash.Sum64(sec))
	}
	le.PutUint64(b[40:], xxhash.Sum64(b[format.HeaderSize:front]))
	le.PutUint64(b[56:], xxhash.Sum64(b[:56]))
	f := b[len(b)-format.FooterSize:]
	copy(f[8:32], b[8:32])
	copy(f[40:48], b[56:64])
	le.PutUint64(f[56:], xxhash.Sum64(f[:56]))
}

// repairPages recomputes PAGESUMS.
func repairPages(b, sums []byte, pages format.Pages) {
	if int64(len(sums)) != pages.SumsLength() {
		return
	}
	for page := pages.First; page < pages.End; {
		_, end := pages.Of((page - pages.First) / format.PageGroup)
		at := 0
		for ; page < end; page++ {
			lo, hi := pages.Bounds(page)
			binary.LittleEndian.PutUint32(sums[at:], format.PageSum(b[lo:hi]))
			at += format.PageSumSize
		}
		binary.LittleEndian.PutUint32(sums[at:], format.PageSum(sums[:at]))
		sums = sums[at+format.PageSumSize:]
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

// InVersion returns a segment file, of this version, as one of version 0.minor, which is 0.3 or later: before 0.6 IDHASH was not packed.
func InVersion(t TB, b []byte, minor uint16) []byte {
	t.Helper()
	f, err := damage.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	var words []uint64
	err = Open(t, segment.Aligned(b)).Documents().EachID(func(doc uint32, id []byte) error {
		words = append(words, xxhash.Sum64(id)>>32<<32|uint64(doc))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(words)
	f.Version.Minor = minor
	for i := range f.Sections {
		if f.Sections[i].ID == format.SectionIDHash && minor < 6 {
			f.Sections[i].Content = nil
			for _, w := range words {
				f.Sections[i].Content = binary.LittleEndian.AppendUint64(f.Sections[i].Content, w)
			}
		}
	}
	return segment.Aligned(f.Bytes())
}
