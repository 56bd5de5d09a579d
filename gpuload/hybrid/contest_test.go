package hybrid

import "testing"

// The better way gets nearly all windows, also when it changes, and the other one is tried ever
// less often.
func TestContest(t *testing.T) {
	var c contest
	windows := func(n int, all, one, share float64) (ones int) {
		for range n {
			if c.one {
				ones++
			}
			rate := all
			if c.one {
				rate = one
			}
			for range contestFlush + contestBatches {
				c.batch(1000/rate, 1000, share*1000)
			}
		}
		return ones
	}
	if n := windows(200, 1.2, 1, 0.2); n > 9 || n == 0 {
		t.Errorf("one core answers alone in %d of 200 windows, though others add a fifth", n)
	}
	if n := windows(200, 1, 1.2, 0.2); n < 140 {
		t.Errorf("one core answers alone in %d of 200 windows, though others cost a fifth", n)
	}
	if n := windows(400, 1.2, 1, 0.2); n > 120 {
		t.Errorf("one core answers alone in %d of 400 windows after that has become the worse way", n)
	}
	c = contest{}
	if n := windows(200, 1, 2, 0.5); n > 0 {
		t.Errorf("cores that answer half of all stop in %d of 200 windows", n)
	}
	c = contest{}
	for range 1000 { // too few in a row
		for range contestFlush + contestBatches - 1 {
			c.batch(1000, 1000, 0)
		}
		c.interrupt()
	}
	if c != (contest{}) {
		t.Errorf("the stock ran empty, and %+v is known", c)
	}
}

// TestContestLost ends a trial early that costs much, and not one that costs little.
func TestContestLost(t *testing.T) {
	for one, want := range map[float64]int{0.8: contestFlush + contestEarly, 0.95: contestFlush + contestBatches} {
		var c contest
		trial := 0
		for i := 0; trial == 0 || c.one; i++ {
			rate := 1.0
			if c.one {
				rate = one
				trial++
			}
			if c.batch(1000/rate, 1000, 200); i > 1000 {
				t.Fatal("no trial ends")
			}
		}
		if trial != want || c.best {
			t.Errorf("with %g of the rate a trial takes %d batches, want %d", one, trial, want)
		}
	}
}
