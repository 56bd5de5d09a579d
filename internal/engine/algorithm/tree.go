package algorithm

import (
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/engine/sums"
)

// Trees are evaluated in windows of documents. In each, the lists that the matches cannot do without (tree_plan.go)
// give candidates (tree_window.go), if there is a threshold only those that may pass it (tree_sum.go). They are looked up
// in the other lists (tree_match.go); those that match are scored leaf by leaf in canonical order (tree_score.go). Sets of candidates are masks: bits by their numbers in the window.

// Tree is what a query matches and scores that no mode says.
type Tree struct {
	*Expr
	Terms   []int // the query's terms, in canonical order, by word
	Addends int   // what a score has at most, with some for each best
}

// tree is a Tree in the current segment.
type tree struct {
	run    *Run
	of     Tree
	root   *node   // nil if nothing matches
	lists  []int   // of r.Lists by term; -1 if the segment has none
	number int     // of nodes so far, in pre-order
	spare  []*node // memory: all nodes ever made
	used   int     // of spare
	addend []*node // of the root's score, in order
	words  bool    // it is a disjunction of words, which are the addends: those of r.Lists
	all    bool    // everything that matches is scored
	size   uint32  // of windows; 0 if it depends on the postings

	// The plan, and the threshold that it is for.
	sources []*node
	planned float32
	learns  bool    // what the sources score can drop candidates
	lift    float64 // by how much more than planned documents of the window must score, since their static scores are less
	sum     summing
	from    uint32 // documents before it are done
	end     uint32 // documents from it on are none

	// The window.
	lo, hi   uint32
	postings uint64   // that it is to have
	docs     []uint32 // the candidates
	alive    []uint64 // those that can be hits as far as is known
	known    []float32
	normed   *posting.Field // whose norms of docs are in norms; nil if none are
	norms    []float32
	rest     float64 // the candidates score at most as much more than known
	set      bitset.Set
	ranks    []uint32 // by word of set: candidates before it

	// Scratch.
	look  Matches
	which []uint32 // numbers of candidates
	masks [][]uint64
	sums  []float32

	dots     []*dot     // memory: all ever made
	dotsUsed int        // of dots
	totals   *sums.Sums // of all Dots: in turn
}

// node is a part of a tree in the current segment.
type node struct {
	op                         Op
	kids                       []*node
	must, should, nots, filter []*node // of kids
	atLeast                    int
	tie, score                 float32
	list                       *posting.List
	own                        *docset.Set // of the segment
	leaf                       leaf        // of a phrase or Dot

	place  int     // in canonical order
	scores bool    // what it matches may score
	inBest bool    // it is below a best
	up     *node   // of what may score: the node that it is one of, nil of the root
	in     *node   // of a leaf below a best: the addend that is one
	alt    int     // and the number of the alternative there
	eager  bool    // a leaf that scores but need not match
	bound  float64 // no match scores more
	cost   uint64  // documents to read to find all matches
	addend []*node // of an alternative of a best: what its score consists of, in order
	best   []*node // of a best: its alternatives, in order

	source bool
	held   bool    // what candidates score in it is known, as of sources
	added  bool    // it has been added up for the candidates
	pass   float32 // of a cached list: what candidates must score more than, with it
	after  bestLeft
	flat   float64 // of a best: the sum of the bounds of all within
	left   float64 // of a best: of those that are not held
	rest   float64 // no document in no source before scores more
	can    bool    // one may match
	before bool    // a source before
	need   float64 // of a source: documents that score no more in it are no hits, unless sources before have them

	// In the window.
	match  []uint64
	active []uint64
	which  []uint32  // of a leaf: the candidates that its list has
	at     []uint64  // where they are there, as in Matches
	values []float32 // their scores, once scored
	scored bool
	sums   []float32 // of an alternative of a best
}

// constants is the place of the first constant: after all leaves.
const constants = 1 << 40

// EnterTree makes the tree ready for the current segment, whose lists have been added. It returns false if nothing
// matches there.
func (r *Run) EnterTree() bool {
	if r.tree == nil {
		r.tree = new(tree)
	}
	t := r.tree
	t.begin(r, *r.Tree)
	t.lists = t.lists[:0]
	for range r.Names {
		t.lists = append(t.lists, -1)
	}
	for i, l := range r.Lists {
		t.lists[l.Term] = i
	}
	t.root, _ = t.make(r.Tree.Expr, true)
	return t.root != nil
}

// begin makes t a tree without nodes in the current segment of r.
func (t *tree) begin(r *Run, of Tree) {
	t.run, t.of, t.used, t.number, t.dotsUsed = r, of, 0, 0, 0
	t.planned, t.sources, t.from = 0, t.sources[:0], 0
	t.words, t.all, t.size = false, false, 0
}

