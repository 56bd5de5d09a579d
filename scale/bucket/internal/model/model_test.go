package model

import (
	"bytes"
	"container/list"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// near reports whether got is want within a share of it.
func near(got, want, within float64) bool { return math.Abs(got-want) <= within*math.Abs(want) }

// exponential returns times of that mean, at equal distances of their distribution.
func exponential(n int, mean time.Duration) (times []time.Duration) {
	for i := range n {
		times = append(times, time.Duration(-math.Log1p(-(float64(i)+0.5)/float64(n))*float64(mean)))
	}
	return times
}

func mean(times []time.Duration) float64 {
	sum := 0.0
	for _, t := range times {
		sum += t.Seconds()
	}
	return sum / float64(len(times))
}

// TestOneServer compares a node of one core with the mean time of M/M/1, 1/(service rate - arrival rate).
func TestOneServer(t *testing.T) {
	for _, load := range []float64{0.3, 0.7} {
		c := Cluster{Shards: 1, Replicas: 1, Cores: 1, Service: exponential(1000, time.Millisecond), NoHedge: true, Queries: 150000, Seed: 1}
		c.Rate = c.Load(load)
		got := mean(c.Run().Times)
		if want := 0.001 / (1 - load); !near(got, want, 0.03) {
			t.Errorf("load %g: %.4g s on average, the formula says %.4g", load, got, want)
		}
	}
}

// TestCores compares a node of many cores with M/M/c: the share of queries that wait is that of Erlang's formula C.
func TestCores(t *testing.T) {
	const cores, load = 4, 0.7
	c := Cluster{Shards: 1, Replicas: 1, Cores: cores, Service: exponential(1000, time.Millisecond), NoHedge: true, Queries: 150000, Seed: 1}
	c.Rate = c.Load(load)
	a, sum, term := cores*load, 0.0, 1.0
	for k := range cores {
		sum += term
		term *= a / float64(k+1)
	}
	waits := term / (1 - load) / (sum + term/(1-load))
	want := 0.001 + waits*0.001/(cores*(1-load))
	if got := mean(c.Run().Times); !near(got, want, 0.02) {
		t.Errorf("%.4g s on average, the formula says %.4g", got, want)
	}
}

// TestScatter compares the slowest of many shards, each idle, with the maximum of exponential times.
func TestScatter(t *testing.T) {
	const shards = 20
	c := Cluster{Shards: shards, Replicas: 1, Cores: 1, Service: []time.Duration{time.Millisecond}, Stalls: 1, Stall: time.Millisecond, NoHedge: true,
		Rate: 1, Queries: 20000, Seed: 1}
	want := 0.001
	for k := range shards {
		want += 0.001 / float64(k+1)
	}
	if got := mean(c.Run().Times); !near(got, want, 0.02) {
		t.Errorf("%.4g s on average, the formula says %.4g", got, want)
	}
}

// answers returns how long n requests of no bytes take, one after the other.
func answers(s Store, hedge bool, n int) ([]time.Duration, Sent) {
	clock := &clock{}
	x := searcher{client: newClient(clock, rand.New(rand.NewPCG(1, 1)), s, 0, hedge)}
	x.warm()
	var times []time.Duration
	var ask func(int)
	ask = func(left int) {
		if start := clock.now; left > 0 {
			x.get(0, func(bool) {
				times = append(times, clock.now-start)
				ask(left - 1)
			})
		}
	}
	ask(n)
	clock.run()
	return times, x.sent
}

// TestHedging compares the tail of hedged requests with the product of those of both: one is late if the first is, and the
// second, sent after the 95th percentile, too.
func TestHedging(t *testing.T) {
	s := S3
	s.Errors = 0
	p95 := s.Median
	for s.Later(p95) > 0.05 {
		p95 += 10 * time.Microsecond
	}
	const n = 300000
	hedged, sent := answers(s, true, n)
	plain, _ := answers(s, false, n)
	for _, d := range []time.Duration{80, 95, 110, 118, 140, 150} {
		d *= time.Millisecond
		share := func(times []time.Duration) float64 {
			late := 0
			for _, x := range times {
				if x > d {
					late++
				}
			}
			return float64(late) / n
		}
		for _, c := range []struct{ got, want float64 }{{share(plain), s.Later(d)}, {share(hedged), s.Later(d) * s.Later(d-p95)}} {
			// The client's estimate of the percentile, of 256 answers, varies.
			if sigma := math.Sqrt(c.want / n); math.Abs(c.got-c.want) > 4*sigma+0.12*c.want {
				t.Errorf("%.3g are later than %v, the formula says %.3g", c.got, d, c.want)
			}
		}
	}
	if share := float64(sent.Hedged) / n; !near(share, 0.05, 0.1) {
		t.Errorf("%.3g are hedged", share)
	}
}

// TestErrors compares how many requests it takes with errors with the geometric distribution, cut off at the last try.
func TestErrors(t *testing.T) {
	s := Store{Median: time.Millisecond, P999: time.Millisecond, Rate: 1e9, Errors: 0.3}
	const n = 100000
	_, sent := answers(s, false, n)
	want := (1 - math.Pow(s.Errors, tries)) / (1 - s.Errors)
	if got := float64(sent.Requests) / n; !near(got, want, 0.01) {
		t.Errorf("%.4g requests for each, the formula says %.4g", got, want)
	}
	if got, want := float64(n-sent.Answered)/n, math.Pow(s.Errors, tries); math.Abs(got-want) > 1e-4 {
		t.Errorf("%.2g fail, the formula says %.2g", got, want)
	}
}

// TestLink checks that what a link brings takes the time that its rate says, however many requests bring it.
func TestLink(t *testing.T) {
	clock := &clock{}
	c := newClient(clock, rand.New(rand.NewPCG(1, 1)), Store{Median: 1, P999: 1, Rate: 80e6}, 100e6, false)
	for range 50 {
		c.get(1e6, func(bool) {})
	}
	clock.run()
	if got := clock.now.Seconds(); !near(got, 0.5, 0.001) {
		t.Errorf("50 MB at 100 MB/s took %.4g s", got)
	}
}

func small() *Trace {
	return &Trace{Index: Index{Docs: 1_000_000, Postings: 2 << 20, Sections: []Section{{"postings", 64 << 10, 2 << 20}}}, Queries: []Query{
		{Terms: 2, CPU: time.Millisecond, Reads: []Read{{1, 0, 4096, ""}, {1, 8192, 4096, ""}, {2, 64 << 10, 64 << 10, "postings"}}, IDs: []Read{{1, 0, 4096, ""}}, Lists: []List{{"a", 60000}, {"b", 20}}},
		{Terms: 1, CPU: 2 * time.Millisecond, Reads: []Read{{1, 0, 4096, ""}, {2, 64 << 10, 15 << 16, "postings"}}, IDs: []Read{{1, 0, 4096, ""}}, Lists: []List{{"c", 900000}}},
	}}
}

// TestConservation checks that each request has one end, that no query is lost, and that a seed says all.
func TestConservation(t *testing.T) {
	s := Search{Trace: small(), Segments: 40, Searchers: 3, Cores: 2, Link: 1e9, Store: S3, Rate: 20, Queries: 300, Seed: 1}
	s.Store.Errors = 0.05
	got := s.Run()
	if got.Requests != got.Answered+got.Sent.Failed+got.Dismissed {
		t.Errorf("requests are lost: %+v", got.Sent)
	}
	if len(got.Times)+got.Failed != s.Queries || got.Hedged == 0 || got.Repeated == 0 {
		t.Errorf("%d queries answered, %d failed: %+v", len(got.Times), got.Failed, got.Sent)
	}
	if again := s.Run(); !reflect.DeepEqual(got, again) {
		t.Error("the same seed gave something else")
	}
	if s.Seed++; reflect.DeepEqual(got, s.Run()) {
		t.Error("another seed gave the same")
	}

	c := Cluster{Shards: 5, Replicas: 2, Cores: 2, Service: exponential(100, time.Millisecond), Spread: 0.2, Stalls: 0.01, Stall: 20 * time.Millisecond,
		Net: time.Millisecond, Deadline: 10 * time.Second, Queries: 5000, Seed: 1, Kill: 500 * time.Millisecond, Known: 500 * time.Millisecond}
	c.Rate = c.Load(0.4)
	served := c.Run()
	if served.Requests != served.Answered+served.Late+served.Busy+served.Lost || served.Lost == 0 || served.Again == 0 {
		t.Errorf("requests are lost: %+v", served)
	}
	if len(served.Times)+served.Failed != c.Queries || served.Failed > 0 {
		t.Errorf("%d queries answered, %d failed", len(served.Times), served.Failed)
	}
	if again := c.Run(); !reflect.DeepEqual(served, again) {
		t.Error("the same seed gave something else")
	}
	if c.Seed++; reflect.DeepEqual(served, c.Run()) {
		t.Error("another seed gave the same")
	}
	c.Replicas, c.Rate, c.Queries = 1, c.Rate/2, 300
	c.Kill = 50 * time.Millisecond
	if served = c.Run(); served.Failed == 0 || len(served.Times)+served.Failed != c.Queries {
		t.Errorf("without a shard %d queries were answered, %d failed", len(served.Times), served.Failed)
	}
}

// TestFailures compares the time without a shard with the formula for independent nodes.
func TestFailures(t *testing.T) {
	f := Failures{Shards: 10, Replicas: 2, MTBF: 100 * time.Hour, Repair: 4 * time.Hour, Time: 200 * 8760 * time.Hour, Seed: 1}
	got := f.Run()
	if share := float64(got.Down) / float64(f.Time); !near(share, f.Down(), 0.05) {
		t.Errorf("down for %.4g of the time, the formula says %.4g", share, f.Down())
	}
	if want := float64(f.Time/(f.MTBF+f.Repair)) * 20; !near(float64(got.Failures), want, 0.01) {
		t.Errorf("%d nodes failed, the formula says %.4g", got.Failures, want)
	}
	if got != f.Run() {
		t.Error("the same seed gave something else")
	}
}

func TestReplay(t *testing.T) {
	x := small()
	x.Queries = append(x.Queries, x.Queries...)
	all := x.Replay(2 << 20)
	if all.Requests != 1 || all.Bytes != 1 || len(all.Left.Queries) != 2 {
		t.Errorf("a cache for all of it had %+v", all)
	}
	none := x.Replay(0)
	if none.Requests != 0 || none.Bytes != 0 || !reflect.DeepEqual(none.Left.Queries, x.Queries[2:]) {
		t.Errorf("a cache for nothing had %+v", none)
	}
	if c := (&lru{room: 1, units: map[int64]*list.Element{}}); len(c.left([]Read{{1, 0, 1, ""}})) != 1 || len(c.left([]Read{{1, 4000, 96, ""}, {1, 4096, 8, ""}})) != 1 || len(c.left([]Read{{1, 0, 8, ""}})) != 1 {
		t.Error("a cache of one unit keeps another one than the latest")
	}
}

// TestGrow checks lists that are longer than one request, and that a trace in a file stays the same.
func TestGrow(t *testing.T) {
	x := small()
	g := x.Grow(500_000_000)
	// 30 million and 10,000 postings of a byte each, in requests of 8 MiB of pages.
	requests, rounds, n := Total(g.Queries[0].Reads)
	if requests != 2+4+1 || rounds != 2 || !near(float64(n), 30e6, 0.03) {
		t.Errorf("%d requests in %d rounds for %d bytes", requests, rounds, n)
	}
	var b bytes.Buffer
	if err := x.Write(&b); err != nil {
		t.Fatal(err)
	}
	if back, err := ReadTrace(&b); err != nil || !reflect.DeepEqual(back, x) {
		t.Errorf("%+v, %v", back, err)
	}
	e, at := Exponent([]float64{1, 10, 100}, []float64{3, 3 * math.Sqrt(10), 30}, 10000)
	if !near(e, 0.5, 1e-9) || !near(at, 300, 1e-9) {
		t.Errorf("exponent %g, %g", e, at)
	}
}
