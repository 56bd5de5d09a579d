package invert

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
)

// sortedTerm is one term of an Accumulator, sorted for the segment.
type sortedTerm struct {
	prefix uint64 // first eight bytes, big-endian, zero-padded
	record uint32
	df     uint32
}

func prefixOf(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.BigEndian.Uint64(term)
	}
	var b [8]byte
	copy(b[:], term)
	return binary.BigEndian.Uint64(b[:])
}

// sortTerms returns all terms of a in bytewise order. It uses a counting sort by
// their first two bytes, then sorts each bucket by comparison on several
// goroutines; few terms at once.
func (a *Accumulator) sortTerms(ctx context.Context, threads int) ([]sortedTerm, error) {
	const buckets, few = 1 << 16, 1 << 12
	if a.termRefs.n <= few {
		terms := make([]sortedTerm, a.termRefs.n)
		for i := range terms {
			terms[i] = a.sortedTerm(*a.termRefs.at(i))
		}
		a.sortBucket(terms)
		return terms, ctx.Err()
	}
	starts := make([]uint32, buckets+1)
	for i := range a.termRefs.n {
		rec := a.terms.at(*a.termRefs.at(i))
		starts[prefixOf(termOf(rec))>>48]++
	}
	sum := uint32(0)
	for i, n := range starts {
		starts[i] = sum
		sum += n
	}
	terms := make([]sortedTerm, a.termRefs.n)
	for i := range a.termRefs.n {
		t := a.sortedTerm(*a.termRefs.at(i))
		at := &starts[t.prefix>>48]
		terms[*at] = t
		*at++
	}
	// Every element of starts is now its bucket's end.
	var next atomic.Int64
	var group sync.WaitGroup
	for range threads {
		group.Go(func() {
			for ctx.Err() == nil {
				b := next.Add(1) - 1
				if b >= buckets {
					return
				}
				from := uint32(0)
				if b > 0 {
					from = starts[b-1]
				}
				a.sortBucket(terms[from:starts[b]])
			}
		})
	}
	group.Wait()
	return terms, ctx.Err()
}

func (a *Accumulator) sortedTerm(ref uint32) sortedTerm {
	rec := a.terms.at(ref)
	return sortedTerm{prefixOf(termOf(rec)), ref, binary.LittleEndian.Uint32(rec[recDF:])}
}

func (a *Accumulator) sortBucket(terms []sortedTerm) {
	slices.SortFunc(terms, func(x, y sortedTerm) int {
		if x.prefix != y.prefix {
			return cmp.Compare(x.prefix, y.prefix)
		}
		return bytes.Compare(termOf(a.terms.at(x.record)), termOf(a.terms.at(y.record)))
	})
}
