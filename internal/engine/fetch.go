package engine

import (
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/segment"
)

// fetchMost is how many bytes of lists a query fetches before it looks at one. What is left is
// read when it is needed.
const fetchMost = 64 << 20

// fetch reads what the query needs of an index that is read on demand, in three steps: the terms in
// all segments, and those of their lists that are not long; the heads of the others and, if it is scored, the lengths of
// documents in their fields; and what is left of the lists. With each it reads the positions of phrases. In each, reads are under way at the same time.
func (r resolving) fetch() error {
	var unknown []terms.Word
	for _, w := range r.words.Words {
		if r.s.terms.Get(w.Field, w.Bytes) == nil {
			unknown = append(unknown, w)
		}
	}
	r.prefetchTerms(unknown)
	r.eachDictionary(r.words.Words, terms.Dictionary.PrefetchTermLists)
	var placed []int
	if t := r.words.Tree; t != nil {
		placed = appendPlaced(nil, t)
		words := make([]terms.Word, len(placed))
		for i, w := range placed {
			words[i] = r.words.Words[w]
		}
		r.eachDictionary(words, terms.Dictionary.PrefetchTermPositions)
	}
	parts := r.parts()
	entries := make([][]segment.Entry, len(parts))
	for _, w := range r.words.Words {
		df := uint64(0)
		c := r.s.terms.Get(w.Field, w.Bytes)
		for p := range parts {
			var e segment.Entry
			if c != nil {
				e = c.entries[p].Entry
			} else if x, ok, err := r.lookup.Parts[p].Lookup(w.Field, w.Bytes); err != nil {
				return format.Locate(err, format.Place{List: parts[p].Fields[w.Field].Label(w.Bytes), Block: format.NoBlock})
			} else if ok {
				e = x
			}
			df += uint64(e.DF)
			entries[p] = append(entries[p], e)
		}
		if df == 0 && r.q.Mode == And {
			return nil
		}
	}
	if r.q.K > 0 {
		r.prefetchLengths(entries)
	}
	for p := range parts {
		parts[p].Views().Lists().PrefetchHeads(entries[p])
	}
	left := int64(fetchMost)
	for p := range parts {
		left = parts[p].Views().Lists().PrefetchRest(entries[p], left)
	}
	for p := range parts {
		var of []segment.Entry
		for _, w := range placed {
			if e := entries[p][w]; e.DF > 0 {
				of = append(of, e)
			}
		}
		if len(of) > 0 {
			parts[p].Views().Lists().PrefetchPositions(of)
		}
	}
	return nil
}

// appendPlaced appends the words of e whose positions it needs, by their numbers, to dst.
func appendPlaced(dst []int, e *algorithm.Expr) []int {
	if e.Sequence != nil {
		e.Sequence.Words(func(word int) bool {
			dst = append(dst, word)
			return true
		})
	}
	for i := range e.Kids {
		dst = appendPlaced(dst, &e.Kids[i])
	}
	return dst
}

// prefetchLengths begins to read the lengths that no query before has read, of the fields in which parts have entries
// of the words.
func (r resolving) prefetchLengths(entries [][]segment.Entry) {
	for p := range entries {
		var unread []int
		part := &r.parts()[p]
		for i, w := range r.words.Words {
			if f := &part.Fields[w.Field]; entries[p][i].DF > 0 && f.Unread() && !slices.Contains(unread, f.Number()) {
				unread = append(unread, f.Number())
			}
		}
		if len(unread) > 0 {
			part.Views().Documents().PrefetchLengths(unread)
		}
	}
}
