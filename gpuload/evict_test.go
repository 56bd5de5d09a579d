//go:build emu && cgo

package gpuload

import (
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
)

// TestScarceMemory asks for lists that do not fit together. A query that finds fewer than half of
// its lists evicts none, and the CPU answers it, except one in sixteen: from then on its lists
// are there. Without a CPU each evicts what it must.
func TestScarceMemory(t *testing.T) {
	ask := func(terms ...int) gputrial.Query { return gputrial.Query{Terms: terms, K: 10, Mode: query.Or} }
	times := func(n int, qs ...gputrial.Query) []gputrial.Query { return slices.Repeat(qs, n) }
	a, b := ask(0, 1), ask(2, 3)
	for _, segments := range []int{1, 3} {
		c, sc := newCollection(t, gputrial.Shape{Docs: 9000, Segments: segments, Terms: 40, MaxDF: 0.8, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 3})
		trial := func(memory int64, cpu *brute, qs []gputrial.Query) Stats {
			o := Options{Scorer: sc, Memory: memory, Presence: -1}
			if cpu != nil {
				o.CPU = cpu
			}
			dev := cuda.NewEmulator()
			x, err := newExecutor(dev, viewsIn(c), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range qs {
				check(t, x, c, sc, []gputrial.Query{q}, nil)
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
			return x.Stats()
		}
		size := func(q gputrial.Query) int64 { return trial(4<<20, nil, []gputrial.Query{q}).Bytes }
		one := size(a) + size(a)/32
		for _, v := range []struct {
			name            string
			memory          int64
			ask             []gputrial.Query
			onCPU           int
			loaded, evicted int64
			without         bool // a CPU
		}{
			{"room for all", 4 << 20, times(4, a, b), 0, 4, 0, false},
			{"room for one", one, times(16, a, b), 15, 4, 2, false},
			{"other queries from now on", one, append(times(2, a), times(40, b)...), 15, 4, 2, false},
			{"half of the lists are there", one, []gputrial.Query{a, ask(0, 2), a}, 0, 4, 2, false},
			{"room for one and a list", size(a) + size(ask(2)) + size(ask(2))/8, []gputrial.Query{a, b, a}, 1, 3, 0, false},
			{"without a CPU", one, times(4, a, b), 0, 16, 14, true},
		} {
			cpu := &brute{c: c, sc: sc}
			if v.without {
				cpu = nil
			}
			s := trial(v.memory, cpu, v.ask)
			if s.Loaded != v.loaded || s.Evicted != v.evicted || cpu != nil && cpu.asked != v.onCPU {
				t.Errorf("%d segments, %s: %+v, %+v", segments, v.name, cpu, s)
			}
		}
	}
}
