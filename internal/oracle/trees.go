package oracle

import (
	"math"
	"slices"
	"sync"
)

// Kind says what a Node is.
type Kind int

// The kinds of nodes, as format/FORMAT.md, section 8.1, has them.
const (
	Word       Kind = iota // Field, Term, Boost
	Bool                   // Must, Should, Not, Filter, AtLeast, Boost
	Best                   // Should, Tie, Boost
	Const                  // Must has one, Score
	All                    // Score
	Set                    // Has
	Nothing                // what matches nothing
	Phrase                 // Field, Sequence, Boost
	Dot                    // Field, Weights, Boost
	Nearest                // Field, Vector, K, Boost
	Similarity             // Field, Vector, Boost
)

// Node is a part of a query. A boost of 0 is 1.
type Node struct {
	Kind                      Kind
	Field, Term               string
	Blend                     int // of a word, as in Leaf
	Must, Should, Not, Filter []*Node
	AtLeast                   int
	Tie, Boost, Score         float64
	Has                       func(doc uint32) bool
	Sequence                  *Sequence
	Weights                   map[string]int
	Vector                    []float32
	K                         int

	Similar []*Node        // of Bool: the Similarities among Must and Should, which are elsewhere then
	found   map[int]bool   // of Nearest: what it matches
	boosts  []float64      // of a word's occurrences
	tfs     []int          // of a word or a phrase: how often each document counts as having it; nil if none has
	dfs     map[string]int // of a phrase's words
	number  int
	weight  float32
	exact   float64
	df      int
	field   *Field  // of a word or a phrase
	index   *Index  // with the field's statistics
	place   addend  // see setPlaces
	adding  []*Node // those below that add to the score; of Best in the order of their places
}

// TreeQuery is a query that is a tree.
type TreeQuery struct {
	Root   *Node
	K      int
	After  *Hit
	Filter func(doc uint32) bool
	Static *Static
}

// Trees answers trees over a collection.
type Trees struct {
	*Records
	lists map[[2]string]*list // of terms
	stats map[string]*Index
	// Codes of vectors, and those that they are compared with, turned, by the address of their first value.
	codes, turned *sync.Map
}

// list is of a term of a field.
type list struct {
	postings []posting
	df       int // how many of them are not deleted
}

// NewTrees returns what answers trees over x.
func NewTrees(x *Records) *Trees {
	t := &Trees{x, map[[2]string]*list{}, map[string]*Index{}, &sync.Map{}, &sync.Map{}}
	for i := range x.fields {
		f := &x.fields[i]
		t.stats[f.Name] = x.statsOf(f)
		for d := range x.docs {
			for _, w := range x.docs[d].Terms[f.Name] {
				t.list(f.Name, w).add(uint32(d), f.Lengths == None, x.docs[d].Deleted)
			}
		}
	}
	return t
}

// list returns the list of a term, a new one if there is none.
func (t *Trees) list(field, term string) *list {
	l := t.lists[[2]string{field, term}]
	if l == nil {
		l = &list{}
		t.lists[[2]string{field, term}] = l
	}
	return l
}

// add adds an occurrence of the term in a document, which is that of the last call or a later one.
func (l *list) add(doc uint32, once, deleted bool) {
	if n := len(l.postings); n > 0 && l.postings[n-1].doc == doc {
		if !once {
			l.postings[n-1].tf++
		}
		return
	}
	l.postings = append(l.postings, posting{doc, 1})
	if !deleted {
		l.df++
	}
}

