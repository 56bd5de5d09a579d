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

// sortTerms returns all terms of a in bytewise order, field by field, and where the terms of each field end.
func (a *Accumulator) sortTerms(ctx context.Context, threads int) (terms []sortedTerm, ends []int, err error) {
	terms = make([]sortedTerm, a.termRefs.n)
	if a.fields.text {
		return terms, []int{len(terms)}, a.sortInto(ctx, threads, terms, func(i int) sortedTerm { return a.sortedTerm(*a.termRefs.at(i)) })
	}
	ends = make([]int, len(a.fields.fields))
	for i := range a.termRefs.n {
		ends[fieldOf(a.terms.at(*a.termRefs.at(i)))]++
	}
	sum := 0
	for rank, n := range ends {
		ends[rank] = sum
		sum += n
	}
	group := make([]sortedTerm, len(terms))
	for i := range a.termRefs.n {
		ref := *a.termRefs.at(i)
		at := &ends[fieldOf(a.terms.at(ref))]
		group[*at] = a.sortedTerm(ref)
		*at++
	}
	from := 0
	for _, to := range ends {
		of := group[from:to]
		if err := a.sortInto(ctx, threads, terms[from:to], func(i int) sortedTerm { return of[i] }); err != nil {
			return nil, nil, err
		}
		from = to
	}
	return terms, ends, nil
}

// sortInto sets terms to those that at returns, in bytewise order. It uses a counting sort by
// their first two bytes, then sorts each bucket by comparison on several goroutines; few terms
// at once.
func (a *Accumulator) sortInto(ctx context.Context, threads int, terms []sortedTerm, at func(i int) sortedTerm) error {
	const buckets, few = 1 << 16, 1 << 12
	if len(terms) <= few {
		for i := range terms {
			terms[i] = at(i)
		}
		a.sortBucket(terms)
		return ctx.Err()
	}
	starts := make([]uint32, buckets+1)
	for i := range terms {
		starts[at(i).prefix>>48]++
	}
	sum := uint32(0)
	for i, n := range starts {
		starts[i] = sum
		sum += n
	}
	for i := range terms {
		t := at(i)
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
	return ctx.Err()
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
