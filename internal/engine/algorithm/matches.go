package algorithm

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

var errShortFreqs = format.Corrupt("block has more docIDs than frequencies, or fewer")

// Matches are documents that all lists searched so far hold.
type Matches struct {
	Docs []uint32
	// at[j][i] is the position of docs[i] in list j or, shifted left by 32 bits, its frequency in
	// that list, which is never 0. Of a cached list at[j] may be empty: complete looks frequencies up.
	at [][]uint64

	borrowed bool     // docs is a decoded block of list 0, and at[0] is not set yet
	first    int      // position of docs in list 0 while borrowed
	own      []uint32 // memory for docs that are not borrowed

	kept  []uint32  // while searching a list: indexes of the documents that it holds
	block []uint32  // scratch: a decoded block of frequencies
	freqs []uint32  // scratch: of docs in one list
	norms []float32 // of docs
	terms []float32 // scratch: scores of docs in one list
}

// Reset empties m and makes it ready for lists lists.
func (m *Matches) Reset(lists int) {
	m.Docs, m.borrowed = m.own[:0], false
	for len(m.at) < lists {
		m.at = append(m.at, nil)
	}
	for j, at := range m.at {
		m.at[j] = at[:0]
	}
}

// Append adds the matches of n, which has lists lists.
func (m *Matches) Append(n *Matches, lists int) {
	m.own = append(m.Docs, n.Docs...)
	m.Docs = m.own
	for j, at := range n.at[:lists] {
		m.at[j] = append(m.at[j], at...)
	}
}

// begin makes docs, whose positions in list 0 start at first, the matches. docs must not change
// until fill or keep is called.
func (m *Matches) begin(docs []uint32, first int) {
	m.Docs, m.first, m.borrowed = docs, first, true
}

// fill copies the argument of begin, so that m no longer depends on it.
func (m *Matches) fill() {
	if !m.borrowed {
		return
	}
	m.own = append(m.own[:0], m.Docs...)
	m.Docs, m.borrowed = m.own, false
	for i := range m.Docs {
		m.at[0] = append(m.at[0], uint64(m.first+i))
	}
}

// beginAbove makes the docs whose scores are above pass the matches. freqs are their frequencies.
// pass is not negative.
func (m *Matches) beginAbove(docs, freqs []uint32, scores []float32, pass float32) {
	own, at := m.own[:0], m.at[0]
	for i, s := range scores {
		if s > pass {
			own = append(own, docs[i])
			at = append(at, uint64(freqs[i])<<32)
		}
	}
	m.Docs, m.own, m.at[0] = own, own, at
}

// find looks up the documents in list j, which has no entries in at yet. It sets kept to the indexes of those that the
// list holds, and adds their positions.
func (m *Matches) find(l *posting.List, j int) { m.kept, m.at[j] = lookUp(l, m.Docs, m.kept, m.at[j]) }

// findFreqs looks docs up in l alone: it sets kept to the indexes of those that l holds, and freqs to their frequencies.
func (m *Matches) findFreqs(l *posting.List, docs []uint32) error {
	if len(m.at) == 0 {
		m.at = append(m.at, nil)
	}
	m.kept, m.at[0] = lookUp(l, docs, m.kept, m.at[0])
	return m.readFreqs(l, m.at[0])
}

// lookUp looks docs, which ascend, up in l. It returns the indexes of those that l holds and their positions in it, in memory of kept
// and at.
func lookUp(l *posting.List, docs, kept []uint32, at []uint64) ([]uint32, []uint64) {
	n, k := len(docs), 0
	kept, at = grow(kept, n), grow(at, n)
	for i := 0; i < n; {
		if chunk, first := l.ChunkOf(docs[i]); chunk != nil {
			found, next := posting.Find(docs, i, chunk, first, kept[k:], at[k:])
			k, i = k+found, next
			continue
		}
		doc := l.NextGEQ(docs[i]) // of a list without chunks
		if doc == posting.End {
			break
		}
		if doc == docs[i] {
			kept[k], at[k] = uint32(i), uint64(l.Pos())
			k++
		}
		i++
	}
	l.Probes += uint64(n)
	l.Found += uint64(k)
	return kept[:k], at[:k]
}

// findDense is find for a cached list.
func (m *Matches) findDense(l *posting.List, j int, d *posting.Dense) {
	l.Huge = d.Huge // l may not be open
	n := len(m.Docs)
	if cap(m.kept) < n {
		m.kept = make([]uint32, 2*n)
	}
	kept, k := m.kept[:n], 0
	for i, doc := range m.Docs {
		kept[k] = uint32(i)
		k += d.Holds(doc)
	}
	l.Probes += uint64(n)
	l.Found += uint64(k)
	m.kept = kept[:k]
}

