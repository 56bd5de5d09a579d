// Package oracle answers queries by brute force, from the documents and section 8 of
// format/FORMAT.md alone. It shares no code with the engine, and tests of any part of
// the engine can compare their answers with its answers, to the bit.
package oracle

import (
	"cmp"
	"math"
	"slices"
)

// Doc is a document as the engine numbers it.
type Doc struct {
	Terms   []string // its tokens in order
	Deleted bool
}

// Mode selects the documents that match.
type Mode int

// The modes, in the order of those of package query.
const (
	Or Mode = iota
	And
	AndOr
)

// Query is a query.
type Query struct {
	Terms  []string
	K      int
	Mode   Mode
	K1, B  float64
	Filter func(doc uint32) bool // nil: every document
}

// Hit is a document that matches.
type Hit struct {
	Doc   uint32
	Score float32
}

type posting struct {
	doc uint32
	tf  int
}

// Index is a collection of documents.
type Index struct {
	docs   []Doc
	lists  map[string][]posting
	n      int // documents that count
	tokens int
}

// New returns the index of docs, whose docIDs are their positions. Deleted ones count
// neither as hits nor in statistics.
func New(docs []Doc) *Index {
	x := &Index{docs: docs, lists: map[string][]posting{}}
	for d := range docs {
		if docs[d].Deleted {
			continue
		}
		x.n++
		x.tokens += len(docs[d].Terms)
		for _, t := range docs[d].Terms {
			l := x.lists[t]
			if n := len(l); n > 0 && l[n-1].doc == uint32(d) {
				l[n-1].tf++
			} else {
				x.lists[t] = append(l, posting{uint32(d), 1})
			}
		}
	}
	return x
}

// Terms returns the distinct terms, sorted.
func (x *Index) Terms() []string {
	terms := make([]string, 0, len(x.lists))
	for t := range x.lists {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	return terms
}

// DF returns the number of documents with term t.
func (x *Index) DF(t string) int { return len(x.lists[t]) }

// Answer returns the hits of q, the best first.
func (x *Index) Answer(q Query) []Hit {
	if q.K <= 0 {
		return nil
	}
	qtf := map[string]int{}
	for _, t := range q.Terms {
		qtf[t]++
	}
	terms := make([]string, 0, len(qtf))
	for t := range qtf {
		terms = append(terms, t)
	}
	slices.SortFunc(terms, func(a, b string) int { return cmp.Or(cmp.Compare(x.DF(a), x.DF(b)), cmp.Compare(a, b)) })

	type sum struct {
		score float32
		terms int
	}
	sums := map[uint32]sum{}
	for _, t := range terms {
		w := x.weight(q.K1, x.DF(t), qtf[t])
		for _, p := range x.lists[t] {
			if q.Filter != nil && !q.Filter(p.doc) {
				continue
			}
			s := sums[p.doc]
			score := posted(w, p.tf, x.norm(q.K1, q.B, len(x.docs[p.doc].Terms)))
			if s.terms > 0 {
				score = float32(s.score + score)
			}
			sums[p.doc] = sum{score, s.terms + 1}
		}
	}
	var all, any []Hit
	for d, s := range sums {
		any = append(any, Hit{d, s.score})
		if s.terms == len(terms) {
			all = append(all, Hit{d, s.score})
		}
	}
	hits := any
	if q.Mode == And || q.Mode == AndOr && len(all) >= q.K {
		hits = all
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc)) })
	return hits[:min(q.K, len(hits))]
}

func (x *Index) weight(k1 float64, df, qtf int) float32 {
	n, d := float64(x.n), float64(df)
	idf := float32(ln(float64(1 + float64(float64(float64(n-d)+0.5)/float64(d+0.5)))))
	return float32(float32(idf*float32(k1+1)) * float32(qtf))
}

func (x *Index) norm(k1, b float64, dl int) float32 {
	avg := float32(1)
	if x.n > 0 && x.tokens > 0 {
		avg = float32(float64(x.tokens) / float64(x.n))
	}
	length := float32(float32(1-b) + float32(float32(b)*float32(float32(dl)/avg)))
	return min(float32(1/float32(float32(k1)*length)), math.MaxFloat32)
}

// posted returns the score of a posting.
func posted(w float32, tf int, norm float32) float32 {
	return float32(w - float32(w/float32(1+float32(float32(tf)*norm))))
}

// ln is the logarithm of section 8.
func ln(v float64) float64 {
	m, e := math.Frexp(v)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := float64(float64(m-1) / float64(m+1))
	z, p := float64(s*s), 0.0
	for n := 23; n >= 3; n -= 2 {
		p = float64(float64(p*z) + 1/float64(n))
	}
	return float64(float64(float64(e)*math.Ln2) + float64(float64(float64(float64(2*s)*z)*p)+float64(2*s)))
}
