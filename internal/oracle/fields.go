package oracle

import (
	"cmp"
	"slices"
)

// Lengths says what is kept of the lengths of a field's documents.
type Lengths int

// What is kept of lengths.
const (
	Exact Lengths = iota
	Bytes         // rounded down to the value of a code
	None          // nothing: terms count once
)

// Field is a field of documents.
type Field struct {
	Name          string
	Lengths       Lengths
	Empty         bool // whether documents without terms count, too
	K1, B, Weight float64
	Formula       string  // of scores, one of Formulas; "" is BM25
	Similarity    string  // of a field of vectors: cosine, dot or l2
	Coded         bool    // of a field of vectors: codes are all that is kept; documents have what Coded returns
	Scale         float64 // unless 0 the documents have Weights there; Lengths are None
}

// Record is a document with fields, as the engine numbers it.
type Record struct {
	Terms   map[string][]string       // by field
	Places  map[string][]int          // by field, of the terms; nil if they count from 0
	Weights map[string]map[string]int // by field, of the terms of one with a Scale
	Vectors map[string][][]float32    // by field
	Deleted bool
}

// Records is a collection of documents with fields.
type Records struct {
	fields []Field
	docs   []Record
	ties   func(a, b uint32) int // of hits with equal scores; nil: the lower docID is first
}

// NewRecords returns the collection of docs, whose docIDs are their positions.
func NewRecords(fields []Field, docs []Record) *Records { return &Records{fields: fields, docs: docs} }

// KeepOrder makes hits with equal scores follow the values of documents in a field.
func (x *Records) KeepOrder(v Values, by SortKey) {
	x.ties = func(a, b uint32) int {
		if int(b) >= len(x.docs) { // a place behind all documents
			return -1
		}
		return v.Compare([]SortKey{by}, a, b)
	}
}

// Leaf is a term of a query in a field.
type Leaf struct {
	Field, Term string
	Boost       float64
	Blend       int // unless 0, the number of leaves that all count as in as many documents as the most frequent of them
}

// LeafQuery is a query over fields.
type LeafQuery struct {
	Leaves []Leaf
	All    bool // documents must have all of them
	K      int
	After  *Hit // the last hit that is left out
	Filter func(doc uint32) bool
}

// leaf is a distinct Leaf.
type leaf struct {
	Leaf
	field  *Field
	df     int
	index  *Index // with the field's statistics
	weight float32
}

// Answer returns the hits of q, the best first.
func (x *Records) Answer(q LeafQuery) []Hit {
	leaves := x.distinct(q.Leaves)
	var hits []Hit
	for d := range x.docs {
		if x.docs[d].Deleted || q.Filter != nil && !q.Filter(uint32(d)) {
			continue
		}
		sum, matched := float32(0), 0
		for i := range leaves {
			l := &leaves[i]
			tf := x.tf(l.field, l.Term, d)
			if tf == 0 {
				continue
			}
			if s := x.score(l, tf, d); matched == 0 {
				sum = s
			} else {
				sum = float32(sum + s)
			}
			matched++
		}
		h := Hit{uint32(d), sum}
		if matched == 0 || q.All && matched < len(leaves) || q.After != nil && x.order(h, *q.After) <= 0 {
			continue
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, x.order)
	return hits[:min(q.K, len(hits))]
}

// order orders hits.
func (x *Records) order(a, b Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 || x.ties == nil {
		return cmp.Or(c, cmp.Compare(a.Doc, b.Doc))
	}
	return x.ties(a.Doc, b.Doc)
}

// distinct returns the distinct leaves with their weights, in the order in which scores are summed. The boost of
// one that occurs several times is the sum.
func (x *Records) distinct(leaves []Leaf) (all []leaf) {
	for _, l := range leaves {
		if i := slices.IndexFunc(all, func(o leaf) bool { return o.Field == l.Field && o.Term == l.Term && o.Blend == l.Blend }); i >= 0 {
			all[i].Boost += l.Boost
			continue
		}
		f := &x.fields[slices.IndexFunc(x.fields, func(f Field) bool { return f.Name == l.Field })]
		o := leaf{Leaf: l, field: f}
		for d := range x.docs {
			if !x.docs[d].Deleted && x.tf(f, l.Term, d) > 0 {
				o.df++
			}
		}
		all = append(all, o)
	}
	greatest := map[int]int{}
	for _, l := range all {
		greatest[l.Blend] = max(greatest[l.Blend], l.df)
	}
	for i := range all {
		l := &all[i]
		if l.Blend > 0 {
			l.df = greatest[l.Blend]
		}
		l.index = x.statsOf(l.field)
		plain := l.field.weigh(l.field.idf(ln, l.index.n, l.df))
		l.weight = float32(plain * float32(float64(l.field.Weight*l.Boost)))
	}
	slices.SortStableFunc(all, func(a, b leaf) int {
		return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
	})
	return all
}

// Terms returns the terms of a field that documents have which are not deleted.
func (x *Records) Terms(field string) []string {
	var all []string
	for _, d := range x.docs {
		if !d.Deleted {
			all = append(all, d.Terms[field]...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tf returns how often a document counts as having a term.
func (x *Records) tf(f *Field, term string, doc int) int {
	n := 0
	for _, t := range x.docs[doc].Terms[f.Name] {
		if t == term {
			n++
		}
	}
	if f.Lengths == None {
		return min(n, 1)
	}
	return n
}

// length returns the length of a document as it is kept.
func (x *Records) length(f *Field, doc int) int {
	n := len(x.docs[doc].Terms[f.Name])
	if f.Lengths != Bytes || n < 32 {
		return n
	}
	step := 2
	for n >= 32*step {
		step *= 2
	}
	return n / step * step // sixteen steps per doubling
}

// statsOf returns the documents that count in a field, and the sum of their lengths. Without lengths it is as if
// each had one term.
func (x *Records) statsOf(f *Field) *Index {
	index := &Index{}
	for d := range x.docs {
		n := x.length(f, d)
		if f.Lengths == None {
			n = 1
		}
		if !x.docs[d].Deleted && (n > 0 || f.Empty) {
			index.n++
			index.tokens += n
		}
	}
	return index
}

// score returns the score of a posting.
func (x *Records) score(l *leaf, tf, doc int) float32 {
	f := l.field
	if f.Formula != "" {
		ratio := float32(1)
		if f.Lengths != None && l.index.tokens > 0 {
			ratio = float32(float32(x.length(f, doc)) / float32(float64(l.index.tokens)/float64(l.index.n)))
		} else if f.Lengths != None {
			ratio = float32(x.length(f, doc))
		}
		return f.formulaic(l.weight, tf, ratio)
	}
	switch f.Lengths {
	case None:
		return posted(l.weight, tf, l.index.norm(f.K1, f.B, 1))
	case Exact:
		return posted(l.weight, tf, l.index.norm(f.K1, f.B, x.length(f, doc)))
	}
	avg := float32(1)
	if n, tokens := l.index.n, l.index.tokens; tokens > 0 {
		avg = float32(float64(tokens) / float64(n))
	}
	ratio := float32(float32(x.length(f, doc)) / avg)
	k := max(float32(float32(f.K1)*float32(float32(1-f.B)+float32(float32(f.B)*ratio))), 0x1p-126)
	return float32(l.weight / float32(1+float32(k*float32(1/float32(tf)))))
}
