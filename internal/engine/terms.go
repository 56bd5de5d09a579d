package engine

import (
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/terms"
)

// known is what a Searcher keeps of a term: its entries in the dictionaries, by part. A single
// entry is inline, to save a cache miss.
type known struct {
	entries []terms.Entry
	one     [1]terms.Entry
}

type term = terms.Term[known]

// keep is terms.Resolver.Keep.
func keep(k *known, _ []byte, entries []terms.Entry) error {
	k.entries = append(k.entries[:0], entries...)
	return nil
}

// copyKnown is terms.Resolver.Copy.
func copyKnown(to, from *known) { to.entries = append(to.one[:0], from.entries...) }

// maxCachedEntries bounds a Searcher's cache: terms times segments.
const maxCachedEntries = 1 << 15

// cacheSets returns the number of sets, of four terms, for that many segments.
func cacheSets(parts int) int {
	n := 1 << 12
	for n > 16 && 4*n*parts > maxCachedEntries {
		n /= 2
	}
	return n
}

// dictionariesOf returns parts of s as terms are looked up in them.
func (s *Searcher) dictionariesOf(parts []posting.Part) []terms.Part {
	all := make([]terms.Part, len(parts))
	for i := range parts {
		all[i] = terms.Part{Views: parts[i].Views(), Deletes: parts[i].Deletes}
		for f := range s.fields {
			all[i].Fields = append(all[i].Fields, s.fields[f].terms(all[i].Views))
		}
	}
	return all
}
