//go:build emu && cgo

package gpuload

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// An Index whose Executor is on an emulated device finds the nearest that the CPU does, to the bit: alone, under filters, beside words, and in one list
// with those that words find. Where nothing else is asked, the device finds them.
func TestNearestOnDevice(t *testing.T) {
	x, err := Open(Options{Devices: 1, Memory: 8 << 20, Hang: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.options.Mode = hybrid.OnlyGPU
	fields := &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text}, {Name: "n", Kind: schema.Integer, Column: true}, {Name: "v", Kind: schema.Vector, Dims: 24},
		{Name: "codes", Kind: schema.Vector, Dims: 24, Values: schema.Int8}}}
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: fields, Executor: x, NoCache: true, Observe: func(e pinion.Event) {
		if e.Kind == pinion.EventExecutor {
			t.Error(e.Err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	r := rand.New(rand.NewPCG(1, 44))
	draw := func() []float32 {
		v := make([]float32, 24)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	for i := range 600 {
		v := draw()
		err = errors.Join(err, index.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"body": fmt.Sprintf("w%d", i%7), "n": i % 10, "v": v, "codes": v}}))
	}
	if err := errors.Join(err, index.Delete(t.Context(), "17"), index.Sync(t.Context())); err != nil {
		t.Fatal(err)
	}
	var all []pinion.Request
	for i := range 12 {
		n := query.Nearest{Field: "v", Vector: draw(), K: 1 + i*i}
		r := pinion.Request{Query: n, Limit: 1 + i, Offset: i % 3, Total: i%5 == 4, Nearest: i%2 == 0}
		switch i % 6 {
		case 1:
			r.Filter = query.AtLeast("n", i%10)
		case 2:
			r.Query = query.Bool{Must: []query.Node{n}, Filter: []query.Node{query.Match{Text: "w1 w2"}}}
		case 3:
			r.Query, r.Fuse = nil, &pinion.Fuse{Lists: []pinion.FuseList{{Query: n}, {Query: query.Match{Text: "w3"}}}}
		case 4:
			r.Query = query.Bool{Should: []query.Node{n, query.Match{Text: "w4"}}}
		case 5:
			n.Field = "codes"
			r.Query = n
		}
		all = append(all, r)
	}
	err = index.View(t.Context(), func(v *pinion.View) error {
		plain, err := pinion.NewView(v.Snapshot(), nil)
		if err != nil {
			return err
		}
		defer plain.Close()
		for pass := range 40 {
			for i, r := range all {
				want, err := plain.Search(t.Context(), r)
				if err != nil {
					return err
				}
				if got, err := v.Search(t.Context(), r); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("request %d: %+v, %v, want %+v", i, got, err, want)
				}
			}
			if err := x.Ready(t.Context()); err != nil {
				return err
			}
			before := x.Stats()
			if _, err := v.Search(t.Context(), all[0]); err != nil {
				return err
			}
			if after := x.Stats(); pass > 1 && after.GPU.Searches > before.GPU.Searches {
				return nil
			}
			time.Sleep(20 * time.Millisecond) // the field is being loaded
		}
		return fmt.Errorf("the device was not asked: %+v", x.Stats())
	})
	if err != nil {
		t.Fatal(err)
	}
}
