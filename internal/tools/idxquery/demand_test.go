package idxquery

import (
	"testing"
	"time"
)

// TestDemand lets a CPU answer queries at a rate, a third of it in the first 15 ms, while they
// are read at another, and looks when a GPU is opened.
func TestDemand(t *testing.T) {
	const file, never = 5e6, time.Duration(-1)
	for _, c := range []struct {
		name        string
		n           int     // queries
		read, rate  float64 // a second
		early, late time.Duration
	}{
		{"one", 1, file, 1e3, never, never},
		{"one that takes a minute", 1, file, 1. / 60, never, never},
		{"2,000", 2000, file, 170e3, never, never},
		{"40,000", 40000, file, 1.1e6, never, never},
		{"400,000 in 0.27 s", 400e3, file, 1.5e6, never, never},
		{"50,000 in 0.4 s", 50e3, file, 125e3, never, never},
		{"200,000 in 1.3 s", 200e3, file, 160e3, 0, 50 * time.Millisecond},
		{"200,000 in 0.6 s", 200e3, file, 339e3, never, never},
		{"200,000 in 0.8 s", 200e3, file, 250e3, 0, 70 * time.Millisecond},
		{"1,000 in 10 s", 1000, file, 100, 0, time.Second},
		{"a slow pipe", 1e6, 100e3, 150e3, never, never},
		{"a fast pipe", 1e6, 1.55e6, 1.5e6, opens, opens + 50*time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			const cores = 16
			var d demand
			at, answered := never, 0.0
			for now := looks; answered < float64(c.n) && now < 20*time.Second; now += looks {
				rate := c.rate
				if now <= 15*time.Millisecond {
					rate /= 3
				}
				read := min(c.read*now.Seconds(), float64(c.n))
				coming := 0
				if c.read == file {
					coming = c.n - int(read)
				}
				answered = min(answered+rate*looks.Seconds(), read)
				if d.pays(now, int(answered), int(read)-int(answered)-cores, coming, read == float64(c.n)) {
					at = now
					break
				}
			}
			if at < c.early || at > c.late || c.late == never && at != never {
				t.Errorf("opened at %v, want between %v and %v", at, c.early, c.late)
			}
		})
	}
}