// Answer returns the hits of q, the best first, and their scores by exact arithmetic.
func (t *Trees) Answer(q TreeQuery) (hits []Hit, exact []float64) {
	root := t.normal(q.Root, 1)
	if root == nil || root.Kind == Similarity || root.onlySimilar() {
		return nil, nil
	}
	number, greatest := 0, map[int]int{}
	t.count(root, &number, greatest)
	t.weigh(root, greatest)
	setPlaces(root)
	t.findNearest(root, func(doc int) bool {
		return !t.docs[doc].Deleted && (q.Filter == nil || q.Filter(uint32(doc)))
	})
	scores := map[uint32]float64{}
	for d := range t.docs {
		if t.docs[d].Deleted || q.Filter != nil && !q.Filter(uint32(d)) || !t.matches(root, d) {
			continue
		}
		all := t.addends(root, d)
		if q.Static != nil && !q.Static.Multiply {
			all = append(all, q.Static.of(d))
		}
		s, x := sum(all)
		if q.Static != nil && q.Static.Multiply {
			s, x = q.Static.of(d).times(s, x)
		}
		h := Hit{uint32(d), s}
		if q.After != nil && t.order(h, *q.After) <= 0 {
			continue
		}
		hits = append(hits, h)
		scores[h.Doc] = x
	}
	slices.SortFunc(hits, t.order)
	hits = hits[:min(q.K, len(hits))]
	for _, h := range hits {
		exact = append(exact, scores[h.Doc])
	}
	return hits, exact
}

// normal returns n after the steps of section 8.1, or nil if it is left out.
func (t *Trees) normal(n *Node, boost float64) *Node {
	x := *n
	if n.Boost != 0 {
		boost *= n.Boost
	}
	all := func(nodes []*Node, boost float64) (kept []*Node) {
		for _, k := range nodes {
			if k = t.normal(k, boost); k != nil {
				kept = append(kept, k)
			}
		}
		return kept
	}
	switch n.Kind {
	case Word, Phrase, Dot, Nearest, Similarity:
		x.boosts = []float64{boost}
		if n.Kind == Dot && len(n.Weights) == 0 {
			return nil
		}
	case Const, All:
		if x.Score == 0 {
			x.Score = 1
		}
		x.Score *= boost
		if n.Kind == Const {
			if x.Must = all(n.Must, 1); len(x.Must) == 0 {
				return nil
			}
		}
	case Best:
		x.Should = slices.DeleteFunc(all(n.Should, boost), (*Node).onlySimilar)
		if n.Tie == 1 {
			return normalBool(&Node{Kind: Bool, Should: x.Should})
		}
		switch len(x.Should) {
		case 0:
			return nil
		case 1:
			return x.Should[0]
		}
	case Bool:
		x.Must, x.Should, x.Not, x.Filter = all(n.Must, boost), all(n.Should, boost), all(n.Not, 1), all(n.Filter, 1)
		return normalBool(&x)
	}
	return &x
}

// normalBool is normal for a Bool whose nodes are.
func normalBool(x *Node) *Node {
	x.takeSimilar()
	if x.onlySimilar() {
		return x
	}
	only := func(k *Node, its []*Node) bool {
		return k.Kind == Bool && len(k.Similar) == 0 && len(its) == len(k.Must)+len(k.Should)+len(k.Not)+len(k.Filter)
	}
	var must, should []*Node
	for _, k := range x.Must {
		if only(k, k.Must) {
			must = append(must, k.Must...)
		} else {
			must = append(must, k)
		}
	}
	for _, k := range x.Should {
		if x.AtLeast <= 1 && only(k, k.Should) && k.AtLeast == 1 {
			should = append(should, k.Should...)
		} else {
			should = append(should, k)
		}
	}
	x.Must, x.Should = together(must), together(should)
	if x.AtLeast == 0 && len(x.Must)+len(x.Filter) == 0 {
		x.AtLeast = 1
	}
	positive := len(x.Must) + len(x.Should)
	switch {
	case positive+len(x.Not)+len(x.Filter) == 0:
		return nil
	case x.AtLeast > len(x.Should):
		return &Node{Kind: Nothing}
	case len(x.Similar) > 0:
	case positive != 1 || len(x.Not)+len(x.Filter) > 0:
	case len(x.Must) == 1 && x.AtLeast == 0:
		return x.Must[0]
	case len(x.Should) == 1 && x.AtLeast == 1:
		return x.Should[0]
	}
	return x
}

