package algorithm

// amongChunk is how many documents are looked up before the threshold rises.
const amongChunk = 512

// Among scores those of docs, global docIDs in the current segment, that all lists hold.
func (r *Run) Among(docs []uint32, held int) {
	if !r.Open(len(r.Lists)) {
		return
	}
	r.SumBounds()
	r.bounded = true
	m, n := &r.match, len(r.Lists)
	for len(docs) > 0 && !r.Stopped() {
		if r.Top.Prune >= r.suffix[0] {
			return
		}
		m.Reset(n)
		for _, d := range docs[:min(len(docs), amongChunk)] {
			m.Docs = append(m.Docs, d-r.Part.Seg.Base())
		}
		docs = docs[len(m.Docs):]
		r.Candidates += uint64(len(m.Docs))
		for i := range n {
			if len(m.Docs) == 0 {
				break
			}
			j := (held + i) % n
			l := r.Lists[j]
			if d := r.dense(l); d != nil {
				m.findDense(l, j, d)
			} else {
				m.find(l, j)
			}
			m.keepWith(j)
		}
		m.own = m.Docs
		if len(m.Docs) > 0 && r.Err == nil {
			r.ScoreMatches(m)
		}
	}
}
