//go:build emu && cgo

package paper

import (
	"context"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/rice"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/synthetic"
)

// TestLaunched measures on the device and looks which modules the runs name: those that they
// launch kernels of, and those behind what they share with other runs.
func TestLaunched(t *testing.T) {
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	e := &Env{Scale: 1. / 512, Small: true, Device: dev, Dir: t.TempDir(), Log: io.Discard}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}()
	decode := func(c codec.Codec) error {
		x, err := codecbench.Encode(c, codecbench.Docs, []format.Postings{{Docs: synthetic.Uniform(1, 500, 10_000)}})
		if err == nil {
			_, err = e.OnDevice(x)
		}
		return err
	}
	shared := func() error {
		_, err := Once(e, "rice", func() (int, error) { return 1, decode(rice.Codec{}) })
		return err
	}
	conjunctions := func(codec string, queries int) error {
		s, err := e.Set("GOV")
		if err != nil {
			return err
		}
		x, err := e.Index(t.Context(), s, codec)
		if err != nil {
			return err
		}
		g, err := e.Executor(x, gpu.Options{})
		if err == nil && queries > 0 {
			_, err = e.Conjunctions(t.Context(), x, g, s.Queries[:queries], gpu.Auto, 1)
		}
		return err
	}
	kernels := func(measure func() error) []string {
		t.Helper()
		x := &Experiment{Name: "x", GPU: func(context.Context, *Env) ([]Row, error) { return nil, measure() }}
		r, err := x.Do(t.Context(), e, GPUHalf)
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Stale(); (s == "") != (len(r.Kernels) > 0) {
			t.Errorf("a new run of %v is stale: %q", r.Kernels, s)
		}
		return slices.Sorted(maps.Keys(r.Kernels))
	}
	for i, c := range []struct {
		measure func() error
		want    []string
	}{
		{func() error { return decode(bp128.Codec{}) }, []string{"decode"}},
		{shared, []string{"unary"}},
		{func() error { return nil }, nil},
		{func() error { return decode(bp128.Codec{}) }, []string{"decode"}},
		{shared, []string{"unary"}}, // launches nothing
	} {
		if got := kernels(c.measure); !slices.Equal(got, c.want) {
			t.Errorf("run %d names %v, want %v", i, got, c.want)
		}
	}
	first := kernels(func() error { return conjunctions("bp128", 4) })
	if len(first) < 2 || slices.Contains(first, "unary") {
		t.Errorf("loading and intersecting names %v", first)
	}
	if got := kernels(func() error { return conjunctions("bp128", 0) }); !slices.Equal(got, first) {
		t.Errorf("a run with lists that another has loaded names %v, not %v", got, first)
	}
	if got := kernels(func() error { return conjunctions("lrc", 4) }); slices.Contains(got, "recode") || len(got) < 2 {
		t.Errorf("loading and intersecting lists in lrc names %v", got)
	}
}
