package idxinspect

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// codecFlags are the flags of `idxinspect sizes`.
type codecFlags struct {
	names      []string
	sample     int
	seed       uint64
	regression bool
	field      string // of the term
}

// sizes measures the lists of the index at path, or with term those of that term.
func (f *codecFlags) sizes(ctx context.Context, stderr io.Writer, path, term string) (*inspect.CodecSizes, error) {
	names := f.names
	if slices.Equal(names, []string{"all"}) {
		names = nil
	}
	codecs, err := codecbench.Codecs(names)
	if err != nil {
		return nil, err
	}
	s := &inspect.CodecSizes{Term: cli.Text(term), Seed: f.seed, NanosPerByte: choose.Default().NanosPerByte}
	m := inspect.NewCodecMeter(codecs)
	if term != "" {
		err = termSizes(ctx, s, m, path, f.field)
	} else {
		err = inspect.With(path, func(x *inspect.Index) error { return allSizes(ctx, s, stderr, m, x, f.sample) })
	}
	if err == nil {
		err = m.Flush(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.SampledPost = m.Done
	s.Docs, s.Freqs = m.Tables()
	return s, nil
}

// termSizes measures the lists of one term.
func termSizes(ctx context.Context, s *inspect.CodecSizes, m *inspect.CodecMeter, path, field string) error {
	err := withLists(path, field, string(s.Term), func(_ *inspect.Segment, l *segment.List) error {
		if l.Kind != segment.KindExtent {
			s.ShortLists++
			s.ShortPostings += uint64(l.N)
			return nil
		}
		s.Lists++
		s.Postings += uint64(l.N)
		s.Sampled++
		return m.List(ctx, l)
	})
	if err == nil && s.Sampled == 0 {
		return fmt.Errorf("the list of %s has no codec: with %s it is kept in the dictionary", cli.Quote(s.Term), cli.Number(s.ShortPostings, "posting"))
	}
	return err
}

// allSizes measures the lists of an index, or a sample of them.
func allSizes(ctx context.Context, s *inspect.CodecSizes, stderr io.Writer, m *inspect.CodecMeter, x *inspect.Index, sample int) error {
	err := eachEntry(x, func(_ *inspect.Segment, it *segment.TermIterator) error {
		e := it.Entry()
		if e.Kind == segment.KindExtent {
			s.Lists++
			s.Postings += uint64(e.DF)
		} else {
			s.ShortLists++
			s.ShortPostings += uint64(e.DF)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	drawn := draw(s.Seed, sample, s.Lists)
	p := cli.NewProgress(stderr, "measure", int64(s.Lists), cli.ItemRate("lists"))
	defer p.Stop()
	var l segment.List
	at := -1
	return eachEntry(x, func(g *inspect.Segment, it *segment.TermIterator) error {
		e := it.Entry()
		if e.Kind != segment.KindExtent {
			return nil
		}
		at++
		p.Set(int64(at))
		if drawn != nil {
			if _, ok := slices.BinarySearch(drawn, at); !ok {
				return nil
			}
		}
		s.Sampled++
		err := g.Lists().Init(&l, e)
		if err == nil {
			err = m.List(ctx, &l)
		}
		if err != nil && ctx.Err() == nil {
			err = format.Locate(err, format.Place{List: string(it.Term()), Block: format.NoBlock})
		}
		return err
	})
}

// eachEntry calls f with the entries of all terms, field by field.
func eachEntry(x *inspect.Index, f func(g *inspect.Segment, it *segment.TermIterator) error) error {
	for _, g := range x.Segs {
		it := g.Lists().Terms()
		for it.Next() {
			if err := f(g, it); err != nil {
				return err
			}
		}
		if err := it.Err(); err != nil {
			return err
		}
	}
	return nil
}

// draw returns k different numbers below n in ascending order, every set with the same
// probability. It returns nil, for all numbers, if k is 0 or not below n.
func draw(seed uint64, k, n int) []int {
	if k == 0 || k >= n {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	in := make(map[int]bool, k)
	for i := n - k; i < n; i++ { // Floyd's algorithm
		if j := rng.IntN(i + 1); in[j] {
			in[i] = true
		} else {
			in[j] = true
		}
	}
	return slices.Sorted(maps.Keys(in))
}
