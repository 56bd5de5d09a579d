package algorithm

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/engine/posting"
)

// matching is a tree that finds which candidates match, and scores them.
type matching struct{ *tree }

// matchAll finds the candidates that the root matches.
func (t matching) matchAll() {
	t.rest = t.root.bound
	if t.sum.on {
		t.rest = t.sum.rest
	} else if t.run.Top.Prune >= 0 {
		t.known = grow(t.known, len(t.docs))
		clear(t.known)
		t.learnSources()
	}
	t.find(t.root, t.alive)
	and(t.root.match, t.alive)
}

// learnSources learns what the sources score, unless no candidate can be dropped for that.
func (t matching) learnSources() {
	if !t.learns {
		return
	}
	for _, n := range t.sources {
		if n.adds() {
			t.learn(n)
		}
	}
	t.compact()
}

// learn scores the documents of an eager leaf, and drops the candidates that cannot be hits.
func (t matching) learn(n *node) {
	t.scoreLeaf(n, nil)
	for i, c := range n.which {
		t.known[c] += n.values[i]
	}
	t.rest -= n.bound
	pass := float32Below(float64(t.run.Top.Prune) - t.rest)
	if pass < 0 {
		return
	}
	limit := int64(math.Float32bits(pass)) // scores order as their bits do
	for i, w := range t.alive {
		if w == 0 {
			continue
		}
		low := uint64(0)
		for j, k := range t.known[i*64 : min(i*64+64, len(t.known))] {
			low |= uint64(int64(math.Float32bits(k))-limit-1) >> 63 << j
		}
		t.alive[i] = w &^ low
	}
}

// compact drops the candidates that cannot be hits, if most cannot.
func (t matching) compact() {
	n := 0
	t.ranks = grow(t.ranks, len(t.alive))
	for i, w := range t.alive {
		t.ranks[i] = uint32(n)
		n += bits.OnesCount64(w)
	}
	if 2*n > len(t.docs) {
		return
	}
	each(t.alive, func(i int) {
		to := t.ranks[i/64]
		t.ranks[i/64]++
		t.docs[to], t.known[to] = t.docs[i], t.known[i]
	})
	for i, w := range t.alive {
		t.ranks[i] -= uint32(bits.OnesCount64(w))
	}
	for _, s := range t.sources {
		kept := 0
		for i, c := range s.which {
			w, bit := t.alive[c/64], uint64(1)<<(c%64)
			if w&bit == 0 {
				continue
			}
			s.which[kept] = t.ranks[c/64] + uint32(bits.OnesCount64(w&(bit-1)))
			if s.listed() {
				s.at[kept] = s.at[i]
			}
			if s.scored {
				s.values[kept] = s.values[i]
			}
			kept++
		}
		if s.which = s.which[:kept]; s.listed() {
			s.at = s.at[:kept]
		}
		if s.scored {
			s.values = s.values[:kept]
		}
	}
	t.normed = nil
	t.docs, t.known, t.alive = t.docs[:n], t.known[:n], t.alive[:(n+63)/64]
	fill(t.alive, n)
	t.mark()
}

// find sets n.match to the candidates among in that n matches. Where n scores, its leaves know all of these that they
// hold.
func (t matching) find(n *node, in []uint64) {
	switch n.op {
	case OpBool:
		t.findAll(n, in)
	case OpBest:
		n.match = grow(n.match, len(in))
		clear(n.match)
		t.findAny(n, in, 1)
	case OpConst:
		t.find(n.kids[0], in)
		n.match = append(n.match[:0], n.kids[0].match...)
	case OpAll:
		n.match = append(n.match[:0], in...)
	case OpSet:
		if !n.source {
			t.findMembers(n, in)
		} else {
			and(n.match, in)
		}
	case OpWord:
		if !n.source && !n.held {
			t.probe(n, in)
		} else {
			and(n.match, in)
		}
	case OpPhrase, opDot:
		if !n.source && !n.held {
			t.probeLeaf(n, in)
		} else {
			and(n.match, in)
		}
	}
}

// findAll is find for a Bool.
func (t matching) findAll(n *node, in []uint64) {
	n.match = append(n.match[:0], in...)
	now := n.match
	for _, kids := range [][]*node{n.must, n.filter} {
		for _, k := range kids {
			t.find(k, now)
			copy(now, k.match)
		}
	}
	for _, k := range n.nots {
		t.find(k, now)
		for i, w := range k.match {
			now[i] &^= w
		}
	}
	if n.atLeast == 0 {
		if n.scores {
			for _, k := range n.should {
				t.find(k, now)
			}
		}
		return
	}
	t.findAny(n, now, n.atLeast)
}

// findAny is find for alternatives, at least that many of which must match.
func (t matching) findAny(n *node, in []uint64, atLeast int) {
	if atLeast == 1 {
		t.findOne(n, in)
		return
	}
	left := t.mask(in)
	defer t.unmask()
	planes := make([][]uint64, bits.Len(uint(len(n.should)))) // counters, bit by bit
	for i := range planes {
		planes[i] = t.mask(nil)
		defer t.unmask()
	}
	for i, k := range n.should {
		if need := atLeast - (len(n.should) - i); need > 0 {
			reaching(left, planes, need)
		}
		t.find(k, left)
		tally(planes, k.match)
	}
	copy(n.match, in)
	reaching(n.match, planes, atLeast)
}

