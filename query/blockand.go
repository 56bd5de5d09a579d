package query

import "github.com/pinion-index/pinion/format"

var errShortFreqs = format.Corrupt("block has more docIDs than frequencies, or fewer")

// matches are documents that all lists looked into hold.
type matches struct {
	docs []uint32
	at   [][]uint32 // by list, then as docs: position of the document in the list

	kept  []uint32 // while a list is looked into: indexes of the documents that it holds
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
	m, n := &r.match, len(r.lists)
	m.reset(n)
	r.Candidates += uint64(len(docs))
	left := docs // those that lists up to j hold
	more = true
	for j := 1; j < n && len(left) > 0; j++ {
		if !r.open(j + 1) {
			return false
		}
		l := r.lists[j]
		if r.denser(l, left) {
			m.findByBlock(l, j, left, &r.win.members)
		} else {
			m.find(l, j, left)
		}
		left = m.keep(left, j, r.lists[0].Pos())
		more = more && l.Doc() != end
	}
	if n == 1 {
		left = m.keepAll(docs, r.lists[0].Pos())
	}
	if len(left) > 0 {
		if r.later == nil || !r.later.postpone(m, n) {
			r.scoreMatches(m)
		}
		r.q.Trace.threshold(r, left[0])
	}
	return more && r.err == nil
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

// find looks for docs in list j, and notes the indexes of those that it holds and
// their positions.
func (m *matches) find(l *list, j int, docs []uint32) {
	kept, at := m.kept[:0], m.at[j]
	for i, doc := range docs {
		next := l.NextGEQ(doc)
		if next == doc {
			kept, at = append(kept, uint32(i)), append(at, uint32(l.Pos()))
		} else if next == end {
			break
		}
	}
	l.Probes += uint64(len(docs))
	l.Found += uint64(len(kept))
	m.kept, m.at[j] = kept, at
}

// denseFactor is how many postings are looked up in a bitmap in the time that one
// document is looked for in a list.
const denseFactor = 16

// denser reports whether l has so few postings among docs, or docs are so many,
// that findByBlock is faster than find.
func (r *run) denser(l *list, docs []uint32) bool {
	span := uint64(docs[len(docs)-1]-docs[0]) + 1
	return uint64(l.List().N)*span < uint64(len(docs))*denseFactor*uint64(r.part.seg.Docs())
}

// findByBlock is find the other way round: every block of the list that docs fall
// into is decoded, and its postings are looked up in a bitmap of docs.
func (m *matches) findByBlock(l *list, j int, docs []uint32, set *bitmap) {
	kept, at := m.kept[:0], m.at[j]
	set.reset(docs[0], docs[len(docs)-1])
	set.add(docs)
	for i := 0; i < len(docs); {
		l.NextGEQ(docs[i])
		block := l.Docs()
		if len(block) == 0 {
			break // the end, or damage
		}
		first := l.Pos()
		for _, f := range set.match(block) {
			i += lowerBound(docs[i:], block[f])
			if i == len(docs) {
				break // damage
			}
			kept, at = append(kept, uint32(i)), append(at, uint32(first+int(f)))
			i++
		}
		i += lowerBound(docs[i:], block[len(block)-1]+1)
	}
	set.remove(docs)
	l.Found += uint64(len(kept))
	m.kept, m.at[j] = kept, at
}

// keep drops all but the kept ones of docs, which are the matches of the lists
// before list j, and returns the rest; docs of list 0 itself begin at position
// first of it.
func (m *matches) keep(docs []uint32, j, first int) []uint32 {
	if j == 1 {
		m.docs = m.docs[:0]
		for _, i := range m.kept {
			m.docs = append(m.docs, docs[i])
			m.at[0] = append(m.at[0], uint32(first)+i)
		}
		return m.docs
	}
	for k, i := range m.kept {
		m.docs[k] = docs[i]
	}
	m.docs = m.docs[:len(m.kept)]
	for a, at := range m.at[:j] {
		for k, i := range m.kept {
			at[k] = at[i]
		}
		m.at[a] = at[:len(m.kept)]
	}
	return m.docs
}

// keepAll makes all of docs, which begin at position first of the only list,
// matches.
func (m *matches) keepAll(docs []uint32, first int) []uint32 {
	m.docs = append(m.docs[:0], docs...)
	for i := range docs {
		m.at[0] = append(m.at[0], uint32(first+i))
	}
	return m.docs
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