// complete makes at[j] have the frequencies of the documents in list j, if it is cached and they are not there yet.
func (m *Matches) complete(j int, d *posting.Dense) {
	if d == nil || len(m.at[j]) > 0 {
		return
	}
	m.readDense(d)
	for _, f := range m.freqs {
		m.at[j] = append(m.at[j], uint64(f)<<32)
	}
}

// readDense sets m.freqs to the frequencies of the documents in a cached list that holds them.
func (m *Matches) readDense(d *posting.Dense) {
	m.growFreqs(len(m.Docs))
	if d.Freqs(m.freqs, m.Docs) == posting.ManyFreq {
		for i, f := range m.freqs {
			if f == posting.ManyFreq {
				m.freqs[i] = d.ManyFreq(m.Docs[i])
			}
		}
	}
}

// growFreqs makes m.freqs n elements, of any value.
func (m *Matches) growFreqs(n int) {
	if cap(m.freqs) < n+bm25.Slack {
		m.freqs = make([]uint32, 2*(n+bm25.Slack))
	}
	m.freqs = m.freqs[:n]
}

// keep drops the documents that are not in kept, with their entries for the lists before list j.
func (m *Matches) keep(j int) {
	if m.borrowed {
		own, at := m.own[:0], m.at[0]
		for _, i := range m.kept {
			own = append(own, m.Docs[i])
			at = append(at, uint64(m.first)+uint64(i))
		}
		m.Docs, m.own, m.at[0], m.borrowed = own, own, at, false
		return
	}
	if len(m.kept) == len(m.Docs) {
		return
	}
	for k, i := range m.kept {
		m.Docs[k] = m.Docs[i]
	}
	m.Docs = m.Docs[:len(m.kept)]
	for a, at := range m.at[:j] {
		if len(at) > 0 {
			for k, i := range m.kept {
				at[k] = at[i]
			}
			m.at[a] = at[:len(m.kept)]
		}
	}
}

// keepWith is keep if lists were searched in any order: list j was searched last.
func (m *Matches) keepWith(j int) {
	if len(m.kept) == len(m.Docs) {
		return
	}
	last := m.at[j]
	m.at[j] = nil
	for k, i := range m.kept {
		m.Docs[k] = m.Docs[i]
	}
	m.Docs = m.Docs[:len(m.kept)]
	for a, at := range m.at {
		if len(at) > 0 {
			for k, i := range m.kept {
				at[k] = at[i]
			}
			m.at[a] = at[:len(m.kept)]
		}
	}
	m.at[j] = last
}

// keepAbove drops the documents whose partial sums are not above pass, which is not negative, and
// returns the sums of the others.
func (m *Matches) keepAbove(sums []float32, lists int, pass float32) []float32 {
	m.kept = m.kept[:0]
	for i, s := range sums {
		if s > pass {
			m.kept = append(m.kept, uint32(i))
		}
	}
	if len(m.kept) == len(m.Docs) {
		return sums
	}
	for k, i := range m.kept {
		sums[k], m.norms[k] = sums[i], m.norms[i]
	}
	m.norms = m.norms[:len(m.kept)]
	m.keep(lists)
	return sums[:len(m.kept)]
}

// Fewer than fewMatches matches are scored one by one.
const fewMatches = 8

// addScores adds the scores of m.freqs to sums, or sets sums to them if this is the first list.
func (m *Matches) addScores(l *posting.List, sums []float32, first bool) {
	switch {
	case len(sums) < fewMatches:
		sc := l.In.Scorer
		for i, norm := range m.norms {
			s := sc.Score(l.Weight, float32(m.freqs[i]), norm)
			if !first {
				s = float32(sums[i] + s)
			}
			sums[i] = s
		}
	case first:
		copy(sums, m.norms)
		l.ScoreNorms(sums, m.freqs)
	default:
		m.terms = bm25.Grow(m.terms, len(m.Docs))
		copy(m.terms, m.norms)
		l.ScoreNorms(m.terms, m.freqs)
		for i, s := range m.terms {
			sums[i] += s
		}
	}
}

// readFreqs sets m.freqs to the frequencies of the documents in l, given m.at of l. It decodes each
// block of frequencies once.
func (m *Matches) readFreqs(l *posting.List, at []uint64) error {
	m.growFreqs(len(at))
	list, block := l.List(), -1
	freqs := list.Small().Freqs
	for i, p := range at {
		if f := p >> 32; f != 0 {
			m.freqs[i] = uint32(f)
			continue
		}
		b, j := int(p)/list.BlockLen, int(p)%list.BlockLen
		if b != block && !l.Small {
			if cap(m.block) < list.BlockLen {
				m.block = make([]uint32, list.BlockLen)
			}
			n, err := list.DecodeFreqs(m.block[:cap(m.block)], b, 1)
			if err != nil {
				return err
			}
			freqs, block = m.block[:n], b
			l.DecodedFreqs(b)
		}
		if j >= len(freqs) {
			return format.Locate(errShortFreqs, format.Place{Block: b})
		}
		m.freqs[i] = freqs[j]
	}
	return nil
}