// together makes equal words one. Their boosts add up from the left, as they stand in the query.
func together(nodes []*Node) (all []*Node) {
	for _, n := range nodes {
		i := slices.IndexFunc(all, func(o *Node) bool {
			return n.Kind == Word && o.Kind == Word && o.Field == n.Field && o.Term == n.Term && o.Blend == n.Blend
		})
		if i < 0 {
			own := *n
			own.boosts = slices.Clone(n.boosts)
			all = append(all, &own)
			continue
		}
		all[i].boosts = append(all[i].boosts, n.boosts...)
	}
	return all
}

// kids returns the nodes of a node.
func (n *Node) kids() []*Node { return slices.Concat(n.Must, n.Should, n.Similar, n.Not, n.Filter) }

// count numbers the nodes, and counts the documents of words. It sets the greatest number of each blend.
func (t *Trees) count(n *Node, number *int, greatest map[int]int) {
	*number++
	n.number = *number
	if n.Kind == Word || n.Kind == Phrase || n.Kind == Dot {
		n.field, n.index = t.field(n.Field), t.stats[n.Field]
	}
	if n.Kind == Word {
		n.df = 0
		if l := t.lists[[2]string{n.Field, n.Term}]; l != nil {
			n.df, n.tfs = l.df, make([]int, len(t.docs))
			for _, p := range l.postings {
				n.tfs[p.doc] = p.tf
			}
		}
		greatest[n.Blend] = max(greatest[n.Blend], n.df)
	}
	if n.Kind == Phrase {
		t.countPhrase(n)
	}
	for _, k := range n.kids() {
		t.count(k, number, greatest)
	}
}

// weigh sets the weights of words, which are counted.
func (t *Trees) weigh(n *Node, greatest map[int]int) {
	if n.Kind == Word {
		f, st := n.field, n.index
		if n.Blend > 0 {
			n.df = greatest[n.Blend]
		}
		boost := 0.0
		for _, b := range n.boosts {
			boost += b
		}
		n.weight = float32(f.weigh(f.idf(ln, st.n, n.df)) * float32(f.Weight*boost))
		n.exact = f.idf(math.Log, st.n, n.df) * f.factor() * f.Weight * boost
	}
	if n.Kind == Phrase {
		t.weighPhrase(n)
	}
	for _, k := range n.kids() {
		t.weigh(k, greatest)
	}
}

func (t *Trees) field(name string) *Field {
	return &t.fields[slices.IndexFunc(t.fields, func(f Field) bool { return f.Name == name })]
}

// matches reports whether a document matches a node.
func (t *Trees) matches(n *Node, doc int) bool {
	switch n.Kind {
	case Nothing:
		return false
	case Word, Phrase:
		return n.tfs != nil && n.tfs[doc] > 0
	case Dot:
		_, ok := t.dot(n, doc)
		return ok
	case Nearest:
		return n.found[doc]
	case Similarity:
		_, _, ok := t.compared(n, doc)
		return ok
	case All:
		return true
	case Set:
		return n.Has(uint32(doc))
	case Const:
		return t.matches(n.Must[0], doc)
	case Best:
		return t.matching(n.Should, doc) > 0
	}
	return t.matching(n.Must, doc) == len(n.Must) && t.matching(n.Filter, doc) == len(n.Filter) &&
		t.matching(n.Should, doc) >= n.AtLeast && t.matching(n.Not, doc) == 0
}

// matching returns how many of the nodes a document matches.
func (t *Trees) matching(nodes []*Node, doc int) (n int) {
	for _, k := range nodes {
		if t.matches(k, doc) {
			n++
		}
	}
	return n
}

