//go:build emu && cgo

package gpu

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
)

// TestMostBytes lets an Executor have more memory than there is: it takes what all lists need,
// recoded and with presence words, of every codec and of several segments.
func TestMostBytes(t *testing.T) {
	for _, codec := range []string{"bp128", "newpfd", gputrial.Mixed} {
		for _, o := range []Options{{}, {AsStored: true}} {
			shape := gputrial.Shape{Docs: 5000, Segments: 1, Terms: 14, MaxDF: 0.9, MinDF: 100, DocsCodec: codec, FreqsCodec: codec, Clustered: true, Seed: 3}
			if codec == gputrial.Mixed {
				shape.Segments = 3
			}
			c, sc := newCollection(t, shape)
			dev := testDevice(t, 1)
			o.Scorer, o.Memory, o.Presence = sc, 1<<45, 1
			x, err := newExecutor(dev, viewsIn(c), o)
			if err != nil {
				t.Fatal(codec, err)
			}
			if err := x.LoadAll(t.Context()); err != nil {
				t.Error(codec, err)
			}
			r := rand.New(rand.NewPCG(1, 9))
			for range 2 {
				check(t, x, c, sc, c.Draw(r, few(6, 12), 5, 30, query.ModeAnd, query.ModeOr), nil)
			}
			s, free := x.Stats(), x.lists.Arena.Free()
			if s.Refused > 0 || s.Evicted > 0 || s.Marked == 0 || free < x.lists.Arena.Size()/4 {
				t.Errorf("%s, %+v: %+v, %d of %d bytes free", codec, o, s, free, x.lists.Arena.Size())
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFiltersMemory asks for more bitmaps than there is memory for, time and again: the error says so, nothing is lost,
// and fewer are made.
func TestFiltersMemory(t *testing.T) {
	s := openSnapshot(t)
	defer s.Close()
	own := cuda.NewEmulator()
	own.Memory = 128 << 20
	dev := newDevice(own)
	x, err := New(dev, s, Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := x.Filters(t.Context(), make([]Filter, 1<<19)); !errors.Is(err, ErrMemory) {
			t.Errorf("bitmaps of 128 MiB: %v", err)
		}
		b, err := x.Filters(t.Context(), make([]Filter, 20))
		if err != nil {
			t.Fatal(err)
		}
		if n := b.Count(19); uint64(n) != x.docs.N {
			t.Errorf("%d of %d documents pass", n, x.docs.N)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestReserve checks that all stages of an Executor have buffers before any batch, which do not
// overlap.
func TestReserve(t *testing.T) {
	s := openSnapshot(t)
	defer s.Close()
	dev := newDevice(cuda.NewEmulator())
	x, err := New(dev, s, Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var all []*stages.Stage
	for i := range x.stages.All {
		st, err := x.stages.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		in, out := st.In[:cap(st.In)], st.Out
		for _, b := range [][]byte{in, out} {
			for j := range b {
				b[j] = byte(i)
			}
		}
		if cap(st.In) < stages.FirstIn || len(st.Out) < stages.FirstOut || st.InDev == 0 || st.OutDev == 0 || st.WorkSize() < stages.FirstWork {
			t.Errorf("a stage has buffers of %d, %d and %d bytes", cap(st.In), len(st.Out), st.WorkSize())
		}
		all = append(all, st)
	}
	for i, st := range all {
		if in, out := st.In[:cap(st.In)], st.Out; slices.ContainsFunc(append(slices.Clone(in), out...), func(b byte) bool { return b != byte(i) }) {
			t.Errorf("the buffers of stage %d are those of another", i)
		}
		x.stages.Give(st)
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