// findOne is findAny for one.
func (t matching) findOne(n *node, in []uint64) {
	left, union := t.mask(in), t.mask(nil)
	defer t.unmask()
	defer t.unmask()
	for _, k := range n.should {
		t.find(k, left)
		for i, w := range k.match {
			union[i] |= w
			if !n.scores {
				left[i] &^= w
			}
		}
	}
	n.match = append(n.match[:0], union...)
}

// tally adds one to the counters, bit by bit in planes, of the members of a mask.
func tally(planes [][]uint64, mask []uint64) {
	for i, carry := range mask {
		for _, p := range planes {
			if carry == 0 {
				break
			}
			p[i], carry = p[i]^carry, p[i]&carry
		}
	}
}

// reaching drops the members of a mask whose counters are below least.
func reaching(mask []uint64, planes [][]uint64, least int) {
	for i, w := range mask {
		above, equal := uint64(0), w
		for b := len(planes) - 1; b >= 0; b-- {
			p := planes[b][i]
			if least>>b&1 == 0 {
				above |= equal & p
				equal &^= p
			} else {
				equal &= p
			}
		}
		mask[i] = above | equal
	}
}

// mask returns a copy of a mask, or an empty one, in memory that unmask frees.
func (t matching) mask(of []uint64) []uint64 {
	if len(t.masks) == cap(t.masks) {
		t.masks = append(t.masks, nil)
	} else {
		t.masks = t.masks[:len(t.masks)+1]
	}
	last := &t.masks[len(t.masks)-1]
	*last = grow(*last, len(t.alive))
	if of == nil {
		clear(*last)
	} else {
		copy(*last, of)
	}
	return *last
}

func (t matching) unmask() { t.masks = t.masks[:len(t.masks)-1] }

// findMembers is find for a set.
func (t matching) findMembers(n *node, in []uint64) {
	n.match = append(n.match[:0], in...)
	each(in, func(i int) {
		if !n.own.Contains(t.docs[i]) {
			n.match[i/64] &^= 1 << (i % 64)
		}
	})
}

// each calls f with the members of a mask.
func each(mask []uint64, f func(i int)) {
	for i, w := range mask {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// and drops the members of a mask that another does not have.
func and(mask, other []uint64) {
	for i := range mask {
		mask[i] &= other[i]
	}
}

// probe is find for a list.
func (t matching) probe(n *node, in []uint64) {
	m, l, r := &t.look, n.list, t.run
	n.match, n.scored = grow(n.match, len(in)), false
	clear(n.match)
	if r.Due() {
		n.which, n.at = n.which[:0], n.at[:0]
		return
	}
	if d := r.dense(l); d != nil {
		t.probeDense(n, in, d)
		return
	}
	m.Reset(1)
	t.which = t.which[:0]
	for i, w := range in {
		for w &= t.alive[i]; w != 0; w &= w - 1 {
			c := i*64 + bits.TrailingZeros64(w)
			t.which, m.Docs = append(t.which, uint32(c)), append(m.Docs, t.docs[c])
		}
	}
	m.own = m.Docs
	n.which, n.at = n.which[:0], n.at[:0]
	if len(m.Docs) == 0 {
		return
	}
	m.find(l, 0)
	for _, k := range m.kept {
		n.which = append(n.which, t.which[k])
	}
	n.at = append(n.at, m.at[0]...)
	t.found(n)
}

// probeLeaf is probe for a phrase or Dot.
func (t matching) probeLeaf(n *node, in []uint64) {
	n.match, n.scored = grow(n.match, len(in)), false
	clear(n.match)
	if t.run.Due() {
		n.which, n.at = n.which[:0], n.at[:0]
		return
	}
	docs := t.look.own[:0]
	t.which = t.which[:0]
	for i, w := range in {
		for w &= t.alive[i]; w != 0; w &= w - 1 {
			c := i*64 + bits.TrailingZeros64(w)
			t.which, docs = append(t.which, uint32(c)), append(docs, t.docs[c])
		}
	}
	t.look.own = docs
	n.which, n.at = n.leaf.find(docs, n.which[:0], n.at[:0])
	for i, k := range n.which {
		n.which[i] = t.which[k]
	}
	t.found(n)
}

// found ends a probe.
func (t matching) found(n *node) {
	set(n.match, n.which)
	if prune := t.run.Top.Prune; n.eager && !n.added && prune >= 0 && t.rest-n.bound <= float64(prune) {
		t.learn(n)
	}
}

// probeDense is probe for a list that is cached.
func (t matching) probeDense(n *node, in []uint64, d *posting.Dense) {
	l, probes := n.list, 0
	l.Huge = d.Huge
	for i, w := range in {
		probes += bits.OnesCount64(w & t.alive[i])
	}
	n.which, n.at = grow(n.which, probes+1), grow(n.at, probes+1)
	k := 0
	for i, w := range in {
		for w &= t.alive[i]; w != 0; w &= w - 1 {
			c := i*64 + bits.TrailingZeros64(w)
			f := uint32(d.Freq(t.docs[c]))
			if f == posting.ManyFreq {
				f = d.ManyFreq(t.docs[c])
			}
			n.which[k], n.at[k] = uint32(c), uint64(f)<<32
			k += int((uint64(f) + math.MaxUint32) >> 32) // 1 unless f is 0
		}
	}
	n.which, n.at = n.which[:k], n.at[:k]
	l.Probes += uint64(probes)
	l.Found += uint64(k)
	t.found(n)
}
