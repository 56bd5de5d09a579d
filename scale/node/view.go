package node

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

// mostFrequencies is how many document frequencies a view remembers; then it forgets all.
const mostFrequencies = 1 << 18

// view is one state of the map: what a query uses on all shards.
type view struct {
	Map
	revision uint64
	number   uint64 // of the Router's views, from 1
	sum      query.Collection
	bases    []uint32 // the first docID of each shard
	terms    func(query.Node) ([]query.FieldTerm, error)
	like     func(pinion.Like) (*pinion.LikeTerms, error)

	mu    sync.RWMutex
	known map[string]uint64 // document frequencies in all shards, by field and term
}

// newView returns the view of a revision of the map. It is an error if a shard has no commit yet.
func newView(m Map, revision uint64) (*view, error) {
	v := &view{Map: m, revision: revision, known: map[string]uint64{}}
	if missing := v.missing(); len(missing) > 0 || len(v.Shards) == 0 {
		return nil, fmt.Errorf("the shards are not all there yet: the map has no commit of %s", strings.Join(missing, ", "))
	}
	base := uint64(0)
	for i := range v.Shards {
		s := &v.Shards[i]
		v.bases = append(v.bases, uint32(base))
		if base += uint64(s.Docs); base > 1<<32-1 {
			return nil, fmt.Errorf("shard map: %w: more than %d documents", ErrInvalid, uint32(1<<32-1))
		}
		if err := v.sum.Add(s.Collection); err != nil {
			return nil, fmt.Errorf("shard map: %w", err)
		}
	}
	v.Schema = v.schema()
	v.sum.Rank(v.Schema)
	v.terms, v.like = pinion.TermsOf(v.Schema), pinion.LikeOf(v.Schema)
	return v, nil
}

func keyOf(field, term string) string { return field + "\x00" + term }

// frequencies returns those of a query whose terms have all been asked for before. A query with words that stand for
// others is not among these: only the shards know the words.
func (v *view) frequencies(n query.Node) (f query.Frequencies, ok bool) {
	terms, err := v.terms(n)
	if err != nil {
		return f, false
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, t := range terms {
		df, ok := v.known[keyOf(t.Field, t.Term)]
		if !ok {
			return f, false
		}
		f.Terms = append(f.Terms, query.TermFrequency{Field: t.Field, Term: t.Term, DF: df})
	}
	return f, true
}

// learn remembers frequencies of all shards.
func (v *view) learn(f *query.Frequencies) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) > mostFrequencies {
		clear(v.known)
	}
	for _, t := range f.Terms {
		v.known[keyOf(t.Field, t.Term)] = t.DF
	}
}
