//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// wantsOf returns wants of all lists.
func wantsOf(t *testing.T, views []residency.View) (wants []*residency.Want) {
	t.Helper()
	for i := range views {
		err := views[i].EachTerm(func(parts []residency.ListPart, n uint32) {
			if w, ok := views[i].WantOf(parts, n); ok {
				wants = append(wants, &w)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return wants
}

// slow is a device whose streams for loads take until they are let go.
type slow struct {
	*cuda.Emulator
	hold chan struct{}
}

func (d *slow) Wait(stream int) error {
	if stream >= cuda.Streams-residency.LoadStreams && stream != residency.MarkStream {
		<-d.hold
	}
	return d.Emulator.Wait(stream)
}

// TestLoadHoldsNoLock answers queries whose lists are resident while a load of others is
// under way.
func TestLoadHoldsNoLock(t *testing.T) {
	c, sc := newCollection(t, someShape)
	dev := &slow{Emulator: cuda.NewEmulator(), hold: make(chan struct{})}
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	wants := wantsOf(t, x.docs.Views)
	var ready, missing []*residency.Want
	for i, w := range wants {
		if i%2 == 0 {
			ready = append(ready, w)
		} else {
			missing = append(missing, w)
		}
	}
	first := make(chan error)
	go func() { first <- x.lists.Load(context.Background(), ready, 1, 1) }()
	for range 2 {
		dev.hold <- struct{}{}
	}
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	go func() { first <- x.lists.Load(context.Background(), missing, 2, 2) }()
	for coming := 0; coming == 0; { // until the load has begun
		x.lists.Mu.RLock()
		coming = len(x.lists.Coming)
		x.lists.Mu.RUnlock()
	}
	if lost, _ := x.lists.Find(ready, 3); len(lost) != 0 {
		t.Errorf("%d of %d lists are not found during a load", len(lost), len(ready))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := x.lists.Load(ctx, missing[:1], 3, 3); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a list that is being loaded is there: %v", err)
	}
	close(dev.hold)
	if err := <-first; err != nil {
		t.Error(err)
	}
	for _, w := range missing {
		if w.List == nil {
			t.Errorf("%v is not loaded", w.Key)
		}
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestLoadsAtOnce loads overlapping sets of lists from several goroutines, with and without
// room for all of them, and checks that each list is on the device once and that queries
// get their answers meanwhile.
func TestLoadsAtOnce(t *testing.T) {
	c, sc := newCollection(t, someShape)
	for _, memory := range []int64{4 << 20, 48 << 10} {
		dev := cuda.NewEmulator()
		x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: memory, CPU: &counted{brute: brute{c: c, sc: sc}}, Threshold: 1})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(i), 1))
				for range few(3, 10) {
					wants := wantsOf(t, x.docs.Views)
					r.Shuffle(len(wants), func(a, b int) { wants[a], wants[b] = wants[b], wants[a] })
					epoch := x.stages.Next()
					if err := x.lists.Load(context.Background(), wants[:len(wants)/2], x.stages.Oldest(epoch), epoch); err != nil {
						t.Error(err)
					}
					check(t, x, c, sc, c.Draw(r, 5, 4, 20, query.ModeAnd, query.ModeOr), nil)
				}
			})
		}
		wg.Wait()
		s := x.Stats()
		if s.Loaded-s.Evicted != s.Lists || memory == 4<<20 && s.Loaded > int64(len(wantsOf(t, x.docs.Views))) {
			t.Errorf("statistics are %+v", s)
		}
		used := map[kernels.Ptr]bool{}
		for _, r := range x.lists.ByKey {
			if used[r.At] || r.Gone.Load() {
				t.Errorf("%v is at %#x", r.Key, r.At)
			}
			used[r.At] = true
		}
		if free := x.lists.Arena.Free(); free+s.Bytes+s.Marked != x.lists.Arena.Size() {
			t.Errorf("%d of %d bytes are free, %d in use", free, x.lists.Arena.Size(), s.Bytes+s.Marked)
		}
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRing loads lists that the device cannot copy from their mapping: few, and then more than the first ring holds.
func TestRing(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 20000, Segments: 1, Terms: 24, MaxDF: 0.9, MinDF: 8000, DocsCodec: "bp128", FreqsCodec: "bp128"})
	dev := cuda.NewEmulator()
	dev.FailRegister = true
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	longest := func() (n int) {
		for range residency.Loaders {
			d := <-x.lists.Loaders
			n = max(n, len(d.Ring))
			x.lists.Loaders <- d
		}
		return n
	}
	wants := wantsOf(t, x.docs.Views)
	if err := x.lists.Load(context.Background(), wants[:1], 1, 1); err != nil {
		t.Fatal(err)
	}
	if n := longest(); n != residency.FirstRing {
		t.Errorf("a list of %d bytes made a ring of %d", x.Stats().Bytes, n)
	}
	if err := x.LoadAll(context.Background()); err != nil {
		t.Fatal(err)
	}
	// What is copied has passed its checks on the device.
	if s := x.Stats(); s.Refused != 0 || int(s.Lists) != len(wants) || longest() <= residency.FirstRing || s.Bytes <= residency.FirstRing {
		t.Errorf("%+v, a ring of %d bytes", s, longest())
	}
	check(t, x, c, sc, c.Draw(rand.New(rand.NewPCG(1, 5)), 20, 5, 30, query.ModeAnd, query.ModeOr), nil)
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
