package gpubench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/hslrc"
	"github.com/pinion-index/pinion/internal/codec/lrc"
	"github.com/pinion-index/pinion/internal/codec/lrcseg"
	"github.com/pinion-index/pinion/internal/codec/seglrc"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/query"
)

// StrategyNames returns the names of the strategies.
func StrategyNames() (names []string) {
	for _, s := range gpu.Strategies() {
		names = append(names, s.String())
	}
	return names
}

// Intersections measures the strategies on pairs of bp128 lists, by the ratio of lengths,
// and those that look up single docIDs on the linear-regression codecs too.
func (b *Bench) Intersections(ctx context.Context, dir string) error {
	var all []gpu.Strategy
	for _, how := range gpu.Strategies() {
		if how != gpu.Element { // on bp128 it is the same as Probe
			all = append(all, how)
		}
	}
	if err := b.octaves(ctx, dir, "intersect", bp128.Codec{}, 10, all); err != nil {
		return err
	}
	b.asStored = true // bp128 has no elements to search
	defer func() { b.asStored = false }()
	for _, c := range []codec.Codec{lrc.Codec{}, lrcseg.Codec{}, seglrc.Codec{}, hslrc.Codec{}} {
		if err := b.octaves(ctx, dir, "intersect "+c.ID().String(), c, 7, []gpu.Strategy{gpu.Auto, gpu.Probe, gpu.Element}); err != nil {
			return err
		}
	}
	return nil
}

// octaves measures those strategies of some that are wanted, on lists up to 2^n times as
// long as the rare ones.
func (b *Bench) octaves(ctx context.Context, dir, name string, c codec.Codec, n int, some []gpu.Strategy) (err error) {
	if b.Strategies != nil {
		some = slices.DeleteFunc(some, func(s gpu.Strategy) bool { return !slices.Contains(b.Strategies, s.String()) })
	}
	if len(some) == 0 {
		return nil
	}
	batch, docs, first := 2048, 1<<24, 8192
	if b.Small {
		batch, docs, first = 20, 60000, 40
	}
	x, err := b.write(ctx, dir, c, b.ladder(name, docs, first, n))
	if err != nil {
		return err
	}
	e, err := b.open(x)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	for octave := range n {
		if err := b.octave(ctx, e, batch, octave, some); err != nil {
			return fmt.Errorf("ratio %d: %w", 1<<octave, err)
		}
	}
	return nil
}

// octave measures strategies in alternating rounds, so that the device's clock and the
// host's caches affect all of them alike.
func (b *Bench) octave(ctx context.Context, e *engine, batch, octave int, some []gpu.Strategy) error {
	rounds, turns := 9, 3
	if b.Small {
		rounds, turns = 1, 1
	}
	pairs := b.pairs(e.Set, batch, octave)
	qs := asked(e.Set, pairs, 1, query.ModeAnd)
	want, err := e.docs(ctx, asked(e.Set, pairs, 1<<30, query.ModeAnd))
	if err != nil {
		return err
	}
	ways := make([]*gpu.Conjunction, len(some))
	secs := make([][]float64, len(some))
	for i, how := range some {
		if ways[i], err = e.gpu.NewConjunction(ctx, qs, 0, how); err != nil {
			return fmt.Errorf("%v: %w", how, err)
		}
		defer ways[i].Close()
		if err := sameDocs(ways[i], qs, want); err != nil {
			return fmt.Errorf("%v: %w", how, err)
		}
	}
	for range rounds {
		for i, c := range ways {
			var turn float64
			for range turns { // the last: the others warm the caches for it
				start := time.Now()
				if _, err := answer(c); err != nil {
					return fmt.Errorf("%v: %w", some[i], err)
				}
				turn = time.Since(start).Seconds()
			}
			secs[i] = append(secs[i], turn)
		}
	}
	for i, how := range some {
		slices.Sort(secs[i])
		sec := secs[i][rounds/2]
		b.add(Row{Name: fmt.Sprintf("%s %v, ratio %d to %d", e.Set.Name, how, 1<<octave, 2<<octave), Value: float64(len(qs)) / sec / 1e6,
			Unit: "M queries/s", Note: fmt.Sprintf("%.2f ms a batch of %d", sec*1e3, len(qs))})
	}
	return nil
}

// perOctave is the number of longer lists between two powers of two.
const perOctave = 16

// ladder draws as many lists of the same length as lists up to 2^n times as long.
func (b *Bench) ladder(name string, docs, first, n int) *listset.Set {
	lists := make([][]uint32, 2*(perOctave*n+1))
	half := len(lists) / 2
	for i := range lists {
		size := float64(first)
		if i >= half {
			size *= math.Exp2(float64(i-half) / perOctave)
		}
		lists[i] = synthetic.Uniform(b.Seed<<16+uint64(i), int(size), docs)
	}
	return listset.Of(name, docs, lists)
}

// pairs draws pairs of a short list of a ladder and one between 2^octave and 2^(octave+1)
// times as long.
func (b *Bench) pairs(s *listset.Set, n, octave int) [][]int {
	half := len(s.Lists) / 2
	r := rand.New(rand.NewPCG(b.Seed, uint64(octave)))
	out := make([][]int, n)
	for i := range out {
		out[i] = []int{r.IntN(half), half + perOctave*octave + r.IntN(perOctave)}
	}
	return out
}
