package algorithm

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// lookups is a Run that looks the documents of the filter up in lists.
type lookups struct{ *Run }

// filterFirst computes Or or And by looking up the documents of the filter in every list.
func (r lookups) filterFirst(conjunctive bool) {
	if !conjunctive && r.positive() {
		r.filterMany()
		return
	}
	r.start(r.Lists)
	for doc := r.filter.next(r.lo); doc < r.hi && !r.Due(); doc = r.filter.next(doc + 1) {
		r.Candidates++
		have, score := 0, float32(0)
		for _, l := range r.Lists {
			l.Probes++
			if l.NextGEQ(doc) == doc {
				l.Found++
				have++
				score += r.score(l, doc)
			} else if conjunctive {
				break
			}
		}
		if have == len(r.Lists) || have > 0 && !conjunctive {
			r.accept(doc, score)
		}
	}
}

// positive reports whether all postings have scores above 0.
func (r lookups) positive() bool {
	for _, l := range r.Lists {
		if !(l.In.Scorer.Least(l.Weight) > 0) {
			return false
		}
	}
	return true
}

// filterBatch is how many documents of the filter are looked up together.
const filterBatch = 1 << 9

// filterMany computes Or by looking up documents of the filter in one list after another, a batch at a time. It drops
// those that cannot pass the threshold with the lists that are left.
func (r lookups) filterMany() {
	r.SumBounds()
	thresholds(r).raise()
	r.start(r.Lists)
	for lo := r.lo; lo < r.hi && !r.Stopped(); {
		c := &r.cand
		if c.docs, lo = r.filterDocs(c.docs[:0], lo); len(c.docs) == 0 {
			return
		}
		r.Pivots++
		r.Candidates += uint64(len(c.docs))
		c.sums = bm25.Grow(c.sums, len(c.docs))
		clear(c.sums)
		r.addAll()
		for i, doc := range c.docs {
			if c.sums[i] > 0 {
				r.accept(doc, c.sums[i])
			}
		}
		r.risen(lo - 1)
	}
}

// filterDocs appends the next documents of the filter from lo on to docs, and returns the document behind them.
func (r lookups) filterDocs(docs []uint32, lo uint32) ([]uint32, uint32) {
	return r.filter.own.AppendSome(docs, lo, r.hi, filterBatch)
}

// addAll adds the scores of all lists to the candidates, which it drops once they cannot pass the threshold.
func (r lookups) addAll() {
	c := &r.cand
	var normed *posting.Field // whose norms the candidates have
	for i, l := range r.Lists {
		if n := len(c.docs); r.Static != nil {
			if statics(r).drop(float64(r.suffix[i])); len(c.docs) < n {
				normed = nil
			}
		}
		if len(c.docs) == 0 || r.Stopped() {
			return
		}
		d := r.dense(l)
		switch {
		case d != nil:
			if normed != l.In {
				normed = l.In
				c.norms = bm25.Grow(c.norms, len(c.docs))
				normed.Norms(c.norms, c.docs)
			}
			r.addDense(l, d)
			c.dropNormed(r.passing(i + 1))
			continue
		case denser(l, c.docs, r.Part.Seg.Docs(), denseFactor):
			r.addByBlock(l)
			c.dropBelow(0, r.passing(i+1))
		default:
			r.probe(l, r.suffix[i+1])
		}
		normed = nil
	}
}

// addByBlock adds the scores of l to the candidates, of which each of its blocks has many.
func (r lookups) addByBlock(l *posting.List) {
	w, docs := &r.win, r.cand.docs
	if len(w.lists) == 0 {
		w.lists = append(w.lists, stretch{})
	}
	w.lo, w.hi = docs[0], docs[len(docs)-1]+1
	w.members.Reset(w.lo, w.hi-1)
	w.members.Add(docs)
	reading(r).readMembers(l, &w.lists[0])
	w.members.Remove(docs)
	r.cand.update(&w.lists[0])
}

// What looking up a document of the filter takes, compared with a list that is cached: readFactor in one that is not. In
// that time a quarter of a posting is read of lists that are read from end to end, but skipFactor times as many
// if a threshold can be guessed, since most are skipped.
const (
	readFactor = 4
	skipFactor = 8
)

// smallFilter reports whether looking up the documents of the filter is faster than reading the
// lists: the shortest for And, all for Or.
func (r lookups) smallFilter(conjunctive bool) bool {
	if !r.filter.some() {
		return false
	}
	docs := r.filter.docs
	cost, postings := uint64(0), uint64(0)
	for _, l := range r.Lists {
		df := uint64(l.Entry.DF)
		postings += df
		switch {
		case conjunctive:
			return readFactor*docs*uint64(r.Part.Seg.Docs()) < postings*uint64(r.hi-r.lo)
		case l.Dense != nil:
			cost += docs
		default:
			cost += min(readFactor*docs, docs+df)
		}
	}
	if thresholds(r).likely(format.KthValues()[format.NumKth-1]) {
		cost *= skipFactor
	}
	return cost*uint64(r.Part.Seg.Docs()) < 4*postings*uint64(r.hi-r.lo)
}
