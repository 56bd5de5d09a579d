//go:build emu && cgo

package gpu

import (
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
)

// TestScarceMemory asks for lists that do not fit together, where loading is sooner than the CPU and where it
// is not: then the CPU answers, but for one batch in sixteen, and from then on that batch's lists are there. Without a
// CPU each batch evicts what it must.
func TestScarceMemory(t *testing.T) {
	ask := func(terms ...int) gputrial.Query { return gputrial.Query{Terms: terms, K: 10, Mode: query.ModeOr} }
	times := func(n int, qs ...gputrial.Query) []gputrial.Query { return slices.Repeat(qs, n) }
	a, b := ask(0, 1), ask(2, 3)
	for _, segments := range []int{1, 3} {
		c, sc := newCollection(t, gputrial.Shape{Docs: 3000, Segments: segments, Terms: 40, MaxDF: 0.8, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 3})
		trial := func(memory int64, cpu *brute, sooner bool, qs []gputrial.Query) Stats {
			o := Options{Scorer: sc, Memory: memory, NoPresence: true}
			if cpu != nil {
				o.CPU = cpu
			}
			dev := cuda.NewEmulator()
			x, err := newExecutor(dev, viewsIn(c), o)
			if err != nil {
				t.Fatal(err)
			}
			x.scarcity.sooner = func(lists, queries int) bool { return sooner }
			for _, q := range qs {
				check(t, x, c, sc, []gputrial.Query{q}, nil)
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
			return x.Stats()
		}
		size := func(q gputrial.Query) int64 { return trial(4<<20, nil, true, []gputrial.Query{q}).Bytes }
		one := size(a) + size(a)/32
		for _, v := range []struct {
			name            string
			memory          int64
			sooner          bool // loading
			ask             []gputrial.Query
			onCPU           int
			loaded, evicted int64
			without         bool // a CPU
		}{
			{"room for all", 4 << 20, false, times(4, a, b), 0, 4, 0, false},
			{"the CPU is sooner", one, false, times(4, a, b), 3, 4, 2, false},
			{"other queries from now on", one, false, append(times(1, a, b), times(18, a)...), 15, 6, 4, false},
			{"loading is sooner", one, true, times(9, a, b), 1, 34, 32, false},
			{"without a CPU", one, false, times(4, a, b), 0, 16, 14, true},
		} {
			cpu := &brute{c: c, sc: sc}
			if v.without {
				cpu = nil
			}
			s := trial(v.memory, cpu, v.sooner, v.ask)
			if s.Loaded != v.loaded || s.Evicted != v.evicted || cpu != nil && cpu.asked != v.onCPU {
				t.Errorf("%d segments, %s: %+v, %+v", segments, v.name, cpu, s)
			}
		}
	}
}

// TestScarcity compares times as they were measured, and takes the slower way once in a while.
func TestScarcity(t *testing.T) {
	var s scarcity
	if !s.loads(5, 1) {
		t.Error("nothing is measured, and nothing loaded")
	}
	s.load.add(10, 200*time.Microsecond)
	s.answer.add(4, 40*time.Microsecond)
	for _, v := range []struct {
		lists, queries int
		want           bool
	}{{1, 1, false}, {1, 2, true}, {3, 5, false}, {3, 6, true}} {
		n := 0
		for range tryEach {
			if s.loads(v.lists, v.queries) == v.want {
				n++
			}
		}
		if n != tryEach-1 {
			t.Errorf("%d lists or %d queries: %d of %d times %v", v.lists, v.queries, n, tryEach, v.want)
		}
	}
}
