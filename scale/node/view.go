package node

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pinion-index/pinion/query"
)

// mostFrequencies is how many document frequencies a view remembers; then it forgets all.
const mostFrequencies = 1 << 18

// view is one state of the map: what a query uses on all shards.
type view struct {
	Map
	revision uint64
	sum      query.Collection
	bases    []uint32 // the first docID of each shard
	parser   *query.Parser

	mu    sync.RWMutex
	known map[string]uint64 // document frequencies in all shards, by field and term
}

// newView returns the view of an entry of the bucket, or nil if a shard has no commit yet.
func newView(e jetstream.KeyValueEntry) (*view, error) {
	v := &view{revision: e.Revision(), known: map[string]uint64{}}
	if err := json.Unmarshal(e.Value(), &v.Map); err != nil {
		return nil, fmt.Errorf("shard map: %w", err)
	}
	if !v.ready() {
		return nil, nil
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
	v.parser = query.NewParserFor(v.Schema, v.Analyzer, v.Options)
	return v, nil
}

func keyOf(field string, term []byte) string { return field + "\x00" + string(term) }

// frequencies returns those of a query whose terms have all been asked for before. A query with words that stand for
// others is not among these: only the shards know the words.
func (v *view) frequencies(n query.Node) (f query.Frequencies, ok bool) {
	terms, _, err := v.parser.Terms(&query.Query{Node: n})
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
	same := func(a, b query.TermFrequency) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), bytes.Compare(a.Term, b.Term))
	}
	slices.SortFunc(f.Terms, same)
	f.Terms = slices.CompactFunc(f.Terms, func(a, b query.TermFrequency) bool { return same(a, b) == 0 })
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