// forget drops references to the query.
func (t *tree) forget() {
	t.of, t.normed = Tree{}, nil
	for _, d := range t.dots[:t.dotsUsed] {
		d.forget()
	}
	t.dotsUsed = 0
	for _, n := range t.spare[:t.used] {
		n.own, n.leaf = nil, nil
	}
}

// room returns a new node.
func (t *tree) room(op Op) *node {
	if t.used == len(t.spare) {
		t.spare = append(t.spare, new(node))
	}
	n := t.spare[t.used]
	t.used++
	*n = node{op: op, kids: n.kids[:0], addend: n.addend[:0], best: n.best[:0], match: n.match, active: n.active,
		which: n.which, at: n.at, values: n.values, sums: n.sums}
	return n
}

// make returns the node of e, or nil if nothing matches in the segment, and its place: that of its first leaf that
// scores, also if the segment does not have it.
func (t *tree) make(e *Expr, scores bool) (n *node, place int) {
	t.number++
	own := constants + t.number
	switch e.Op {
	case OpNone:
		return nil, own
	case OpWord:
		return t.leaf(e, scores)
	case OpBool:
		return t.combined(e, scores)
	case OpPhrase:
		return t.sequence(e, scores)
	case OpNear, OpSimilar:
		return t.near(e, scores)
	case OpBest:
		if e.Weights != nil {
			return t.dot(e, scores)
		}
	}
	n = t.room(e.Op)
	n.scores, n.score, n.place = scores, e.Score, own
	segment := t.run.Part.Seg
	switch e.Op {
	case OpAll:
		n.cost = uint64(segment.Docs())
	case OpSet:
		if n.own = e.Sets[t.run.segment]; n.own == nil {
			n.own = docset.Range(0, segment.Docs())
		}
		if n.cost = uint64(n.own.Len()); n.cost == 0 {
			return nil, own
		}
	case OpConst:
		kid, _ := t.make(&e.Kids[0], false)
		if kid == nil {
			return nil, own
		}
		n.kids, n.cost = append(n.kids, kid), kid.cost
	case OpBest:
		return t.best(n, e, scores)
	}
	return n, own
}

// leaf returns the node of a word.
func (t *tree) leaf(e *Expr, scores bool) (*node, int) {
	term := t.of.Terms[e.Word]
	if t.lists[term] < 0 {
		return nil, term
	}
	n := t.room(OpWord)
	n.list, n.scores, n.place = t.run.Lists[t.lists[term]], scores, term
	n.cost = uint64(n.list.Entry.DF)
	return n, term
}

// sequence returns the node of a phrase, whose place is that of the first of its words.
func (t *tree) sequence(e *Expr, scores bool) (*node, int) {
	place := 2 * constants
	e.Sequence.Words(func(word int) bool {
		place = min(place, t.of.Terms[word])
		return true
	})
	s := e.Sequence.enter(t.run, func(word int) *posting.List {
		if i := t.lists[t.of.Terms[word]]; i >= 0 {
			return t.run.Lists[i]
		}
		return nil
	})
	if s == nil {
		return nil, place
	}
	n := t.room(OpPhrase)
	n.leaf, n.list, n.scores, n.place = s, s.stand(), scores, place
	n.cost = s.cost()
	return n, place
}

// dot returns the node of a Dot.
func (t *tree) dot(e *Expr, scores bool) (*node, int) {
	place := dots + t.number
	d := t.enterDot(e)
	if d == nil {
		return nil, place
	}
	n := t.room(opDot)
	n.leaf, n.list, n.scores, n.score, n.place, n.cost = d, d.stand(), scores, e.Score, place, d.cost()
	return n, place
}

// best is make for the best of several nodes.
func (t *tree) best(n *node, e *Expr, scores bool) (*node, int) {
	n.tie, n.place = e.Tie, 2*constants
	for i := range e.Kids {
		kid, place := t.make(&e.Kids[i], scores)
		n.place = min(n.place, place)
		if kid == nil {
			continue
		}
		if place != kid.place { // of a Bool that is one of its nodes here
			kid = t.wrap(kid, place)
		}
		n.kids = append(n.kids, kid)
		n.cost += kid.cost
	}
	if len(n.kids) == 0 {
		return nil, n.place
	}
	slices.SortStableFunc(n.kids, cheap)
	n.should = n.kids
	n.best = append(n.best, n.kids...)
	slices.SortFunc(n.best, func(a, b *node) int { return cmp.Compare(a.place, b.place) })
	return n, n.place
}

// wrap returns a Bool of one node, with another place.
func (t *tree) wrap(kid *node, place int) *node {
	n := t.room(OpBool)
	n.kids = append(n.kids, kid)
	n.must, n.scores, n.place, n.cost = n.kids, kid.scores, place, kid.cost
	return n
}

