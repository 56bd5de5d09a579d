package hybrid

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The better way gets nearly all windows, also when it changes, and the other one is tried ever
// less often.
func TestContest(t *testing.T) {
	var c contest
	windows := func(n int, all, one, share float64) (ones int) {
		for range n {
			if c.alone {
				ones++
			}
			rate := all
			if c.alone {
				rate = one
			}
			for range contestFlush + contestBatches {
				c.batch(1000/rate, 1000, share*1000, false)
			}
		}
		return ones
	}
	if n := windows(200, 1.2, 1, 0.2); n > 9 || n == 0 {
		t.Errorf("the GPU answers alone in %d of 200 windows, though others add a fifth", n)
	}
	if n := windows(200, 1, 1.2, 0.2); n < 140 {
		t.Errorf("the GPU answers alone in %d of 200 windows, though others cost a fifth", n)
	}
	if n := windows(400, 1.2, 1, 0.2); n > 120 {
		t.Errorf("the GPU answers alone in %d of 400 windows after that has become the worse way", n)
	}
	// Queries of Submit begin with the GPU alone, and stay there unless others add something.
	submit := contest{alone: true, best: true, rest: nextRest}
	for add, most := range map[float64][2]int{1: {188, 199}, 1.01: {188, 199}, 1.2: {1, 12}} {
		c = submit
		if n := windows(200, add, 1, 0.1); n < most[0] || n > most[1] {
			t.Errorf("the GPU answers alone in %d of 200 windows, and others would make that %g times as fast", n, add)
		}
	}
	c = contest{}
	if n := windows(200, 1, 2, 0.5); n > 0 {
		t.Errorf("cores that answer half of all stop in %d of 200 windows", n)
	}
	c = contest{}
	for range 1000 { // too few in a row
		for range contestFlush + contestBatches - 1 {
			c.batch(1000, 1000, 0, false)
		}
		c.interrupt()
	}
	if c != (contest{}) {
		t.Errorf("the stock ran empty, and %+v is known", c)
	}
}

// TestContestHurry tries nothing while queries are near their deadlines, and ends a trial then.
func TestContestHurry(t *testing.T) {
	c := contest{alone: true, best: true, rest: nextRest}
	window := func(hurry bool) {
		for range contestFlush + contestBatches {
			c.batch(1000, 1000, 0, hurry)
		}
	}
	for range 100 {
		if window(true); !c.alone {
			t.Fatal("a trial in a hurry")
		}
	}
	if window(false); c.alone {
		t.Fatal("no trial later")
	}
	if c.batch(1000, 1000, 0, true); c.batches == 0 { // the first of those that began before
		t.Error("a trial ends before its batches")
	}
	for range contestFlush {
		c.batch(1000, 1000, 0, true)
	}
	if !c.alone || !c.best || c.rest != 2*nextRest {
		t.Errorf("a trial in a hurry goes on, or has won: %+v", c)
	}
}

// TestContestVaries lets windows differ by a tenth: cores that add nothing do not win for long, nor lose
// those that add a fifth.
func TestContestVaries(t *testing.T) {
	for add, most := range map[float64][2]float64{1: {0, 0.25}, 1.2: {0.75, 1}} {
		rng, c, shared := rand.New(rand.NewPCG(5, 5)), contest{}, 0.0
		const windows = 2000
		for range windows {
			rate := 0.95 + 0.1*rng.Float64()
			if !c.alone {
				rate *= add
				shared++
			}
			for alone, n := c.alone, 0; n < contestFlush+contestBatches && c.alone == alone; n++ {
				c.batch(1000/rate, 1000, 100, false)
			}
		}
		if shared /= windows; shared < most[0] || shared > most[1] {
			t.Errorf("cores that make it %g times as fast answer in %.2f of the windows, want %v", add, shared, most)
		}
	}
}

// TestContestLost ends a trial early that costs much, and not one that costs little.
func TestContestLost(t *testing.T) {
	for one, want := range map[float64]int{0.8: contestFlush + contestEarly, 0.95: contestFlush + contestBatches} {
		var c contest
		trial := 0
		for i := 0; trial == 0 || c.alone; i++ {
			rate := 1.0
			if c.alone {
				rate = one
				trial++
			}
			if c.batch(1000/rate, 1000, 200, false); i > 1000 {
				t.Fatal("no trial ends")
			}
		}
		if trial != want || c.best {
			t.Errorf("with %g of the rate a trial takes %d batches, want %d", one, trial, want)
		}
	}
}

// TestStockAlone leaves queries of Submit to the GPU while it has a batch, except what only the CPU can
// answer and what is urgent; not if the batch does not end or if the cores could answer much of them. Those
// of Execute it leaves to the GPU if the cores could answer too few.
func TestStockAlone(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name    string
		single  bool
		core    time.Duration
		pinned  int
		after   time.Duration
		flies   bool
		takes   bool
		weighed bool
		passed  time.Duration
	}{
		{"of Submit", true, 100 * time.Microsecond, 0, 0, true, false, false, 19 * ms},
		{"of Submit, and the batch stalls", true, 100 * time.Microsecond, 0, 0, true, true, true, 21 * ms},
		{"of Execute", false, 100 * time.Microsecond, 0, 0, true, true, true, 19 * ms},
		{"of Execute, with too little to add", false, 330 * time.Microsecond, 0, 0, true, false, false, 19 * ms},
		{"no batch on the GPU", true, 100 * time.Microsecond, 0, 0, false, true, false, 19 * ms}, // and they have waited
		{"fast cores", true, 8 * time.Microsecond, 0, 0, true, true, true, 19 * ms},
		{"for the CPU alone", true, 100 * time.Microsecond, 3, 0, true, true, false, 19 * ms},
		{"half of the time gone", true, 100 * time.Microsecond, 0, 30 * ms, true, false, false, 19 * ms},
		{"the GPU would be late", true, 100 * time.Microsecond, 0, 23 * ms, true, true, false, 19 * ms},
	} {
		s := dueStock()
		s.workers, s.core = 16, float64(c.core)
		s.adds = s.mayAdd()
		g := callDue(1<<15, 0, c.after)
		g.single = c.single
		for i := range int32(c.pinned) {
			g.pinned = append(g.pinned, i)
		}
		s.add(g)
		if c.flies {
			b := s.takeGPU(time.Microsecond)
			if want := 4096; c.after == 0 && (b == nil || b.n != want) {
				t.Errorf("%s: a batch of %+v, want %d", c.name, b, want)
			}
		}
		var e errand
		s.observe(0, c.passed)
		takes := s.takeCPU(c.passed, &e, nil)
		if takes != c.takes || takes && e.weigh != c.weighed {
			t.Errorf("%s: a core takes %v, weighs %v", c.name, takes, e.weigh)
		}
		if n := s.idle(); !takes && n != 1 {
			t.Errorf("%s: %d cores may answer", c.name, n)
		}
	}
}
