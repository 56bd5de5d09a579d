package hybrid

import (
	"testing"
	"time"
)

// TestCatchUp gives the cores as much as may bypass the queues 1 ms after queries could bypass them again: that ends
// for longer and longer, and for a short time again once there was time.
func TestCatchUp(t *testing.T) {
	var v overload
	now := time.Second
	for i, want := range []time.Duration{2, 4, 8, 16, 32, 64, 128, 256, 256} {
		from := now
		for v.full(now); v.now(now); {
			now += 100 * micro
		}
		if held := now - from; held != want*time.Millisecond {
			t.Errorf("%d: for %v, not %d ms", i, held, want)
		}
		now += time.Millisecond
	}
	now += soonAgain * longestHeld
	if v.full(now); v.until != now+firstHeld {
		t.Errorf("a second later for %v", v.until-now)
	}
}
