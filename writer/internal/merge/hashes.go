package merge

import (
	"context"
	"math/bits"

	"github.com/pinion-index/pinion/format"
)

// hashMerger merges the IDHASH sections of sources into that of their live
// documents in one segment, a piece at a time.
type hashMerger struct {
	ctx     context.Context
	sources []*source
	rest    [][]uint64 // the hashes of every source that are left
	last    []uint64   // the hash before rest
	live    []uint32   // live documents returned
}

// hashPiece is how many hashes of one source, not counting equal ones, a piece
// takes.
const hashPiece = 2048

// all yields the pieces, or an error and nothing after it.
func (m *hashMerger) all(yield func([]uint64, error) bool) {
	err := m.start()
	var runs, spare []uint64
	var ends []int
	for err == nil {
		var to uint64
		var more bool
		if to, more, err = m.bound(); err != nil {
			break
		}
		if !more {
			err = m.end()
			break
		}
		runs, ends = runs[:0], ends[:0]
		for i := range m.sources {
			if runs, err = m.take(runs, i, to); err != nil {
				break
			}
			ends = append(ends, len(runs))
		}
		if err != nil {
			break
		}
		runs, spare = mergeRuns(runs, spare, ends)
		if !yield(runs, nil) {
			return
		}
	}
	if err != nil {
		yield(nil, err)
	}
}

func (m *hashMerger) start() error {
	n := len(m.sources)
	m.rest, m.last, m.live = make([][]uint64, n), make([]uint64, n), make([]uint32, n)
	for i, src := range m.sources {
		var err error
		if m.rest[i], err = src.seg.IDHashes(); err != nil {
			return err
		}
	}
	return nil
}

// bound returns the last hash of the next piece, which at least one source has. more is
// false if nothing is left.
func (m *hashMerger) bound() (to uint64, more bool, err error) {
	to = 1<<32 - 1
	for i, h := range m.rest {
		more = more || len(h) > 0
		if len(h) > hashPiece {
			if h[hashPiece] < h[0] {
				return 0, false, m.corrupt(i, "hash %08x comes after %08x", h[hashPiece]>>32, h[0]>>32)
			}
			to = min(to, h[hashPiece]>>32)
		}
	}
	return to, more, m.ctx.Err()
}

// take appends the hashes of source i up to and including bound to dst, with the
// docIDs of the merged segment.
func (m *hashMerger) take(dst []uint64, i int, to uint64) ([]uint64, error) {
	src, rest, last := m.sources[i], m.rest[i], m.last[i]
	docs := src.seg.Meta().Docs
	begun := len(rest) < int(docs)
	n := 0
	for _, v := range rest {
		if v>>32 > to {
			break
		}
		doc := uint32(v)
		if doc >= docs || v <= last && begun {
			return dst, m.corrupt(i, "hash %08x of docID %d (of %d) follows %08x", v>>32, doc, docs, last>>32)
		}
		last, begun = v, true
		n++
		if src.gone == nil {
			dst = append(dst, v+uint64(src.base))
		} else if !src.gone.isDeleted(doc) {
			dst = append(dst, v&^0xffffffff|uint64(src.gone.to(doc)+src.base))
			m.live[i]++
		}
	}
	if src.gone == nil {
		m.live[i] += uint32(n)
	}
	m.rest[i], m.last[i] = rest[n:], last
	return dst, nil
}

// end checks that no hash is missing.
func (m *hashMerger) end() error {
	for i, src := range m.sources {
		if m.live[i] != src.live {
			return m.corrupt(i, "%d live documents have hashes, there are %d", m.live[i], src.live)
		}
	}
	return nil
}

func (m *hashMerger) corrupt(source int, msg string, args ...any) error {
	return format.Locate(format.Corrupt(msg, args...), format.Place{
		File: m.sources[source].seg.Name(), Section: format.SectionIDHash.String(), Block: format.NoBlock,
	})
}

// mergeRuns merges the ascending runs of keys, which end at ends. It returns the
// result and a spare slice; one of the two is keys. It overwrites ends.
func mergeRuns(keys, spare []uint64, ends []int) (merged, rest []uint64) {
	if cap(spare) < len(keys) {
		spare = make([]uint64, cap(keys))
	}
	for len(ends) > 1 {
		spare = spare[:len(keys)]
		from, k := 0, 0
		for i := 0; i < len(ends); i += 2 {
			mid := ends[i]
			end := ends[min(i+1, len(ends)-1)]
			mergeTwo(spare[from:end], keys[from:mid], keys[mid:end])
			ends[k] = end
			k++
			from = end
		}
		ends = ends[:k]
		keys, spare = spare, keys
	}
	return keys, spare
}

// mergeTwo merges a and b into dst, which is as long as both together. It does not
// branch on keys, since that is hard to predict.
func mergeTwo(dst, a, b []uint64) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		_, less := bits.Sub64(x, y, 0)
		dst[i+j] = min(x, y)
		i += int(less)
		j += 1 - int(less)
	}
	copy(dst[i+j:], a[i:])
	copy(dst[i+j+len(a)-i:], b[j:])
}
