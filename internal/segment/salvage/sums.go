package salvage

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
)

const groupSize = format.PageSumSize * (format.PageGroup + 1)

// pageSum returns the sum of a page by its number, and false if it is lost or there is none.
func (m *mender) pageSum(page int64) (uint32, bool) {
	g, at := m.pages.Group(page)
	if page < m.pages.First || page >= m.pages.End || m.groups[g] == nil {
		return 0, false
	}
	return binary.LittleEndian.Uint32(m.groups[g][at:]), true
}

// pageBytes returns a page, by its number.
func (m *mender) pageBytes(page int64) ([]byte, error) {
	lo, hi := m.pages.Bounds(page)
	return m.p.Range(lo, hi-lo)
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
	undo := m.p.save()
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
	for page := m.pages.First; page < m.pages.End && others != nil; page++ {
		if !m.soundPage(page, others) {
			continue
		}
		b, err := m.pageBytes(page)
		if err != nil {
			return false, err
		}
		g, at := m.pages.Group(page)
		binary.LittleEndian.PutUint32(m.groups[g][at:], format.PageSum(b))
	}
	undo()
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

// soundPage reports whether a page has bytes of sound sections only.
func (m *mender) soundPage(page int64, sound []bool) bool {
	lo, hi := m.pages.Bounds(page)
	for i, sec := range m.h.Sections[:len(sound)] {
		if sec.Offset < hi && sec.End() > lo && !sound[i] {
			return false
		}
	}
	return true
}

// putSums replaces PAGESUMS by what groups say, padding included, unless it is the same. It
// does nothing and returns false if a group is lost.
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
	if is, err := m.p.Range(m.sums.Offset, int64(len(content))); err != nil || string(is) != string(content) {
		m.p.put(m.sums.Offset, content)
	}
	return true
}
