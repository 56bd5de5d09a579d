package query

import "github.com/pinion-index/pinion/format"

var errShortFreqs = format.Corrupt("block has more docIDs than frequencies, or fewer")

// matches are the documents of one block of the shortest list that are still in
// every list looked into.
type matches struct {
	docs  []uint32
	slots []uint32   // index of each document in the block
	at    [][]uint32 // by list, then slot: position of the document in the list
	freqs []uint32   // decoded block of a list
}

// blockMaxAnd computes And a block of the shortest list at a time. Its documents
// are looked for in one list after the other, which only ever decodes the blocks
// they fall into; frequencies are decoded for the documents that all lists hold.
// Blocks whose bound cannot pass the threshold with the bounds of the other lists
// are passed over.
func (r *run) blockMaxAnd() {
	if !r.open(1) {
		return
	}
	first, bounded := r.lists[0], false
	for len(r.match.at) < len(r.lists) {
		r.match.at = append(r.match.at, nil)
	}
	for first.Doc() < r.hi && !r.stopped() {
		if r.top.prune >= 0 {
			if !bounded {
				if !r.open(len(r.lists)) {
					return
				}
				r.sumBounds()
				bounded = true
			}
			first.Shallow(first.Doc())
			if first.blockBound(r.s.scorer)+r.suffix[1] <= r.top.prune {
				first.ByBound++
				first.NextBlock()
				continue
			}
		}
		docs := first.Docs()
		if n := len(docs); n > 0 && docs[n-1] >= r.hi {
			docs = docs[:lowerBound(docs, r.hi)]
		}
		if !r.intersect(docs) {
			return
		}
		first.NextBlock()
	}
}

// intersect scores those of docs, a block of the first list, that all lists hold.
// It reports false when there can be no more matches in any block.
func (r *run) intersect(docs []uint32) (more bool) {
	m := &r.match
	m.start(docs)
	r.Candidates += uint64(len(docs))
	more = true
	for j := 1; j < len(r.lists) && len(m.docs) > 0; j++ {
		if !r.open(j + 1) {
			return false
		}
		if cap(m.at[j]) < len(docs) {
			m.at[j] = make([]uint32, max(len(docs), 128))
		}
		l := r.lists[j]
		m.keep(l, m.at[j][:len(docs)])
		more = more && l.Doc() != end
	}
	if len(m.docs) > 0 && r.scoreMatches() {
		r.q.Trace.threshold(r, m.docs[0])
	}
	return more && r.err == nil
}

// start makes all of docs matches.
func (m *matches) start(docs []uint32) {
	m.docs = append(m.docs[:0], docs...)
	m.slots = m.slots[:0]
	for i := range docs {
		m.slots = append(m.slots, uint32(i))
	}
}

// keep drops the documents that l does not hold, and notes the positions of the
// others.
func (m *matches) keep(l *list, at []uint32) {
	kept := 0
	for i, doc := range m.docs {
		l.Probes++
		next := l.NextGEQ(doc)
		if next != doc {
			if next == end {
				break
			}
			continue
		}
		l.Found++
		slot := m.slots[i]
		at[slot] = uint32(l.Pos())
		m.docs[kept], m.slots[kept] = doc, slot
		kept++
	}
	m.docs, m.slots = m.docs[:kept], m.slots[:kept]
}

// scoreMatches scores the matches, list after list, and offers them. It reports
// false for damage.
func (r *run) scoreMatches() bool {
	m := &r.match
	r.scores = grow(r.scores, len(m.docs))
	freqs := r.lists[0].Freqs()
	if len(freqs) == 0 {
		return false
	}
	for i, doc := range m.docs {
		r.scores[i] = Score(r.lists[0].weight, float32(freqs[m.slots[i]]), r.norm(doc))
	}
	for j := 1; j < len(r.lists); j++ {
		if err := m.addScores(r, r.lists[j], m.at[j], r.scores); err != nil {
			r.fail(format.Locate(err, r.place(r.lists[j])))
			return false
		}
	}
	for i, doc := range m.docs {
		r.accept(doc, r.scores[i])
	}
	return true
}

// addScores adds the scores of the matches' postings in l, which lie at positions
// at, to scores. A block of frequencies is decoded once.
func (m *matches) addScores(r *run, l *list, at []uint32, scores []float32) error {
	list, block := l.List(), -1
	_, freqs := list.Small()
	for i, doc := range m.docs {
		b, j := int(at[m.slots[i]])/list.BlockLen, int(at[m.slots[i]])%list.BlockLen
		if b != block && !l.small {
			if cap(m.freqs) < list.BlockLen {
				m.freqs = make([]uint32, list.BlockLen)
			}
			n, err := list.DecodeFreqs(b, m.freqs[:cap(m.freqs)])
			if err != nil {
				return err
			}
			freqs, block = m.freqs[:n], b
			l.FreqBlocks++
		}
		if j >= len(freqs) {
			return format.Locate(errShortFreqs, format.Place{Block: b})
		}
		scores[i] += Score(l.weight, float32(freqs[j]), r.norm(doc))
	}
	return nil
}
