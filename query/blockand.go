package query

import "github.com/pinion-index/pinion/format"

var errShortFreqs = format.Corrupt("block has more docIDs than frequencies, or fewer")

// matches are documents that all lists looked into hold.
type matches struct {
	docs []uint32
	at   [][]uint32 // by list, then as docs: position of the document in the list

	slots []uint32 // while lists are looked into: index of each document in the block
	freqs []uint32 // scratch: a decoded block
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
	r.start(r.lists[:1])
	first, bounded := r.lists[0], false
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

// intersect scores those of docs, the next postings of the first list, that all
// lists hold. It reports false when there can be no more matches in any block.
func (r *run) intersect(docs []uint32) (more bool) {
	m := &r.match
	m.start(docs, len(r.lists))
	r.Candidates += uint64(len(docs))
	more = true
	for j := 1; j < len(r.lists) && len(m.docs) > 0; j++ {
		if !r.open(j + 1) {
			return false
		}
		l := r.lists[j]
		m.keep(l, m.at[j])
		more = more && l.Doc() != end
	}
	if len(m.docs) > 0 {
		m.settle(uint32(r.lists[0].Pos()))
		if r.later == nil || !r.later.postpone(m, len(r.lists)) {
			r.scoreMatches(m)
		}
		r.q.Trace.threshold(r, m.docs[0])
	}
	return more && r.err == nil
}

// start makes all of docs matches, to be looked for in so many lists.
func (m *matches) start(docs []uint32, lists int) {
	m.docs = append(m.docs[:0], docs...)
	m.slots = m.slots[:0]
	for i := range docs {
		m.slots = append(m.slots, uint32(i))
	}
	for len(m.at) < lists {
		m.at = append(m.at, nil)
	}
	for j, at := range m.at {
		if cap(at) < len(docs) {
			at = make([]uint32, max(len(docs), 128))
		}
		m.at[j] = at[:len(docs)]
	}
}

// reset empties m, for so many lists.
func (m *matches) reset(lists int) {
	m.docs = m.docs[:0]
	for len(m.at) < lists {
		m.at = append(m.at, nil)
	}
	for j, at := range m.at {
		m.at[j] = at[:0]
	}
}

// append adds the matches of n, for so many lists.
func (m *matches) append(n *matches, lists int) {
	m.docs = append(m.docs, n.docs...)
	for j, at := range n.at[:lists] {
		m.at[j] = append(m.at[j], at...)
	}
}

// settle turns positions by slot into positions by match; the first list's slots
// count from position first.
func (m *matches) settle(first uint32) {
	for j, at := range m.at {
		for i, slot := range m.slots {
			if j == 0 {
				at[i] = first + slot
			} else {
				at[i] = at[slot] // slot >= i
			}
		}
		m.at[j] = at[:len(m.docs)]
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

// scoreMatches scores matches, list after list, and offers them.
func (r *run) scoreMatches(m *matches) {
	r.scores = grow(r.scores, len(m.docs))
	clear(r.scores)
	for j, l := range r.lists {
		if err := m.addScores(r, l, m.at[j], r.scores); err != nil {
			r.fail(format.Locate(err, r.place(l)))
			return
		}
	}
	for i, doc := range m.docs {
		r.accept(doc, r.scores[i])
	}
}

// addScores adds the scores of the matches' postings in l, which lie at positions
// at, to scores. A block of frequencies is decoded once.
func (m *matches) addScores(r *run, l *list, at []uint32, scores []float32) error {
	list, block := l.List(), -1
	_, freqs := list.Small()
	for i, doc := range m.docs {
		b, j := int(at[i])/list.BlockLen, int(at[i])%list.BlockLen
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
