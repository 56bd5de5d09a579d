//go:build emu && cgo

package gpu

import (
	"errors"
	"math"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// TestNorms asks for the memory of a view's norms: 4 bytes a document, however many there are.
func TestNorms(t *testing.T) {
	for _, n := range []uint32{1, 1<<30 - 1, 1 << 30, math.MaxUint32} {
		dev := &allocated{Emulator: cuda.NewEmulator()}
		d := &docs.Docs{Views: []residency.View{{Docs: n}}, Fields: make([]docs.Field, 1)}
		if err := d.Load(dev, nil); !errors.Is(err, ErrMemory) || dev.size < 4*int64(n) {
			t.Errorf("%d documents: %d bytes, %v", n, dev.size, err)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// allocated is a device without memory, which notes how much it is asked for.
type allocated struct {
	*cuda.Emulator
	size int64
}

func (d *allocated) Alloc(n int64) (kernels.Ptr, error) {
	d.size = n
	return 0, ErrMemory
}

// TestMostDocs has more documents than kernels count: the device gets nothing, and the CPU, if there
// is one, answers.
func TestMostDocs(t *testing.T) {
	c, sc, qs := smallCollection(t)
	cpu := &counted{brute: brute{c: c, sc: sc}}
	for _, n := range []uint64{docs.Most, docs.Most + 1} {
		x := halfOf(viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: cpu})
		x.docs.N = n
		if err := x.attach(testDevice(t, 0), nil); err != nil {
			t.Fatal(err)
		}
		cpu.asked = 0
		check(t, x, c, sc, qs, nil)
		if refused := n > docs.Most; refused != (cpu.asked == len(qs)) || refused != errors.Is(x.Err(), ErrUnsupported) || refused == (len(x.docs.Norms) > 0) {
			t.Errorf("%d documents: %d of %d queries on the CPU, %v", n, cpu.asked, len(qs), x.Err())
		}
		closeExecutor(t, x)
	}
	x := halfOf(viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
	x.docs.N = docs.Most + 1
	if err := x.attach(testDevice(t, 0), nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without a CPU: %v", err)
	}
	closeExecutor(t, x)
}

// TestManySmalls asks one query for more lists without an extent than a batch's zone of the table
// holds: the CPU answers.
func TestManySmalls(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 24, Segments: 1100, Terms: 64, MaxDF: 0.9, MinDF: 8, DocsCodec: "bp128", FreqsCodec: "bp128"})
	cpu := &counted{brute: brute{c: c, sc: sc}}
	x, err := newExecutor(testDevice(t, 0), viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: cpu, AsStored: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	for _, terms := range []int{64, 3} {
		q := gputrial.Query{K: 10, Mode: query.ModeOr}
		for i := range terms {
			q.Terms = append(q.Terms, i)
		}
		cpu.asked = 0
		check(t, x, c, sc, []gputrial.Query{q}, nil)
		if want := terms / 64; cpu.asked != want || x.Err() != nil {
			t.Errorf("%d terms: %d queries on the CPU, %v", terms, cpu.asked, x.Err())
		}
	}
}
