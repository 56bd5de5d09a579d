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
	for ; i < len(r.lists) && len(r.cand.docs) > 0; i++ {
		r.probe(r.lists[i], r.suffix[i+1])
		if r.err != nil {
			return
		}
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
	bounded, bound := -1, float32(0) // the block whose bound is known
	for i, doc := range docs {
		sum := sums[i]
		if doc > l.doc {
			b := max(l.block, 0)
			if doc > l.last[b] {
				b = l.findBlock(b+1, doc)
			}
			if b >= len(l.last) {
				l.finish()
			} else {
				if b != l.block && prune >= 0 {
					if b != bounded {
						bounded, bound = b, l.blockBound(b)
					}
					if sum+bound+rest <= prune {
						continue
					}
				}
				l.Probes++
				l.seekIn(b, doc)
			}
		}
		if doc == l.doc {
			l.Found++
			sum += Score(l.weight, float32(l.freq()), r.norm(doc))
		}
		if sum+rest > prune {
			docs[kept], sums[kept] = doc, sum
			kept++
		}
	}
	r.cand.docs, r.cand.sums = docs[:kept], sums[:kept]
}

// seekIn moves to the first posting that is at least target, which lies in block
// b, at or after the current one.
func (l *list) seekIn(b int, target uint32) {
	if b != l.block {
		if !l.load(b) {
			return
		}
		l.pos = 0
	}
	l.pos = l.find(target)
	l.doc = l.docs[l.pos]
}
