package query

// matches are the documents of one block of the shortest list that are still in
// every list looked into.
type matches struct {
	docs  []uint32
	slots []uint32   // index of each document in the block
	at    [][]uint32 // by list, then slot: position of the document in the list
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
	for b := 0; b < len(first.last); b++ {
		if prune := r.top.prune; prune >= 0 {
			if !bounded {
				if !r.open(len(r.lists)) {
					return
				}
				r.sumBounds()
				bounded = true
			}
			if first.blockBound(b)+r.suffix[1] <= prune {
				first.ByBound++
				continue
			}
		}
		if b != first.block && !first.load(b) {
			return
		}
		if !r.intersect(b) {
			return
		}
	}
}

// intersect scores the documents of block b of the first list that all lists
// hold. It reports false when there can be no more matches in any block.
func (r *run) intersect(b int) bool {
	m := &r.match
	first := r.lists[0]
	m.docs = append(m.docs[:0], first.docs...)
	m.slots = m.slots[:0]
	for i := range m.docs {
		m.slots = append(m.slots, uint32(i))
	}
	r.Candidates += uint64(len(m.docs))
	more := true
	for j, l := range r.lists[1:] {
		if !r.open(j + 2) {
			return false
		}
		if cap(m.at[j+1]) < len(first.docs) {
			m.at[j+1] = make([]uint32, max(len(first.docs), first.l.BlockLen))
		}
		m.keep(l, m.at[j+1][:len(first.docs)])
		if l.doc == end {
			more = false
		}
		if len(m.docs) == 0 {
			break
		}
	}
	if r.err != nil {
		return false
	}
	for i, doc := range m.docs {
		slot, norm := m.slots[i], r.norm(doc)
		first.pos = int(slot)
		score := Score(first.weight, float32(first.freq()), norm)
		for j, l := range r.lists[1:] {
			score += Score(l.weight, float32(l.freqAt(int(m.at[j+1][slot]))), norm)
		}
		if r.err != nil {
			return false
		}
		r.accept(doc, score)
	}
	if len(m.docs) > 0 {
		r.q.Trace.threshold(r, m.docs[len(m.docs)-1])
	}
	return more
}

// keep drops the documents that l does not hold, and notes the positions of the
// others.
func (m *matches) keep(l *list, at []uint32) {
	kept := 0
	for i, doc := range m.docs {
		if doc > l.doc {
			l.Probes++
			l.seek(doc)
		}
		if doc != l.doc {
			if l.doc == end {
				break
			}
			continue
		}
		l.Found++
		slot := m.slots[i]
		at[slot] = uint32(max(l.block, 0)*l.l.BlockLen + l.pos)
		m.docs[kept], m.slots[kept] = doc, slot
		kept++
	}
	m.docs, m.slots = m.docs[:kept], m.slots[:kept]
}

// freqAt returns the frequency at a position of the list, at or after the block
// whose frequencies were decoded last.
func (l *list) freqAt(position int) uint32 {
	b, i := position/l.l.BlockLen, position%l.l.BlockLen
	if b != l.freqB {
		n, err := l.l.DecodeFreqs(b, l.freqsBuf[:cap(l.freqsBuf)])
		if err != nil {
			l.fail(err, b)
			return 0
		}
		l.freqs, l.freqB = l.freqsBuf[:n], b
		l.FreqBlocks++
	}
	if i >= len(l.freqs) {
		l.fail(errShortFreqs, b)
		return 0
	}
	return l.freqs[i]
}
