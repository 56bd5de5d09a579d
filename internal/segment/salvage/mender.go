package salvage

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
)

// mender is one run of Mend.
type mender struct {
	name  string
	known Known
	p     *patched
	h     *format.Header
	sure  bool // a checksum confirms h

	sums   format.Section   // PAGESUMS
	pages  format.Pages     // that have sums
	groups [][]byte         // its groups without their sums, nil if they are lost
	unsure []format.Section // whose checksums do not hold
	as     *described       // what META and FIELDS say as far as is known, if they are lost
}

// setFront replaces header, section table and footer.
func (m *mender) setFront(page, foot []byte) {
	m.p.put(0, page)
	m.p.put(m.h.FileLen-format.FooterSize, foot)
}

// restamp writes header, section table and footer again after a change of h.
func (m *mender) restamp() {
	page := m.h.AppendFront(nil)
	m.setFront(page, m.h.AppendFooter(nil, page))
}

// chunk is how many bytes are read at once.
const chunk = 64 << 10

// sum returns the checksum of a section, and false if some of it is missing.
func (m *mender) sum(sec format.Section) (uint64, bool, error) {
	digest := xxhash.New()
	for off, left := sec.Offset, sec.PaddedLength(); left > 0; {
		b, err := m.p.piece(off, min(left, chunk))
		if isCorrupt(err) {
			return 0, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		digest.Write(b)
		off, left = off+int64(len(b)), left-int64(len(b))
	}
	return digest.Sum64(), true, nil
}

// holds reports whether the checksum of a section holds.
func (m *mender) holds(sec format.Section) (bool, error) {
	sum, ok, err := m.sum(sec)
	return ok && sum == sec.Checksum, err
}

// flipBack flips one bit of page so that its sum is want, unless it is, and reports whether
// it is then.
func flipBack(page []byte, want uint32) bool {
	diff := format.PageSum(page) ^ want
	if diff == 0 {
		return true
	}
	bit, ok := format.FlippedBit(diff, len(page))
	if ok {
		page[bit/8] ^= 1 << (bit % 8)
	}
	return ok
}

func sumOf(b []byte) uint64 { return xxhash.Sum64(b) }

// word returns the 64-bit number at an offset of the file.
func (m *mender) word(off int64) (uint64, bool) {
	b, err := m.p.Range(off, 8)
	if err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

// isCorrupt reports whether err says that bytes are damaged or missing, rather than that
// they could not be read just now.
func isCorrupt(err error) bool { return errors.Is(err, format.ErrCorrupt) }

// Known is what is known of a segment from elsewhere, such as the manifest. Zero values are
// not known.
type Known struct {
	ID                        format.ID
	Postings, Tokens          uint64
	Analyzer, AnalyzerOptions string
	// Schemas are sets of fields of which the segment may have one, or those with the least ids of
	// one: of manifests, and of other segments of the index.
	Schemas [][]schema.Field
}
