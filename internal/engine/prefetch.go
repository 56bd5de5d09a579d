package engine

import "github.com/pinion-index/pinion/internal/terms"

// How many bytes of a list's blocks are read ahead. On the disk measured (0.08 ms for a
// page, 1.2 ms for a megabyte) longer lists gain nothing, and conjunctions, which need few
// blocks of all lists but the shortest, lose.
const (
	aheadOfOr  = 1 << 20
	aheadOfAnd = 64 << 10
)

// prefetchTerms begins to read what looking up words reads, in all segments at once.
func (r resolving) prefetchTerms(words []terms.Word) {
	r.eachDictionary(words, terms.Dictionary.PrefetchTerms)
}

// eachDictionary calls f with the words of each field in each segment, the fields in the order of words.
func (r resolving) eachDictionary(words []terms.Word, f func(d terms.Dictionary, words [][]byte)) {
	for len(words) > 0 {
		field, n := words[0].Field, 0
		var of [][]byte
		for ; n < len(words) && words[n].Field == field; n++ {
			of = append(of, words[n].Bytes)
		}
		words = words[n:]
		for p := range r.lookup.Parts {
			if d := r.lookup.Parts[p].Fields[field]; d != nil {
				f(d, of)
			}
		}
	}
}

// prefetchLists begins to read those lists of the query that no query before has asked for.
// The terms are in canonical order.
func (r resolving) prefetchLists() {
	if r.s.remote || r.q.Mode == And && r.unknown() {
		return
	}
	for i := range r.terms {
		if !r.terms[i].Fresh {
			continue
		}
		for p := range r.s.parts {
			most := int64(aheadOfOr)
			if r.s.remote || r.q.Mode == And && i > 0 {
				most = aheadOfAnd
			}
			r.s.parts[p].Views().Lists().Prefetch(r.terms[i].Kept.entries[p].Entry, most)
		}
	}
}
