package algorithm

import (
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// begin makes docs the candidates, which the lead has from posting pos on.
func (x *phrasing) begin(docs []uint32, pos int) {
	m := &x.m
	m.Reset(len(x.columns))
	x.found = x.found[:0]
	m.begin(docs, pos)
}

// conjoin drops the candidates that columns from first on do not have. It reports whether there are any left.
func (x *phrasing) conjoin(first int) bool {
	m, r := &x.m, x.run
	for k := first; k < len(x.columns) && len(m.Docs) > 0 && r.Err == nil; k++ {
		if c := &x.columns[k]; len(c.lists) > 1 {
			x.findAny(k)
		} else if l := c.lists[0]; r.dense(l) != nil {
			m.findRanks(l, k, l.Dense)
		} else {
			m.find(l, k)
		}
		m.keep(k)
	}
	m.fill()
	m.own = m.Docs
	return len(m.Docs) > 0 && r.Err == nil
}

// findRanks is findDense that adds positions instead of frequencies.
func (m *Matches) findRanks(l *posting.List, j int, d *posting.Dense) {
	n := len(m.Docs)
	m.kept = slices.Grow(m.kept[:0], n+1)[:n+1]
	at := slices.Grow(m.at[j][:0], n+1)[:n+1]
	k := 0
	for i, doc := range m.Docs {
		rank, held := d.Rank(doc)
		m.kept[k], at[k] = uint32(i), uint64(rank)
		k += held
	}
	l.Probes += uint64(n)
	l.Found += uint64(k)
	m.kept, m.at[j] = m.kept[:k], at[:k]
}

// findAny looks the candidates up in the lists of column k: where they are, at tells as found in x.found.
func (x *phrasing) findAny(k int) {
	m, set := &x.m, &x.run.win.members
	x.heads = grow(x.heads, len(m.Docs))
	clear(x.heads)
	set.Reset(m.Docs[0], m.Docs[len(m.Docs)-1])
	set.Add(m.Docs)
	x.rank(set)
	for i, l := range x.columns[k].lists {
		if x.run.Stopped() {
			break
		}
		x.findIn(uint32(i), l, set)
	}
	set.Clear()
	m.kept, m.at[k] = m.kept[:0], m.at[k][:0]
	for i, h := range x.heads {
		if h > 0 {
			m.kept, m.at[k] = append(m.kept, uint32(i)), append(m.at[k], h)
		}
	}
}

// rank counts the candidates, which are the members of set, before each word of it.
func (x *phrasing) rank(set *bitset.Set) {
	_, words := set.Contents()
	x.ranks = grow(x.ranks, len(words))
	n := uint32(0)
	for i, w := range words {
		x.ranks[i] = n
		n += uint32(bits.OnesCount64(w))
	}
}

// findIn looks the candidates up in list i of a column.
func (x *phrasing) findIn(i uint32, l *posting.List, set *bitset.Set) {
	docs, s := x.m.Docs, &x.postings
	s.reset()
	reading{x.run}.read(s, reading{x.run}.walk(l, docs[0], docs[len(docs)-1]+1, onlyMembers, set), withPlaces)
	lo, words := set.Contents()
	for k, doc := range s.docs {
		j := doc - lo
		c := x.ranks[j/64] + uint32(bits.OnesCount64(words[j/64]&(1<<(j%64)-1)))
		x.found = append(x.found, found{i, uint32(s.places[k]), x.heads[c]})
		x.heads[c] = uint64(len(x.found))
	}
}

// union makes the documents of the lead's lists from lo up to hi the candidates, if the lead has several.
func (x *phrasing) union(lo, hi uint32) {
	m := &x.m
	m.Reset(len(x.columns))
	x.found, x.starts = x.found[:0], x.starts[:0]
	for i, l := range x.columns[0].lists {
		s := &x.postings
		s.reset()
		reading{x.run}.read(s, reading{x.run}.walk(l, lo, hi, -1, nil), withPlaces)
		for _, pos := range s.places {
			x.found = append(x.found, found{uint32(i), uint32(pos), 0})
		}
		x.starts = append(x.starts, s.docs...)
	}
	x.gather()
}

// gather makes x.starts, the documents of x.found, the candidates.
func (x *phrasing) gather() {
	m := &x.m
	if len(x.starts) == 0 {
		return
	}
	set := &x.run.win.members
	set.Reset(slices.Min(x.starts), slices.Max(x.starts))
	set.Add(x.starts)
	x.rank(set)
	lo, words := set.Contents()
	m.Docs = bitset.AppendDocs(m.Docs, words, lo)
	x.heads = grow(x.heads, len(m.Docs))
	clear(x.heads)
	for i, doc := range x.starts {
		j := doc - lo
		c := x.ranks[j/64] + uint32(bits.OnesCount64(words[j/64]&(1<<(j%64)-1)))
		x.found[i].next = x.heads[c]
		x.heads[c] = uint64(i + 1)
	}
	set.Clear()
	m.at[0] = append(m.at[0], x.heads...)
	m.own = m.Docs
}

// each yields where candidate i is in the lists of column k.
func (x *phrasing) each(k, i int, f func(list, pos uint32)) {
	at := x.m.at[k][i]
	if len(x.columns[k].lists) == 1 {
		f(0, uint32(at))
		return
	}
	for at > 0 {
		h := &x.found[at-1]
		f(h.list, h.pos)
		at = h.next
	}
}
