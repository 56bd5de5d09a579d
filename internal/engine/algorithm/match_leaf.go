package algorithm

import (
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/bitset"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// matchNode is a part of what a Matcher finds, in the current segment. Windows and documents that it is asked for
// ascend.
type matchNode interface {
	// first returns a document such that none from doc on and before it matches, or posting.End.
	first(doc uint32) uint32
	// fill makes w, whose bit 0 is m.lo, the matches of the window, which is up to m.hi. Documents before m.at and from
	// m.hi on do not matter.
	fill(m *Matcher, w []uint64)
	// docs appends the matches from m.at up to hi to dst, in ascending order.
	docs(m *Matcher, dst []uint32, hi uint32) []uint32
	// keep keeps those of docs that match, or with not those that do not.
	keep(m *Matcher, docs []uint32, not bool) []uint32
	// cost returns a bound of the number of matches.
	cost() uint64
}

// matchList is a posting list that is not cached. It is opened once there is something to look up in it.
type matchList struct {
	*posting.List
	run    *Run
	number int // of the list in run, 0 if it is open
}

func (l *matchList) cost() uint64 { return uint64(l.Entry.DF) }

func (l *matchList) first(doc uint32) uint32 {
	if l.number >= l.run.opened {
		return doc
	}
	return l.NextGEQ(doc)
}

func (l *matchList) fill(m *Matcher, w []uint64) {
	clear(w)
	m.add(l, w)
}

func (l *matchList) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	if !l.run.Open(l.number + 1) {
		return dst
	}
	s := stretch{docs: dst}
	reading{l.run}.read(&s, reading{l.run}.walk(l.List, m.at, hi, -1, nil), docsOnly)
	return s.docs
}

// keep reads the blocks that may have one of the documents, if there are more of these than postings.
func (l *matchList) keep(m *Matcher, docs []uint32, not bool) []uint32 {
	if len(docs) == 0 || !l.run.Open(l.number+1) {
		return docs[:0]
	}
	s := stretch{docs: m.part[:0]}
	if denser(l.List, docs, l.run.Part.Seg.Docs(), 1) {
		m.set.Reset(docs[0], docs[len(docs)-1])
		m.set.Add(docs)
		reading{l.run}.read(&s, reading{l.run}.walk(l.List, docs[0], docs[len(docs)-1]+1, onlyMembers, &m.set), docsOnly)
		m.set.Remove(docs)
	} else {
		m.kept, m.places = lookUp(l.List, docs, m.kept, m.places)
		for _, i := range m.kept {
			s.docs = append(s.docs, docs[i])
		}
	}
	if m.part = s.docs; not {
		return bitset.Subtract(docs, s.docs)
	}
	return docs[:copy(docs, s.docs)]
}

// matchWords is a bitmap of the segment: a list that is cached.
type matchWords struct {
	words []uint64
	n     uint64 // members
}

func (b *matchWords) cost() uint64                { return b.n }
func (b *matchWords) first(doc uint32) uint32     { return doc }
func (b *matchWords) fill(m *Matcher, w []uint64) { bitset.Copy(w, tail(b.words, int(m.lo/64))) }

func (b *matchWords) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	n := len(dst)
	from := m.at &^ 63
	words := tail(b.words, int(from/64))
	dst = bitset.AppendDocs(dst, words[:min(len(words), int((hi-from+63)/64))], from)
	return inRange(dst, n, m.at, hi)
}

func (b *matchWords) keep(_ *Matcher, docs []uint32, not bool) []uint32 {
	return bitset.Keep(docs, b.words, 0, not)
}

// inRange drops those of docs from index n on, which ascend, that are not from lo up to hi.
func inRange(docs []uint32, n int, lo, hi uint32) []uint32 {
	docs = docs[:n+posting.LowerBound(docs[n:], hi)]
	return docs[:n+copy(docs[n:], docs[n+posting.LowerBound(docs[n:], lo):])]
}

// matchAll is all documents.
type matchAll struct{ n uint64 }

func (a matchAll) cost() uint64            { return a.n }
func (a matchAll) first(doc uint32) uint32 { return doc }

func (a matchAll) fill(_ *Matcher, w []uint64) {
	for i := range w {
		w[i] = ^uint64(0)
	}
}

func (a matchAll) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	for doc := m.at; doc < hi; doc++ {
		dst = append(dst, doc)
	}
	return dst
}

func (a matchAll) keep(_ *Matcher, docs []uint32, not bool) []uint32 {
	if not {
		return docs[:0]
	}
	return docs
}

// matchDocs returns a node of a set of documents of a segment of all documents; nil has them all.
func matchDocs(s *docset.Set, all uint32) matchNode {
	switch {
	case s == nil:
		return matchAll{uint64(all)}
	case s.Len() == 0:
		return nil
	}
	return matchOwn{s}
}

// matchOwn is a set of documents of the segment.
type matchOwn struct{ *docset.Set }

func (s matchOwn) cost() uint64            { return uint64(s.Len()) }
func (s matchOwn) first(doc uint32) uint32 { return s.Next(doc) }

func (s matchOwn) fill(m *Matcher, w []uint64) {
	clear(w)
	s.Or(w, m.lo)
}

func (s matchOwn) docs(m *Matcher, dst []uint32, hi uint32) []uint32 {
	return s.AppendDocs(dst, m.at, hi)
}

func (s matchOwn) keep(_ *Matcher, docs []uint32, not bool) []uint32 { return s.Keep(docs, not) }
