//go:build emu && cgo

package gpu

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// lazy is a device whose driver compiles, and which notes the modules that have been loaded.
type lazy struct {
	*cuda.Emulator
	mu     sync.Mutex
	loaded map[string]bool
	late   map[kernels.Kernel]bool // launched although not loaded
}

func (d *lazy) Info() cuda.Info {
	i := d.Emulator.Info()
	i.Compiles = true
	return i
}

func (d *lazy) Load(ks ...kernels.Kernel) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range ks {
		d.loaded[k.Module()] = true
	}
	return nil
}

func (d *lazy) note(k kernels.Kernel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.loaded[k.Module()] {
		d.late[k] = true
	}
}

// Where the driver compiles, all modules that queries need are loaded before the device answers: no query waits for one,
// whatever codecs its lists have and whatever it asks for.
func TestCompiledBefore(t *testing.T) {
	emulator := testDevice(t, 0).(*cuda.Emulator)
	dev := func() (*lazy, cuda.Device) {
		d := &lazy{Emulator: emulator, loaded: map[string]bool{}, late: map[kernels.Kernel]bool{}}
		return d, &cuda.Watched{Device: d, Note: d.note}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, codec := range []string{"bp128", gputrial.Mixed} {
		c, sc := newCollection(t, gputrial.Shape{Docs: 500, Segments: 1, Terms: 16, MaxDF: 0.8, MinDF: 1, DocsCodec: codec, FreqsCodec: codec})
		for _, stored := range []bool{false, true} {
			d, watched := dev()
			x, err := newExecutor(watched, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, AsStored: stored, Presence: 1})
			if err != nil {
				t.Fatal(err)
			}
			qs := c.Draw(r, 4, 3, 10, query.ModeOr, query.ModeAnd)
			long := gputrial.Query{K: 10, Mode: query.ModeOr, Terms: r.Perm(16)[:12]}
			check(t, x, c, sc, append(qs, long), nil)
			check(t, x, c, sc, qs, nil) // presence words
			for k := range d.late {
				t.Errorf("%s, as stored %v: %v had to be loaded for a query", codec, stored, k)
			}
			closeExecutor(t, x)
		}
	}
	withLibrary(t, r, 100, func(l *gputrial.Library, s *reader.Snapshot, cpu *search.Searcher) {
		d, watched := dev()
		x, err := New(newDevice(watched), s, Options{Memory: 8 << 20, CPU: cpu, Presence: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		var qs []search.Query
		for range 15 {
			qs = append(qs, l.Query(r))
		}
		compareFields(t, x, cpu, qs)
		compareFields(t, x, cpu, qs)
		for k := range d.late {
			t.Errorf("over fields: %v had to be loaded for a query", k)
		}
		closeExecutor(t, x)
	})
}
