package salvage

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
)

const groupSize = format.PageSumSize * (format.PageGroup + 1)

// pageSum returns the sum of a page by its number, and false if it is lost.
func (m *mender) pageSum(page int64) (uint32, bool) {
	g, i := (page-1)/format.PageGroup, (page-1)%format.PageGroup
	if g >= int64(len(m.groups)) || m.groups[g] == nil {
		return 0, false
	}
	return binary.LittleEndian.Uint32(m.groups[g][format.PageSumSize*i:]), true
}

// readGroups reads the groups of PAGESUMS, with one flipped bit of a group or its sum
// flipped back. It reports whether it flipped one, or a group is lost.
func (m *mender) readGroups() (flipped bool, err error) {
	m.groups = nil
	for at := int64(0); at < m.sums.Length; at += groupSize {
		b, err := m.p.Range(m.sums.Offset+at, min(groupSize, m.sums.Length-at))
		if err != nil && !isCorrupt(err) {
			return false, err
		}
		var group []byte
		if err == nil {
			n := len(b) - format.PageSumSize
			group = append([]byte(nil), b[:n]...)
			want := binary.LittleEndian.Uint32(b[n:])
			if diff := format.PageSum(group) ^ want; diff != 0 {
				flipped = true
				if _, ok := format.FlippedSumBit(diff); !ok && !flipBack(group, want) {
					group = nil
				}
			}
		} else {
			flipped = true
		}
		m.groups = append(m.groups, group)
	}
	return flipped, nil
}

// mendSums mends PAGESUMS, of which sound says whether its checksum holds. others says that
// of the other sections. It reports whether PAGESUMS is sound then.
func (m *mender) mendSums(sound bool, others []bool) (bool, error) {
	changed, err := m.readGroups()
	if err != nil || sound && (m.sure || !changed) {
		return sound, err
	}
	if !m.sure {
		others = nil // their checksums may be those of what is damaged
	}
	stored := m.groups
	if m.putSums() {
		if ok, err := m.holds(m.sums); ok || err != nil {
			return ok, err
		}
		if !m.sure && !changed {
			return m.trustSums()
		}
	}
	// The pages of sound sections say what their sums are. Of the others, those in groups
	// that are sound remain.
	m.groups = make([][]byte, len(stored))
	for g := range stored {
		n := min(format.PageSumSize*format.PageGroup, m.sums.Length-int64(g)*groupSize-format.PageSumSize)
		m.groups[g] = make([]byte, n)
		copy(m.groups[g], stored[g])
	}
	for i, sec := range m.h.Sections[:len(others)] {
		for page := sec.Offset / format.PageSize; others[i] && page < (sec.Offset+sec.PaddedLength())/format.PageSize; page++ {
			b, err := m.p.piece(page*format.PageSize, format.PageSize)
			if err != nil {
				return false, err
			}
			g, at := (page-1)/format.PageGroup, (page-1)%format.PageGroup
			binary.LittleEndian.PutUint32(m.groups[g][format.PageSumSize*at:], format.PageSum(b))
		}
	}
	m.resetSums()
	m.putSums()
	return m.holds(m.sums)
}

// trustSums takes PAGESUMS for sound, whose own sums hold, where no checksum confirms the
// section table.
func (m *mender) trustSums() (bool, error) {
	last := len(m.h.Sections) - 1
	sum, ok, err := m.sum(m.sums)
	if err == nil && ok {
		m.h.Sections[last].Checksum, m.sums.Checksum = sum, sum
		m.restamp()
	}
	return ok, err
}

// resetSums takes the pages of PAGESUMS as they are again.
func (m *mender) resetSums() {
	first, end := m.sums.Offset/format.PageSize, (m.sums.Offset+m.sums.PaddedLength())/format.PageSize
	for page := first; page < end; page++ {
		delete(m.p.pages, page)
	}
}

// putSums replaces the pages of PAGESUMS that differ from what groups say, padding included.
// It does nothing and returns false if a group is lost.
func (m *mender) putSums() bool {
	content := make([]byte, 0, m.sums.PaddedLength())
	for _, g := range m.groups {
		if g == nil {
			return false
		}
		content = append(content, g...)
		content = binary.LittleEndian.AppendUint32(content, format.PageSum(g))
	}
	content = content[:cap(content)]
	for at := 0; at < len(content); at += format.PageSize {
		page := (m.sums.Offset + int64(at)) / format.PageSize
		is, err := m.p.piece(page*format.PageSize, format.PageSize)
		if was := content[at : at+format.PageSize]; err != nil || string(is) != string(was) {
			m.p.pages[page] = was
		}
	}
	return true
}
