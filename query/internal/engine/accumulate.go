package engine

import "math"

// accumulate adds up the postings of the first n lists in accumulators. It makes the documents of
// the first e lists candidates: all of them, or those that can pass the threshold.
func (r *run) accumulate(e, n int, all, prune bool) {
	w := &r.win
	if w.acc == nil {
		w.acc = make([]float32, subWindow)
	}
	sorted := false // candidates must be sorted before they are looked up in lists
	for _, l := range r.lists[n:] {
		sorted = sorted || l.dense == nil
	}
	for lists := w.lists[:n]; ; {
		lo := uint32(end)
		for i := range lists[:e] {
			if s := &lists[i]; s.at < len(s.docs) {
				lo = min(lo, s.docs[s.at])
			}
		}
		if lo == end {
			break
		}
		for i := range lists {
			w.add(&lists[i], lo)
		}
		at := len(r.cand.docs)
		if all {
			w.collectMembers(lo, &r.cand)
		} else {
			pass := r.passing(n)
			for i := range lists[:e] {
				w.collect(&lists[i], lo, pass, &r.cand)
			}
		}
		for i := range lists {
			lists[i].at = lists[i].end
		}
		if prune && n < len(r.lists) && r.raise(at) {
			r.cand.dropBelow(at, r.passing(n))
		}
		if !all && sorted {
			r.cand.sort(at, lo)
		}
	}
}

// add adds the scores of s in the sub-window that begins at lo to the accumulators.
func (w *window) add(s *stretch, lo uint32) {
	docs := s.docs[s.at:]
	scores := s.scores[s.at:][:len(docs)]
	acc := (*[subWindow]float32)(w.acc)
	for i, d := range docs {
		j := d - lo
		if j >= subWindow {
			s.end = s.at + i
			return
		}
		acc[j] += scores[i]
	}
	s.end = len(s.docs)
}

// collect makes the documents of s that are in the sub-window that begins at lo and score above
// pass candidates, and zeroes their accumulators. pass is not negative. It does not branch on which
// documents pass, since that is hard to predict: scores order as their bits do.
func (w *window) collect(s *stretch, lo uint32, pass float32, c *candidates) {
	limit := int64(math.Float32bits(pass))
	part := s.docs[s.at:s.end]
	n := len(c.docs)
	c.reserve(len(part))
	docs, sums := c.docs[:n+len(part)], c.sums[:n+len(part)]
	acc := (*[subWindow]float32)(w.acc)
	for _, d := range part {
		j := (d - lo) % subWindow
		v := acc[j]
		acc[j] = 0
		docs[n], sums[n] = d, v
		n += int(uint64(limit-int64(math.Float32bits(v))) >> 63)
	}
	c.docs, c.sums = docs[:n], sums[:n]
}

// collectMembers makes all members in the sub-window that begins at lo candidates and zeroes their
// accumulators.
func (w *window) collectMembers(lo uint32, c *candidates) {
	acc := (*[subWindow]float32)(w.acc)
	for doc := w.members.next(lo); doc-lo < subWindow; doc = w.members.next(doc + 1) {
		c.add(doc, acc[doc-lo])
		acc[doc-lo] = 0
	}
}