// combined is make for a Bool.
func (t *tree) combined(e *Expr, scores bool) (*node, int) {
	n := t.room(OpBool)
	n.scores, n.place, n.atLeast = scores, 2*constants, e.AtLeast
	none, roles := false, [4]int{}
	for i := range e.Kids {
		role := roleOf(e, i)
		kid, place := t.make(&e.Kids[i], scores && role < 2)
		if role < 2 {
			n.place = min(n.place, place)
		}
		if kid == nil {
			none = none || role == 0 || role == 3
			continue
		}
		n.kids = append(n.kids, kid)
		roles[role]++
	}
	must, should := roles[0], roles[1]
	if none || n.atLeast > should || must+should+roles[3] == 0 {
		return nil, n.place
	}
	if n.atLeast > 0 && n.atLeast == should {
		must, should, n.atLeast = must+should, 0, 0
	}
	if must == 1 && len(n.kids) == 1 {
		return n.kids[0], n.place
	}
	at := must + should
	n.must, n.should, n.nots, n.filter = n.kids[:must], n.kids[must:at], n.kids[at:at+roles[2]], n.kids[at+roles[2]:]
	n.cost = t.costOf(n)
	return n, n.place
}

// roleOf returns whether kid i of a Bool must match, should, must not, or filters, as 0 to 3.
func roleOf(e *Expr, i int) int {
	switch {
	case i < e.Must:
		return 0
	case i < e.Must+e.Should:
		return 1
	case i < e.Must+e.Should+e.Not:
		return 2
	}
	return 3
}

func cheap(a, b *node) int { return cmp.Compare(a.cost, b.cost) }

// dear orders nodes by what they cost for what they may score: the last is the first to do without.
func dear(a, b *node) int { return cmp.Compare(float64(a.cost)*b.bound, float64(b.cost)*a.bound) }

// costOf returns how many documents a Bool must read, and sorts its nodes: those that are cheap to look at first.
func (t *tree) costOf(n *node) uint64 {
	cost := uint64(1 << 62)
	for _, kids := range [][]*node{n.must, n.should, n.nots, n.filter} {
		slices.SortStableFunc(kids, cheap)
	}
	for _, kids := range [][]*node{n.must, n.filter} {
		if len(kids) > 0 {
			cost = min(cost, kids[0].cost)
		}
	}
	if n.atLeast > 0 {
		sum := uint64(0)
		for _, k := range n.should[:len(n.should)-n.atLeast+1] {
			sum += k.cost
		}
		cost = min(cost, sum)
	}
	return cost
}

// prepare sets the bounds of all nodes and the order of addends. All lists must be open and have bounds.
func (t *tree) prepare() {
	t.addend = t.addends(t.addend[:0], t.root, false)
	sortAddends(t.addend)
	if t.postings = firstPostings; t.words {
		t.postings = windowPostings
		if !t.all {
			thresholds{t.run}.raise()
		}
		return
	}
	t.root.up = nil
	t.limit(t.root, false)
	t.root.coarsen()
	summed{t}.leavesOf()
	t.guess()
}

// addends appends what the score of n consists of.
func (t *tree) addends(all []*node, n *node, inBest bool) []*node {
	if !n.scores {
		return all
	}
	n.inBest = inBest
	switch n.op {
	case OpBool:
		for _, k := range n.must {
			all = t.addends(all, k, inBest)
		}
		for _, k := range n.should {
			all = t.addends(all, k, inBest)
		}
		return all
	case OpBest:
		for _, k := range n.kids {
			k.addend = t.addends(k.addend[:0], k, true)
			sortAddends(k.addend)
		}
		return append(all, n)
	case OpWord, OpPhrase, opDot, OpConst, OpAll:
		return append(all, n)
	}
	return all
}

func sortAddends(all []*node) {
	slices.SortFunc(all, func(a, b *node) int { return cmp.Compare(a.place, b.place) })
}

// limit sets the bounds of n and of the nodes below. optional says that n need not match.
func (t *tree) limit(n *node, optional bool) {
	n.bound = 0
	switch n.op {
	case OpWord, OpPhrase, opDot:
		if n.leaf != nil {
			n.leaf.limit()
		}
		if n.scores {
			n.bound = float64(n.list.Bound)
		}
		n.eager = n.scores && optional && !n.inBest
	case OpConst, OpAll:
		if n.scores {
			n.bound = float64(n.score)
		}
		for _, k := range n.kids {
			t.limit(k, false)
		}
	case OpBest:
		most, sum := 0.0, 0.0
		for _, k := range n.kids {
			t.limit(k, true)
			k.up = n
			most, sum = max(most, k.bound), sum+k.bound
		}
		if n.scores {
			n.bound = most + float64(n.tie)*(sum-most)
			slices.SortStableFunc(n.should, dear)
		}
	case OpBool:
		for i, k := range n.kids {
			t.limit(k, i >= len(n.must))
			k.up = n
			n.bound += k.bound
		}
		if n.scores && n.atLeast <= 1 {
			slices.SortStableFunc(n.should, dear)
		}
	}
}
