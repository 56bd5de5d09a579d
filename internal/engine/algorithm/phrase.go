package algorithm

import (
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/phrase"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// Phrase is a Sequence: words of a field, slot by slot.
//
// Its matches are found in two phases. Documents that have all words are candidates; a candidate matches no more often
// than its scarcest word allows, so that many are dropped before anything is known of positions. Then positions are read,
// those of the rarest word first, and of the others only as long as there may be a match.
type Phrase struct {
	Shape phrase.Shape
	Slots [][]int // the words of each slot, by their numbers in the query
	Like  []int   // of each slot: the first with the same words
	Field int     // the engine's number
	Boost float64
}

// Words is Sequence.Words.
func (p *Phrase) Words(yield func(word int) bool) {
	for _, words := range p.Slots {
		for _, w := range words {
			if !yield(w) {
				return
			}
		}
	}
}

// Weigh is Sequence.Weigh: the idf is the sum of those of the slots, in their order, each that of its most frequent word.
func (p *Phrase) Weigh(df func(word int) uint64, scorers func(field int) *bm25.Scorer) float32 {
	s, idf := scorers(p.Field), 0.0
	for _, words := range p.Slots {
		most := uint64(0)
		for _, w := range words {
			most = max(most, df(w))
		}
		idf = float64(idf + s.IDF(most))
	}
	return s.WeightOf(idf, p.Boost)
}

// phrasing is a Phrase in the current segment.
type phrasing struct {
	of      *Phrase
	run     *Run
	own     posting.List // stands for a list of the matches
	from    uint32       // documents before it are done
	columns []column     // the one with the fewest documents first
	slots   []int        // by slot: its column
	order   []int        // the slots, as their columns are read
	sorted  []column     // scratch
	moved   []int        // scratch
	lists   [][]uint32   // by slot: positions; scratch

	m        Matches // candidates, and by column where they are there
	postings stretch // of a list in a window
	found    []found // where candidates are in columns of several lists
	heads    []uint64
	ranks    []uint32
	starts   []uint32
	counter  phrase.Counter
}

// column is what slots with the same words have in a segment.
type column struct {
	lists     []*posting.List
	places    [placesOf]*posting.Places // of list i, if any, at i modulo their number
	docs      uint64                    // at most
	times     uint64                    // how many slots it is of
	positions []uint32                  // of a candidate
	read      bool                      // they are
}

// placesOf is how many lists of a column keep what they have read of positions.
const placesOf = 4

// found is where a candidate is in one of the lists of a column.
type found struct {
	list uint32
	pos  uint32
	next uint64 // of the same candidate: 1 more than its index, or 0
}

// enter is Sequence.enter.
func (p *Phrase) enter(r *Run, list func(word int) *posting.List) sequence {
	if r.used == len(r.phrases) {
		x := new(phrasing)
		x.counter.Stop = r.Due
		r.phrases = append(r.phrases, x)
	}
	x := r.phrases[r.used].(*phrasing)
	x.of, x.run, x.from = p, r, 0
	x.columns, x.slots, x.order = x.columns[:0], x.slots[:0], x.order[:0]
	for i, words := range p.Slots {
		if same := p.Like[i]; same < i {
			x.slots = append(x.slots, x.slots[same])
			continue
		}
		if r.Due() {
			return nil
		}
		x.slots = append(x.slots, len(x.columns))
		c := x.column()
		for _, w := range words {
			if l := list(w); l != nil {
				c.lists = append(c.lists, l)
				c.docs += uint64(l.Entry.DF)
			}
		}
		if len(c.lists) == 0 {
			return nil
		}
	}
	r.used++
	x.sort()
	first := x.columns[0].lists[0]
	x.own = posting.List{In: first.In, Weight: first.Weight, Bound: first.In.Scorer.Most(first.Weight)}
	x.own.Entry.DF = uint32(min(x.columns[0].docs, uint64(r.Part.Seg.Docs())))
	return x
}

// column returns a new column.
func (x *phrasing) column() *column {
	n := len(x.columns)
	if n == cap(x.columns) {
		x.columns = append(x.columns, column{})
	}
	x.columns = x.columns[:n+1]
	c := &x.columns[n]
	c.forget()
	c.lists, c.docs, c.times = c.lists[:0], 0, 0
	return c
}

// forget drops references to lists' positions.
func (c *column) forget() {
	for _, p := range c.places {
		if p != nil {
			p.Forget()
		}
	}
}

// sort puts the columns in order, and sets what depends on it.
func (x *phrasing) sort() {
	if !slices.IsSortedFunc(x.columns, byDocs) {
		x.rearrange()
	}
	for s, c := range x.slots {
		x.columns[c].times++
		x.order = append(x.order, s)
	}
	slices.SortStableFunc(x.order, func(a, b int) int { return cmp.Compare(x.slots[a], x.slots[b]) })
	for len(x.lists) < len(x.slots) {
		x.lists = append(x.lists, nil)
	}
	x.lists = x.lists[:len(x.slots)]
}

func byDocs(a, b column) int { return cmp.Compare(a.docs, b.docs) }

// rearrange sorts the columns; the slots follow.
func (x *phrasing) rearrange() {
	x.moved, x.sorted = x.moved[:0], append(x.sorted[:0], x.columns...)
	for i := range x.columns {
		x.moved = append(x.moved, i)
	}
	slices.SortStableFunc(x.moved, func(a, b int) int { return byDocs(x.sorted[a], x.sorted[b]) })
	for to, from := range x.moved {
		x.columns[to] = x.sorted[from]
	}
	clear(x.sorted)
	to := grow(x.order, len(x.moved))
	for i, from := range x.moved {
		to[from] = i
	}
	for s, c := range x.slots {
		x.slots[s] = to[c]
	}
	x.order = to[:0]
}

// forget drops references to the query.
func (x *phrasing) forget() {
	for i := range x.columns {
		x.columns[i].forget()
	}
	x.of, x.run, x.own = nil, nil, posting.List{}
}

// size is sequence.size.
func (x *phrasing) size() int { return max(cap(x.found), cap(x.m.own), cap(x.columns)) }

// stand is sequence.stand.
func (x *phrasing) stand() *posting.List { return &x.own }

// limit is sequence.limit: a match scores no more than each of its words would with the weight of the phrase.
func (x *phrasing) limit() {
	x.own.Bound = x.own.In.Scorer.Most(x.own.Weight)
	for i := range x.columns {
		if c := &x.columns[i]; len(c.lists) == 1 {
			x.own.Bound = min(x.own.Bound, c.lists[0].Bound)
		}
	}
}

// lead returns the list that gives the candidates, nil if several do.
func (x *phrasing) lead() *posting.List {
	if lists := x.columns[0].lists; len(lists) == 1 {
		return lists[0]
	}
	return nil
}

// place returns what reads the positions of list i of a column.
func (c *column) place(i uint32) *posting.Places {
	p := &c.places[i%placesOf]
	if *p == nil {
		*p = new(posting.Places)
	}
	if l := c.lists[i]; !(*p).Reads(l) {
		(*p).Begin(l)
	}
	return *p
}

// fail ends the query with an error of a list, unless it is nil.
func (x *phrasing) fail(err error, l *posting.List) {
	if err != nil {
		x.run.fail(format.Locate(err, x.run.Place(l)))
	}
}
