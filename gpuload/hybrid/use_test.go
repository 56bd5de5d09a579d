package hybrid

import (
	"testing"
	"time"
)

// TestUse lets a GPU be used for a part of the time, in pieces of 0.3 ms.
func TestUse(t *testing.T) {
	const piece = 300 * time.Microsecond
	run := func(u *gpuUse, from time.Duration, share float64) time.Duration {
		period := time.Duration(float64(piece) / share)
		end := from + 200*time.Millisecond
		for now := from; now < end; now += period {
			u.set(true, now)
			u.observe(now + piece/2) // a query arrives
			u.set(false, now+piece)
		}
		return end
	}
	var u gpuUse
	now := time.Duration(0)
	for i, c := range []struct {
		share float64
		want  bool
	}{{0.04, false}, {0.18, false}, {0.5, true}, {0.18, true}, {0.04, false}, {0.9, true}} {
		if now = run(&u, now, c.share); u.spares != c.want {
			t.Errorf("%d: used for %v of the time: workers leave Ps %v, want %v; share %v", i, c.share, u.spares, c.want, u.share)
		}
	}
	u = gpuUse{}
	if u.take(time.Second); !u.spares {
		t.Error("not used although much is coming")
	}
	u.observe(time.Second + 5*time.Millisecond)
	if !u.spares {
		t.Error("given up after 5 ms")
	}
	if u.observe(2 * time.Second); u.spares {
		t.Error("used for a second after the last batch")
	}
}

// TestSpared follows how many Ps the Pool's workers leave: some while there is much for the GPU, none
// while there is little or no GPU, and always some if it answers alone.
func TestSpared(t *testing.T) {
	s, qs, _ := answeredQueries(t, 300, 3)
	for _, mode := range []Mode{Parallel, OnlyGPU, OnlyCPU} {
		x := newHybrid(t, s, &stub{Executor: s}, Options{Mode: mode})
		spared := func(change func()) int {
			x.mu.Lock()
			defer x.mu.Unlock()
			if change != nil {
				change()
				x.spare()
			}
			return x.spared
		}
		check := func(when string, got int, want bool) {
			t.Helper()
			if got > 0 != want {
				t.Errorf("%v: %s workers leave %d Ps", mode, when, got)
			}
		}
		check("at first", spared(nil), mode != OnlyCPU)
		check("while the GPU is hardly used", spared(func() { x.policy.use = gpuUse{} }), mode == OnlyGPU)
		if _, err := x.Execute(t.Context(), qs); err != nil {
			t.Fatal(err)
		}
		check("after a group", spared(nil), mode != OnlyCPU)
		check("without a GPU", spared(func() { x.retire(ErrHung) }), false)
	}
}
