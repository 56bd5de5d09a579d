package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// checks compares n random queries for each codec with the CPU's answers: AND, OR and
// AND-then-OR, one to six terms, some up to 40, which may repeat or occur nowhere, k from 1 to 3,840.
func (b *bench) checks(ctx context.Context, dir string, n int) error {
	for _, name := range gputrial.Codecs() {
		c, ok := registry.ByName(name)
		if !ok {
			return fmt.Errorf("no codec %q", name)
		}
		if err := b.check(ctx, c, dir, n); err != nil {
			return fmt.Errorf("check %s: %w", name, err)
		}
	}
	return nil
}

// checked makes an index of two segments with lists from one posting to half of the
// documents.
func (b *bench) checked(ctx context.Context, c codec.Codec, dir string) (*listset.Index, error) {
	docs, terms := 24000, 240
	if b.small {
		docs, terms = 4000, 60
	}
	var sets []*listset.Set
	for i := range uint64(2) {
		s, err := listset.Range(b.seed+i, docs, terms, 1, float64(docs)/2)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return b.write(ctx, dir, c, sets...)
}

func (b *bench) check(ctx context.Context, c codec.Codec, dir string, n int) (err error) {
	index, err := b.checked(ctx, c, dir)
	if err != nil {
		return err
	}
	e, err := b.open(index)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	o := b.options()
	o.AsStored = true
	stored, err := gpu.New(b.device, e.Snapshot, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stored.Close()) }()
	start := time.Now()
	r := rand.New(rand.NewPCG(b.seed, uint64(c.ID())))
	postings := 0
	for left, x := n, e.gpu; left > 0; {
		qs := mixed(r, e.Set, min(left, 20000, n/2+1))
		left -= len(qs)
		want, err := onAll(ctx, e.cpu, qs)
		if err != nil {
			return err
		}
		got, err := x.Execute(ctx, qs)
		if err != nil {
			return err
		}
		if x == e.gpu { // every other time on lists as stored
			x = stored
		} else {
			x = e.gpu
		}
		for i := range want {
			if !gputrial.Equal(got[i].Hits, want[i].Hits) {
				return fmt.Errorf("%v query %s, k %d: the device answers %v, the CPU %v", qs[i].Mode, qs[i].RawTerms, qs[i].K, got[i].Hits, want[i].Hits)
			}
			postings += len(want[i].Hits)
		}
	}
	b.add(row{Name: "check " + c.ID().String() + ": equal to the bit", Value: float64(n), Unit: "queries",
		Note: fmt.Sprintf("%d hits, %.1f s", postings, time.Since(start).Seconds())})
	return nil
}

// mixed draws queries of all kinds.
func mixed(r *rand.Rand, s *listset.Set, n int) []search.Query {
	modes := []query.Mode{query.ModeAnd, query.ModeOr, query.ModeAndOr}
	qs := make([]search.Query, n)
	for i := range qs {
		q := search.Query{K: 1 + r.IntN(20), Mode: modes[r.IntN(len(modes))]}
		terms := 1 + r.IntN(6)
		switch r.IntN(20) {
		case 0, 1, 2, 3:
			q.K = 1 + r.IntN(1000)
		case 4:
			q.K = 1 + r.IntN(3840) // as many as all cards take
		case 5:
			terms = 1 + r.IntN(40)
		}
		for range terms {
			term := []byte(s.Terms[r.IntN(len(s.Terms))])
			switch r.IntN(50) {
			case 0:
				term = []byte("occurs nowhere")
			case 1:
				if len(q.RawTerms) > 0 {
					q.RawTerms = append(q.RawTerms, q.RawTerms[0])
				}
			}
			q.RawTerms = append(q.RawTerms, term)
		}
		qs[i] = q
	}
	return qs
}
