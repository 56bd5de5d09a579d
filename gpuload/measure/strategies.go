package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// ratios has pairs of lists for Intersections: the rare ones are of one length, the
// common ones from as long to 1,024 times as long, 16 to an octave.
var ratios = Model{Name: "ratios", Short: "ratios", Docs: 1 << 24, Terms: 322, RareLo: 8192, RareHi: 8192, CommonLo: 8192, CommonHi: 8192 << 10}

// StrategyNames lists the strategies.
func StrategyNames() string {
	var names []string
	for s := range gpuload.StrategyCount {
		names = append(names, s.String())
	}
	return strings.Join(names, ", ")
}

// Intersections measures the strategies on pairs of lists, by the ratio of lengths.
func (b *Bench) Intersections(ctx context.Context, dir string) (err error) {
	for _, n := range b.Strategies {
		if !slices.Contains(strings.Split(StrategyNames(), ", "), n) {
			return fmt.Errorf("no strategy %q; there are %s", n, StrategyNames())
		}
	}
	m, n := ratios, 1024
	if b.Small {
		m.Docs, m.RareLo, m.RareHi, m.CommonLo, m.CommonHi, n = 60000, 40, 40, 40, 40<<10, 20
	}
	e, err := b.open(ctx, m, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	for octave := range 10 {
		qs := m.pairs(n, octave, 1)
		for how := range gpuload.StrategyCount {
			if b.Strategies != nil && !slices.Contains(b.Strategies, how.String()) {
				continue
			}
			if err := b.strategy(ctx, e, qs, m.pairs(n, octave, 1<<30), how, octave); err != nil {
				return fmt.Errorf("%v, ratio %d: %w", how, 1<<octave, err)
			}
		}
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

func (b *Bench) strategy(ctx context.Context, e *engine, qs, all []query.Query, how gpuload.Strategy, octave int) error {
	c, err := e.gpu.NewConjunction(ctx, qs, 0, how)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := b.checkDocs(ctx, e, c, all); err != nil {
		return err
	}
	var secs []float64
	for range 9 {
		start := time.Now()
		if err := c.Start(); err != nil {
			return err
		}
		if _, err := c.Finish(); err != nil {
			return err
		}
		secs = append(secs, time.Since(start).Seconds())
	}
	slices.Sort(secs)
	b.add(Row{Name: fmt.Sprintf("intersect %v, ratio %d to %d", how, 1<<octave, 2<<octave), Value: float64(len(qs)) / secs[4] / 1e6,
		Unit: "M queries/s", Note: fmt.Sprintf("%.2f ms a batch of %d", secs[4]*1e3, len(qs))})
	return nil
}
