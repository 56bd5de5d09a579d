package model

import (
	"math"
	"math/rand/v2"
	"time"
)

// Search is a load of queries on searchers that keep nothing but the tables of their segments. Each query goes to all of
// Searchers at once, of which each has as many of Segments. A query of the trace reads of every segment what the trace says, and
// the ids of its hits from as many requests as the trace has; that is, segments are alike, as those of documents that were dealt at random.
type Search struct {
	Trace     *Trace
	Segments  int
	Searchers int
	Fresh     bool    // tables are not in memory, beside those that opening reads
	Cores     int     // of a searcher; a query is searched on one of each
	Link      float64 // bytes a second that a searcher gets; 0: no bound
	Store     Store
	NoHedge   bool

	Rate    float64 // queries a second, of a Poisson process; 0: one after the other
	Queries int     // how many are simulated
	Seed    uint64
}

// Searched is what came of a Search.
type Searched struct {
	Sent
	Times  []time.Duration // of the queries that were answered
	Failed int             // queries of which a request failed in all tries
}

// searcher is one of the Searchers.
type searcher struct {
	*client
	free []time.Duration // when each core has done what it was given
}

// Run simulates the load.
func (s Search) Run() Searched {
	clock, r := &clock{}, rand.New(rand.NewPCG(s.Seed, 2))
	searchers := make([]searcher, s.Searchers)
	for i := range searchers {
		searchers[i] = searcher{newClient(clock, rand.New(rand.NewPCG(s.Seed, uint64(3+i))), s.Store, s.Link, !s.NoHedge), make([]time.Duration, s.Cores)}
		searchers[i].warm()
	}
	var res Searched
	asked := 0
	var ask func()
	ask = func() {
		if asked == s.Queries {
			return
		}
		asked++
		start := clock.now
		done := func(ok bool) {
			if ok {
				res.Times = append(res.Times, clock.now-start)
			} else {
				res.Failed++
			}
			if s.Rate == 0 {
				ask()
			}
		}
		s.query(clock, searchers, &s.Trace.Queries[r.IntN(len(s.Trace.Queries))], r, done)
		if s.Rate > 0 {
			clock.after(seconds(r.ExpFloat64()/s.Rate), ask)
		}
	}
	clock.at(0, ask)
	clock.run()
	for _, x := range searchers {
		res.add(x.sent)
	}
	return res
}

// Open returns how long it takes until the searcher with the most segments has opened them.
func (s Search) Open() time.Duration {
	clock := &clock{}
	x := searcher{client: newClient(clock, rand.New(rand.NewPCG(s.Seed, 1)), s.Store, s.Link, !s.NoHedge)}
	x.warm()
	left := (s.Segments + s.Searchers - 1) / s.Searchers
	var next func(bool)
	next = func(bool) {
		if left--; left >= 0 {
			x.rounds(times(s.Trace.Opening, 1), next)
		}
	}
	for range opening {
		next(true)
	}
	clock.run()
	return clock.now
}

// warm gives the client the times of answers of requests before, as any but a new process has them.
func (s *searcher) warm() {
	for range hedgeLast {
		s.late.add(s.store.draw(s.r))
	}
}

func (s *Sent) add(o Sent) {
	s.Requests += o.Requests
	s.Hedged += o.Hedged
	s.Repeated += o.Repeated
	s.Bytes += o.Bytes
	s.Answered += o.Answered
	s.Failed += o.Failed
	s.Dismissed += o.Dismissed
}

// query asks all searchers, and then reads the ids.
func (s Search) query(clock *clock, searchers []searcher, q *Query, r *rand.Rand, done func(ok bool)) {
	left, all := len(searchers), true
	reads, ids := q.Searching(), q.Hits()
	if s.Fresh {
		reads, ids = q.Reads, q.IDs
	}
	for i := range searchers {
		x := &searchers[i]
		segments := s.Segments*(i+1)/s.Searchers - s.Segments*i/s.Searchers
		x.rounds(times(reads, segments), func(ok bool) {
			clock.at(x.compute(time.Duration(segments)*q.CPU), func() {
				all = all && ok
				if left--; left > 0 {
					return
				}
				if !all {
					done(false)
					return
				}
				searchers[r.IntN(len(searchers))].rounds(times(ids, 1), done)
			})
		})
	}
}

// compute returns when a search is done that begins on the first core that is free.
func (s *searcher) compute(d time.Duration) time.Duration {
	core := 0
	for i := range s.free {
		if s.free[i] < s.free[core] {
			core = i
		}
	}
	s.free[core] = max(s.free[core], s.clock.now) + d
	return s.free[core]
}

// times returns the sizes of reads in their rounds, of that many segments.
func times(reads []Read, segments int) (rounds [][]int64) {
	for _, r := range reads {
		for len(rounds) < r.Round {
			rounds = append(rounds, nil)
		}
		for range segments {
			rounds[r.Round-1] = append(rounds[r.Round-1], r.N)
		}
	}
	return rounds
}

// Most returns how many queries a second the searchers can answer at most: what their links, their cores or their requests under way bear.
func (s Search) Most() float64 {
	m := s.Trace.Means()
	each := float64(s.Segments) / float64(s.Searchers)
	sigma := s.Store.sigma()
	wait := s.Store.Median.Seconds()*math.Exp(sigma*sigma/2) + m.Bytes/m.Requests/s.Store.Rate
	most := min(float64(s.Cores)/(each*m.CPU), inFlight/(each*m.Requests*wait))
	if s.Link > 0 {
		most = min(most, s.Link*float64(s.Searchers)/(float64(s.Segments)*m.Bytes+m.IDBytes))
	}
	return most
}

// Prices in dollars.
type Prices struct {
	Get     float64 // of 1000 requests that read
	Put     float64 // of 1000 requests that write
	Storage float64 // of a gigabyte (10^9 bytes) for a month
	Hour    float64 // of a machine
}

// PerMillion returns what a million queries of the load cost: the requests, and the machines if they are used for a share of what they can
// answer at most.
func (s Search) PerMillion(p Prices, sent Sent, share float64) (requests, machines float64) {
	requests = 1e6 * float64(sent.Requests) / float64(s.Queries) / 1000 * p.Get
	machines = float64(s.Searchers) * p.Hour / 3600 * 1e6 / (s.Most() * share)
	return requests, machines
}
