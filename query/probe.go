package query

// candidates are documents in ascending order with what their scores are so far.
type candidates struct {
	docs []uint32
	sums []float32
}

func (c *candidates) reset() { c.docs, c.sums = c.docs[:0], c.sums[:0] }

func (c *candidates) add(doc uint32, sum float32) {
	c.docs, c.sums = append(c.docs, doc), append(c.sums, sum)
}

// finish adds to the candidates what lists i and up contribute, drops those that
// cannot pass the threshold any more, and offers the rest.
func (r *run) finish(i int) {
	r.Candidates += uint64(len(r.cand.docs))
	for ; i < len(r.lists) && len(r.cand.docs) > 0 && !r.stopped(); i++ {
		r.probe(r.lists[i], r.suffix[i+1])
	}
	for j, doc := range r.cand.docs {
		r.accept(doc, r.cand.sums[j])
	}
}

// probe adds the scores of l's postings to the candidates and drops those that
// cannot pass the threshold, given that the lists after l add at most rest. A
// block is decoded only for a candidate that its bound lets pass.
func (r *run) probe(l *list, rest float32) {
	docs, sums, kept := r.cand.docs, r.cand.sums[:len(r.cand.docs)], 0
	prune := r.top.prune
	block, bound := uint32(end), float32(0) // last docID of the block whose bound is known, and that
	for i, doc := range docs {
		sum := sums[i]
		if doc > l.Doc() {
			if last := l.Shallow(doc); prune >= 0 && last != end {
				if last != block {
					block, bound = last, l.blockBound(r.s.scorer)
				}
				if sum+bound+rest <= prune {
					continue
				}
			}
			l.Probes++
			l.NextGEQ(doc)
		}
		if doc == l.Doc() {
			l.Found++
			sum += Score(l.weight, float32(l.Freq()), r.norm(doc))
		}
		if sum+rest > prune {
			docs[kept], sums[kept] = doc, sum
			kept++
		}
	}
	r.cand.docs, r.cand.sums = docs[:kept], sums[:kept]
}
