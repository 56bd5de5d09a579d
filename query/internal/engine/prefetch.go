package engine

// How many bytes of a list's blocks are read ahead. On the disk measured (0.08 ms for a
// page, 1.2 ms for a megabyte) longer lists gain nothing, and conjunctions, which need few
// blocks of all lists but the shortest, lose.
const (
	aheadOfOr  = 1 << 20
	aheadOfAnd = 64 << 10
)

// prefetchTerms begins to read what looking up terms reads, in all segments at once.
func (r *execution) prefetchTerms(terms [][]byte) {
	for p := range r.parts() {
		r.parts()[p].Views().PrefetchTerms(terms)
	}
}

// prefetchLists begins to read those lists of the query that no query before has asked for.
// The terms are in canonical order.
func (r *execution) prefetchLists() {
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
			r.s.parts[p].Views().PrefetchList(r.terms[i].Kept.entries[p].Entry, most)
		}
	}
}
