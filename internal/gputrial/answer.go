package gputrial

import (
	"bytes"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Query is a query by term numbers, which may repeat or belong to no term.
type Query struct {
	Terms []int
	K     int
	Mode  query.Mode
}

// Query returns q as a search.Query.
func (q Query) Query() search.Query {
	o := search.Query{K: q.K, Mode: q.Mode}
	for _, t := range q.Terms {
		o.RawTerms = append(o.RawTerms, Term(t))
	}
	return o
}

// Stats returns the collection's statistics.
func (c *Collection) Stats() (st search.Stats) {
	for i := range c.Parts {
		m := c.Parts[i].Segment.Meta()
		st.Docs += uint64(m.Docs)
		st.Tokens += m.Tokens
		st.MaxLen = max(st.MaxLen, m.MaxLen)
	}
	return st
}

// Draw returns n random queries.
func (c *Collection) Draw(r *rand.Rand, n, maxTerms, maxK int, modes ...query.Mode) []Query {
	qs := make([]Query, n)
	for i := range qs {
		q := Query{K: 1 + r.IntN(maxK), Mode: modes[r.IntN(len(modes))]}
		for range 1 + r.IntN(maxTerms) {
			t := r.IntN(c.Shape.Terms)
			if r.IntN(3) > 0 {
				t = r.IntN(c.Shape.Terms/3 + 1) // the more frequent ones
			}
			q.Terms = append(q.Terms, t)
		}
		if r.IntN(30) == 0 {
			q.Terms = append(q.Terms, q.Terms[0])
		}
		if r.IntN(60) == 0 {
			q.Terms = append(q.Terms, c.Shape.Terms+5)
		}
		qs[i] = q
	}
	return qs
}

// Answer answers a query by adding every posting's score to a table of documents. deletes
// are global docIDs; nil for none.
func (c *Collection) Answer(sc *search.Scorer, q Query, deletes *docset.Bits) []search.Hit {
	count := map[int]int{}
	for _, t := range q.Terms {
		count[t]++
	}
	type term struct {
		number, qtf int
		df          uint64
	}
	var terms []term
	for t, n := range count {
		v := term{number: t, qtf: n}
		for i := range c.Parts {
			if t < len(c.Parts[i].Lists) {
				for _, d := range c.Parts[i].Lists[t].Docs {
					if deletes == nil || !deletes.Contains(c.Parts[i].Base+d) {
						v.df++
					}
				}
			}
		}
		terms = append(terms, v)
	}
	sort.Slice(terms, func(i, j int) bool {
		a, b := terms[i], terms[j]
		return a.df < b.df || a.df == b.df && bytes.Compare(Term(a.number), Term(b.number)) < 0
	})
	scores, found := map[uint32]float32{}, map[uint32]int{}
	for _, t := range terms {
		for i := range c.Parts {
			p := &c.Parts[i]
			if t.number >= len(p.Lists) {
				continue
			}
			l := p.Lists[t.number]
			for j, d := range l.Docs {
				g := p.Base + d
				scores[g] += search.Score(sc.Weight(t.df, t.qtf), float32(l.Freqs[j]), sc.Norm(p.Lens[d]))
				found[g]++
			}
		}
	}
	pick := func(all bool) []search.Hit {
		var hits []search.Hit
		for d, s := range scores {
			if (all && found[d] < len(terms)) || (deletes != nil && deletes.Contains(d)) {
				continue
			}
			hits = append(hits, search.Hit{Doc: d, Score: s})
		}
		sort.Slice(hits, func(i, j int) bool {
			return hits[i].Score > hits[j].Score || hits[i].Score == hits[j].Score && hits[i].Doc < hits[j].Doc
		})
		return hits[:min(len(hits), q.K)]
	}
	if q.Mode == query.ModeOr {
		return pick(false)
	}
	hits := pick(true)
	if q.Mode == query.ModeAndOr && uint64(len(hits)) < min(uint64(q.K), c.Stats().Docs) {
		return pick(false)
	}
	return hits
}

// Equal reports whether two results are bit-identical.
func Equal(a, b []search.Hit) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Doc != b[i].Doc || math.Float32bits(a[i].Score) != math.Float32bits(b[i].Score) {
			return false
		}
	}
	return true
}
