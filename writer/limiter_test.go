package writer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter{rate: 1000}
		start := time.Now()
		for range 10 {
			if err := l.wait(t.Context(), 500); err != nil {
				t.Fatal(err)
			}
		}
		if d := time.Since(start); d != 9*500*time.Millisecond {
			t.Errorf("9 of 10 writes took %v", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if l.wait(ctx, 1) == nil {
			t.Error("a wait went on after its context")
		}
	})
}
