package algorithm

import (
	"cmp"
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// Matcher finds all documents of a segment that match, in ascending order, window after window. It decodes no
// frequencies and computes no scores. Lists that are cached as bitmaps are not decoded either.
type Matcher struct {
	run *Run
	// Known is the number of matches that Next leaves out, since they are counted without looking at them.
	Known uint64

	conjunctive bool
	limit       uint32           // documents before it are considered
	at          uint32           // those before it are done
	lists       []*posting.List  // to decode, by ascending length
	dense       []*posting.Dense // the others, which are cached
	without     *posting.List    // unless nil, its documents are left out: those of Known
	root        matchNode        // unless nil, what matches, instead of lists and dense
	bitmaps     bool             // windows are bitmaps, otherwise docIDs

	furthest uint32 // lists are before it
	columns  columns.Part

	lo, hi uint32 // of the window
	words  []uint64
	docs   []uint32

	// Scratch.
	part, union []uint32
	set         bitset.Set
	spareDocs   [][]uint32
	spareWords  [][]uint64
}

// A window that is a bitmap has matchWindow documents, so that it stays in the first-level cache.
const matchWindow = 1 << 14

// lookUpCost is how many postings can be decoded in the time that looking up a document in a list takes.
const lookUpCost = 16

// Matcher returns a Matcher of the documents that the lists of the current segment hold, all of the lists or one. It
// puts the lists in another order. If the documents are only counted, so that posting.List.Live is set,
// Matcher.Known may have some. The result is valid until the next call.
func (r *Run) Matcher(conjunctive, counted bool) *Matcher {
	m := beginMatcher(r)
	m.conjunctive = conjunctive
	decoded := arrange(r, conjunctive)
	m.lists, m.dense = r.Lists[:decoded], m.dense[:0]
	for _, l := range r.Lists[decoded:] {
		m.dense = append(m.dense, l.Dense)
	}
	words := uint64(r.Part.Seg.Docs()) / 64
	if m.bitmaps = len(m.lists) == 0; !conjunctive {
		m.bitmaps = len(m.dense) > 0 || postings(m.lists) > words
	}
	if counted && !r.filter.some() && m.at == 0 && m.limit == r.Part.Seg.Docs() {
		m.leaveOut(words)
	}
	if !conjunctive {
		r.Open(len(m.lists))
	}
	return m
}

// beginMatcher returns a Matcher over the current segment.
func beginMatcher(r *Run) *Matcher {
	if r.matcher == nil {
		r.matcher = new(Matcher)
	}
	m := r.matcher
	m.run, m.root, m.Known, m.without = r, nil, 0, nil
	m.at, m.limit, m.furthest = r.lo, min(r.hi, r.Part.Seg.Docs()), 0
	return m
}

// arrange puts the lists that are cached behind the others, of which it returns the number, and both in order of
// length. A conjunction does not ask for lists to be cached in which it looks up few documents.
func arrange(r *Run, conjunctive bool) (decoded int) {
	least := uint64(math.MaxUint32)
	for _, l := range r.Lists {
		least = min(least, uint64(l.Entry.DF))
	}
	for _, l := range r.Lists {
		if l.Dense == nil && (!conjunctive || least*lookUpCost >= uint64(l.Entry.DF)) {
			r.dense(l)
		}
		if l.Dense == nil {
			decoded++
		}
	}
	slices.SortFunc(r.Lists, func(a, b *posting.List) int {
		if (a.Dense == nil) != (b.Dense == nil) {
			if a.Dense == nil {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Entry.DF, b.Entry.DF)
	})
	return decoded
}

// postings returns how many postings lists have.
func postings(lists []*posting.List) (n uint64) {
	for _, l := range lists {
		n += uint64(l.Entry.DF)
	}
	return n
}

// leaveOut makes the documents of the longest list known, if it saves work: if the list is the only one, or the
// documents of the others can be looked up in it in less time than its own take.
func (m *Matcher) leaveOut(words uint64) {
	lists := m.run.Lists
	last := len(lists) - 1
	rest := postings(lists[:last])
	switch {
	case last == 0:
	case m.conjunctive, len(m.dense) > 1:
		return
	case len(m.dense) == 1 && rest > words, len(m.dense) == 0 && rest*lookUpCost > uint64(lists[last].Entry.DF):
		return
	}
	m.without, m.lists, m.dense = lists[last], lists[:last], m.dense[:0]
	m.Known, m.bitmaps = uint64(m.without.Live), false
}

// Next finds the matches of the next window that has some. It returns false at the end, or if the query must end.
func (m *Matcher) Next() bool {
	r := m.run
	for (m.root != nil || len(m.lists)+len(m.dense) > 0) && m.at < m.limit && !r.Stopped() {
		if r.filter.sifted {
			m.at = min(r.filter.next(m.at), m.limit)
		}
		if m.root != nil {
			m.at = min(m.root.first(m.at), m.limit)
		} else if !m.conjunctive && len(m.dense) == 0 {
			m.at = m.first()
		}
		switch {
		case m.at >= m.limit:
			return false
		case m.bitmaps:
			m.fill()
			return r.Err == nil
		case m.root != nil:
			m.docsOfTree()
		case m.conjunctive:
			m.intersect()
		default:
			m.unite()
		}
		if len(m.docs) > 0 {
			return r.Err == nil
		}
	}
	return false
}

// Count returns the number of matches of the window.
func (m *Matcher) Count() uint64 {
	if m.bitmaps {
		return uint64(bitset.Count(m.words))
	}
	return uint64(len(m.docs))
}

// AppendDocs appends the matches of the window to dst.
func (m *Matcher) AppendDocs(dst []uint32) []uint32 {
	if m.bitmaps {
		return bitset.AppendDocs(dst, m.words, m.lo)
	}
	return append(dst, m.docs...)
}

// first returns the first document from the window's start on that is in one of the lists.
func (m *Matcher) first() uint32 {
	doc := m.limit
	for _, l := range m.lists {
		doc = min(doc, l.NextGEQ(m.at))
	}
	return doc
}

// fill makes the window the bitmap of the next documents.
func (m *Matcher) fill() {
	m.lo = m.at &^ 63
	hi := m.lo + min(matchWindow, m.limit-m.lo)
	m.hi = hi
	first, n := int(m.lo/64), int((hi-m.lo+63)/64)
	if cap(m.words) < n {
		m.words = make([]uint64, matchWindow/64)
	}
	w := m.words[:n]
	if m.root != nil {
		clear(w)
		m.root.fill(m, w)
	} else {
		m.combine(w, first)
	}
	w[0] &^= 1<<(m.at&63) - 1
	if end := hi & 63; end != 0 {
		w[n-1] &= 1<<end - 1
	}
	bitset.AndNot(w, tail(m.run.Part.Deletes.Bits(), first))
	if m.run.filter.sifted {
		m.run.filter.and(w, m.lo)
	}
	m.words, m.at = w, hi
}

// combine makes w, which begins at a word of the segment, the documents of the lists.
func (m *Matcher) combine(w []uint64, first int) {
	if len(m.dense) == 0 {
		clear(w)
	}
	for i, d := range m.dense {
		switch a := tail(d.Words(), first); {
		case i == 0:
			bitset.Copy(w, a)
		case m.conjunctive:
			bitset.And(w, a)
		default:
			bitset.Or(w, a)
		}
	}
	for _, l := range m.lists {
		m.part = m.read(m.part[:0], l, m.hi)
		bitset.Add(w, m.lo, m.part)
	}
}

// tail returns what follows the first n words.
func tail(words []uint64, n int) []uint64 { return words[min(n, len(words)):] }

// read appends the documents of l from the window's start up to hi to dst.
func (m *Matcher) read(dst []uint32, l *posting.List, hi uint32) []uint32 {
	s := stretch{docs: dst}
	reading{m.run}.read(&s, m.run.walk(l, m.at, hi, -1, nil), docsOnly)
	return s.docs
}

// unite makes the window the documents of the lists from m.at on.
func (m *Matcher) unite() {
	r := m.run
	size := r.windowSize(len(m.lists))
	hi := m.at + min(size, m.limit-m.at)
	m.docs = m.read(m.docs[:0], m.lists[0], hi)
	for _, l := range m.lists[1:] {
		if m.part = m.read(m.part[:0], l, hi); len(m.part) > 0 {
			m.union = bitset.Merge(m.union[:0], m.docs, m.part)
			m.docs, m.union = m.union, m.docs
		}
	}
	m.drop()
	m.at = hi
	if l := m.without; l != nil && len(m.docs) > 0 {
		if l.Dense != nil {
			m.docs = bitset.Keep(m.docs, l.Dense.Words(), 0, true)
		} else if r.Open(len(m.lists) + 1) {
			m.docs = m.keep(m.docs, l, true)
		}
	}
}

// intersect makes the window the documents in the next block of the shortest list that are in all others. The cached
// lists come first: a document is looked up in them in no time.
func (m *Matcher) intersect() {
	r := m.run
	if !r.Open(1) {
		return
	}
	m.docs = m.docs[:0]
	first := m.lists[0]
	if first.NextGEQ(m.at) >= m.limit {
		m.at = m.limit
		return
	}
	docs := first.Docs()
	if n := len(docs); n > 0 && docs[n-1] >= m.limit {
		docs = docs[:posting.LowerBound(docs, m.limit)]
	}
	if len(docs) == 0 {
		m.at = m.limit // damage
		return
	}
	m.docs = append(m.docs, docs...)
	m.at = docs[len(docs)-1] + 1
	for _, d := range m.dense {
		m.docs = bitset.Keep(m.docs, d.Words(), 0, false)
	}
	m.drop()
	for i := 1; i < len(m.lists) && len(m.docs) > 0; i++ {
		if !r.Open(i + 1) {
			return
		}
		m.docs = m.keep(m.docs, m.lists[i], false)
		m.at = max(m.at, min(m.lists[i].Doc(), m.limit))
	}
}

// drop removes documents that are deleted, or not in the filter, from the window.
func (m *Matcher) drop() {
	r := m.run
	if d := r.Part.Deletes; d != nil && len(m.docs) > 0 {
		m.docs = bitset.Keep(m.docs, d.Bits(), 0, true)
	}
	if r.filter.sifted && len(m.docs) > 0 {
		m.docs = r.filter.keep(m.docs)
	}
}

// keep keeps those of docs that l holds, or with not those that it does not hold.
func (m *Matcher) keep(docs []uint32, l *posting.List, not bool) []uint32 {
	if len(docs) == 0 || denser(l, docs, m.run.Part.Seg.Docs()) {
		return m.keepByBlock(docs, l, not)
	}
	n := 0
	for _, doc := range docs {
		docs[n] = doc
		if (l.NextGEQ(doc) == doc) != not {
			n++
		}
	}
	return docs[:n]
}

// keepByBlock is keep in the other direction: it decodes the blocks of l that may hold one of the documents and looks
// their documents up in a bitmap of docs.
func (m *Matcher) keepByBlock(docs []uint32, l *posting.List, not bool) []uint32 {
	if len(docs) == 0 {
		return docs
	}
	set := &m.set
	set.Reset(docs[0], docs[len(docs)-1])
	set.Add(docs)
	s := stretch{docs: m.part[:0]}
	reading{m.run}.read(&s, m.run.walk(l, docs[0], docs[len(docs)-1]+1, onlyMembers, set), docsOnly)
	set.Remove(docs)
	if m.part = s.docs; not {
		return bitset.Subtract(docs, s.docs)
	}
	return docs[:copy(docs, s.docs)]
}

// forget drops references that a pooled Run must not keep alive.
func (m *Matcher) forget() {
	clear(m.dense[:cap(m.dense)])
	m.dense, m.lists, m.without, m.root = m.dense[:0], nil, nil, nil
}

// size returns how many elements m, unless nil, has memory for.
func (m *Matcher) size() int {
	if m == nil {
		return 0
	}
	n := max(cap(m.docs), cap(m.part), cap(m.union))
	for _, docs := range m.spareDocs {
		n = max(n, cap(docs))
	}
	return n
}
