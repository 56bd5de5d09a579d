package gpubench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/hslrc"
	"github.com/pinion-index/pinion/format/codec/lrc"
	"github.com/pinion-index/pinion/format/codec/lrcseg"
	"github.com/pinion-index/pinion/format/codec/seglrc"
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// ratios is the shape of the lists for Intersections: the rare lists have the same
// length, the common ones at least that, 16 per octave.
var ratios = Model{Name: "intersect", Short: "ratios", Docs: 1 << 24, RareLo: 8192, RareHi: 8192, CommonLo: 8192}

// StrategyNames returns the names of the strategies.
func StrategyNames() string {
	var names []string
	for _, s := range gpuload.Strategies() {
		names = append(names, s.String())
	}
	return strings.Join(names, ", ")
}

// Intersections measures the strategies on pairs of bp128 lists, by the ratio of lengths,
// and those that look up single docIDs on the linear-regression codecs too.
func (b *Bench) Intersections(ctx context.Context, dir string) error {
	for _, n := range b.Strategies {
		if !slices.Contains(strings.Split(StrategyNames(), ", "), n) {
			return fmt.Errorf("no strategy %q; there are %s", n, StrategyNames())
		}
	}
	var all []gpuload.Strategy
	for _, how := range gpuload.Strategies() {
		if how != gpuload.Element { // on bp128 it is the same as Probe
			all = append(all, how)
		}
	}
	if err := b.octaves(ctx, dir, ratios, 10, all); err != nil {
		return err
	}
	b.asStored = true // bp128 has no elements to search
	defer func() { b.asStored = false }()
	for _, c := range []codec.Codec{lrc.Codec{}, lrcseg.Codec{}, seglrc.Codec{}, hslrc.Codec{}} {
		m := ratios
		m.Codec, m.Name, m.Short = c, "intersect "+c.ID().String(), c.ID().String()
		if err := b.octaves(ctx, dir, m, 7, []gpuload.Strategy{gpuload.Auto, gpuload.Probe, gpuload.Element}); err != nil {
			return err
		}
	}
	return nil
}

// octaves measures those strategies of some that are wanted, on lists up to 2^n times as
// long as the rare ones.
func (b *Bench) octaves(ctx context.Context, dir string, m Model, n int, some []gpuload.Strategy) (err error) {
	if b.Strategies != nil {
		some = slices.DeleteFunc(some, func(s gpuload.Strategy) bool { return !slices.Contains(b.Strategies, s.String()) })
	}
	if len(some) == 0 {
		return nil
	}
	batch := 2048
	if b.Small {
		m.Docs, m.RareLo, m.RareHi, m.CommonLo, batch = 60000, 40, 40, 40, 20
	}
	m.CommonHi, m.Terms = m.CommonLo<<n, 2*(16*n+1)
	e, err := b.open(ctx, m, dir)
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
func (b *Bench) octave(ctx context.Context, e *engine, batch, octave int, some []gpuload.Strategy) error {
	rounds, turns := 9, 3
	if b.Small {
		rounds, turns = 1, 1
	}
	qs := e.Model.pairs(batch, octave, 1)
	want, err := e.docs(ctx, e.Model.pairs(batch, octave, 1<<30))
	if err != nil {
		return err
	}
	ways := make([]*gpuload.Conjunction, len(some))
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
		b.add(Row{Name: fmt.Sprintf("%s %v, ratio %d to %d", e.Model.Name, how, 1<<octave, 2<<octave), Value: float64(len(qs)) / sec / 1e6,
			Unit: "M queries/s", Note: fmt.Sprintf("%.2f ms a batch of %d", sec*1e3, len(qs))})
	}
	return nil
}

// pairs draws conjunctions of a rare term and a common one between 2^octave and
// 2^(octave+1) times as frequent.
func (m Model) pairs(n, octave, k int) []query.Query {
	half := m.Terms / 2
	r := rand.New(rand.NewPCG(m.Seed, uint64(octave)))
	qs := make([]query.Query, n)
	for i := range qs {
		qs[i] = query.Query{K: k, Mode: query.And, Terms: [][]byte{term(r.IntN(half)), term(half + 16*octave + r.IntN(16))}}
	}
	return qs
}