// dot returns the dot product of a document and a Dot, and whether they have a term in common.
func (t *Trees) dot(n *Node, doc int) (sum int, ok bool) {
	for term, w := range t.docs[doc].Weights[n.Field] {
		if own := n.Weights[term]; own > 0 {
			sum, ok = sum+w*own, true
		}
	}
	return sum, ok
}

// addends returns what the score of a document that matches n is the sum of.
func (t *Trees) addends(n *Node, doc int) (all []addend) {
	switch n.Kind {
	case Dot:
		a, factor := n.place, n.field.Scale*n.boosts[0]
		product, _ := t.dot(n, doc)
		a.score, a.exact = float32(float32(product)*float32(factor)), float64(product)*factor
		return append(all, a)
	case Nearest, Similarity:
		a := n.place
		s, x, _ := t.compared(n, doc)
		a.score, a.exact = t.nearness(n, s, x)
		return append(all, a)
	case Word, Phrase:
		a, tf := n.place, n.tfs[doc]
		if a.constant {
			for _, b := range n.boosts {
				a.exact += b
			}
			a.score = float32(a.exact)
			return append(all, a)
		}
		a.score = t.score(&leaf{field: n.field, index: n.index, weight: n.weight}, tf, doc)
		a.exact = t.exactly(n, tf, doc)
		return append(all, a)
	case Const, All:
		a := n.place
		a.score, a.exact = float32(n.Score), n.Score
		return append(all, a)
	case Best:
		return append(all, t.best(n, doc))
	case Bool:
		for _, k := range n.adding {
			if t.matches(k, doc) {
				all = append(all, t.addends(k, doc)...)
			}
		}
	}
	return all
}

// best is addends for a Best.
func (t *Trees) best(n *Node, doc int) addend {
	var scores []float32
	var exact []float64
	for _, k := range n.adding {
		if t.matches(k, doc) {
			s, x := sum(t.addends(k, doc))
			scores, exact = append(scores, s), append(exact, x)
		}
	}
	a := n.place
	top := slices.Max(scores)
	at := slices.Index(scores, top)
	others := float32(0)
	for i, s := range scores {
		if i != at {
			others = float32(others + s)
		}
	}
	a.score = float32(top + float32(float32(n.Tie)*others))
	most, rest := slices.Max(exact), 0.0
	for _, x := range exact {
		rest += x
	}
	a.exact = most + n.Tie*(rest-most)
	return a
}

// setPlaces sets the place of every node, whose words are counted: that of its first leaf that can score, whether it matches
// or not, or else of its first constant.
func setPlaces(n *Node) {
	for _, k := range n.kids() {
		setPlaces(k)
	}
	switch n.Kind {
	case Dot:
		n.place = addend{dot: true, number: n.number}
		return
	case Nearest, Similarity:
		n.place = addend{near: true, number: n.number}
		return
	case Word, Phrase:
		if n.field.Scale != 0 { // its weights say nothing to BM25
			n.place = addend{constant: true, number: n.number}
			return
		}
		n.place = addend{df: n.df, field: n.Field, term: n.Term, number: n.number}
		return
	case Const, All, Set, Nothing:
		n.place = addend{constant: true, number: n.number}
		return
	}
	n.adding = slices.Concat(n.Must, n.Should, n.Similar)
	n.place = addend{constant: true, number: math.MaxInt}
	for _, k := range n.adding {
		if before(k.place, n.place) < 0 {
			n.place = k.place
		}
	}
	if n.Kind == Best {
		slices.SortFunc(n.adding, func(a, b *Node) int { return before(a.place, b.place) })
	}
}

// exactly returns the score of a posting in float64.
func (t *Trees) exactly(n *Node, tf, doc int) float64 {
	f, st := n.field, n.index
	ratio := 1.0
	if f.Lengths != None && st.tokens > 0 {
		ratio = float64(t.length(f, doc)) / (float64(st.tokens) / float64(st.n))
	}
	return f.exactly(n.exact, float64(tf), ratio)
}
