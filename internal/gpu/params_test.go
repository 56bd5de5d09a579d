//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Queries that bring parameters are answered by the CPU, in any call, and those beside them on the device. Without a CPU they are
// refused: what is in device memory is made for other scores.
func TestParams(t *testing.T) {
	dev := testDevice(t, 0)
	rng := rand.New(rand.NewPCG(12, 75))
	withLibrary(t, rng, 600, func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
		left := &asked{Searcher: cpu}
		x, err := New(newDevice(dev), s, Options{CPU: left, Memory: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		alone, err := New(newDevice(dev), s, Options{Memory: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer alone.Close()
		var queries []search.Query
		with := 0
		for i := range 60 {
			q := l.Query(rng)
			if q.Total, q.After = false, nil; i%3 == 0 {
				q.Params = query.Params{K1: []float64{0, query.Zero, 2.5}[rng.IntN(3)], B: []float64{query.Zero, 0.2}[rng.IntN(2)]}
				with++
				if _, err := alone.Execute(t.Context(), []search.Query{q}); !errors.Is(err, ErrUnsupported) {
					t.Errorf("without a CPU: %v", err)
				}
			}
			queries = append(queries, q)
		}
		compareFields(t, x, cpu, queries)
		if left.n < with || left.n == len(queries) {
			t.Errorf("the CPU answers %d of %d queries, of which %d have parameters", left.n, len(queries), with)
		}
	})
}
