package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Cluster is a load of queries on shards, of which each is on Replicas nodes; a query goes to one node of each shard. A request goes to
// any node of a shard that is not known to be gone, as in a queue group of NATS, and is sent again as package node's Router does.
type Cluster struct {
	Shards, Replicas int
	Cores            int             // of a node: that many searches at a time
	Service          []time.Duration // of one shard; each query draws one for all its shards
	Spread           float64         // standard deviation of the logarithm of a shard's own part
	Stalls           float64         // share of searches that a pause of the node holds up
	Stall            time.Duration   // the mean of such a pause
	Net              time.Duration   // of a request and its answer
	Deadline         time.Duration   // of a query; 0: none
	NoHedge          bool            // a request is sent once

	Rate    float64 // queries a second, of a Poisson process
	Queries int
	Seed    uint64

	// Kill is when the node 0 stops without a word, and Known when it is known to be gone. 0: never.
	Kill, Known time.Duration
	// Since is when queries begin that are in Served.Times.
	Since time.Duration
}

// What package node's link and Node do; see scale/node/scatter.go and node.go.
const (
	hedgeTimes = 2 // the time in which 95 of 100 answers come
	firstHedge = 20 * time.Millisecond
	leastHedge = 5 * time.Millisecond
	mostHedge  = time.Second
	absence    = 2 * time.Second
	nodePause  = 2 * time.Millisecond
	waiting    = 64 // requests for each that is answered; a node refuses more
)

// Served is what came of a Cluster's load.
type Served struct {
	Times  []time.Duration // of the queries that were answered, from Since on
	Failed int
	// Each of Requests, of which Again were sent again, brought the answer that counted, or a Late one after that, or was refused by a Busy
	// node, or Lost on one that stopped.
	Requests, Again            int64
	Answered, Late, Busy, Lost int64
}

type clusterRun struct {
	Cluster
	*clock
	r      *rand.Rand
	served []served
	last   []int   // by shard: the node that answered last, or -1
	p95    float64 // estimate of the time in which 95 of 100 answers come
	Served
}

// served is a node.
type served struct {
	free    []time.Duration // by core: when it has done what it was given
	waiting int             // requests
}

// Run simulates the load.
func (c Cluster) Run() Served {
	x := &clusterRun{Cluster: c, clock: &clock{}, r: rand.New(rand.NewPCG(c.Seed, 4)), served: make([]served, c.Shards*c.Replicas),
		last: slices.Repeat([]int{-1}, c.Shards)}
	for i := range x.served {
		x.served[i].free = make([]time.Duration, c.Cores)
	}
	asked := 0
	var ask func()
	ask = func() {
		if asked++; asked < c.Queries {
			x.after(seconds(x.r.ExpFloat64()/c.Rate), ask)
		}
		x.query()
	}
	x.at(0, ask)
	x.run()
	return x.Served
}

// question is a query under way.
type question struct {
	service time.Duration
	left    int // shards that have not answered
	over    bool
}

// query asks all shards.
func (x *clusterRun) query() {
	start, q := x.now, &question{x.Service[x.r.IntN(len(x.Service))], x.Shards, false}
	if x.Deadline > 0 {
		x.after(x.Deadline, func() { x.fail(q) })
	}
	for shard := range x.Shards {
		a := &asked{question: q, shard: shard, hedge: x.patience(), done: func() {
			if q.left--; q.left == 0 {
				q.over = true
				if start >= x.Since {
					x.Times = append(x.Times, x.now-start)
				}
			}
		}}
		x.send(a)
	}
}

func (x *clusterRun) fail(q *question) {
	if !q.over {
		q.over = true
		x.Failed++
	}
}

// asked is the state of one shard's request, as in package node.
type asked struct {
	*question
	shard    int
	hedge    time.Duration
	attempts int
	sent     []time.Duration // of attempts that nobody has answered yet
	vain     int             // attempts that found nobody who can answer, while no other was under way
	next     time.Duration
	answered bool
	done     func()
}

// underWay reports whether a node may be about to answer.
func (a *asked) underWay(now time.Duration) bool {
	return slices.ContainsFunc(a.sent, func(sent time.Duration) bool { return now-sent <= absence })
}

// resend sends the request at a time unless that changes or it is answered before.
func (x *clusterRun) resend(a *asked, next time.Duration) {
	a.next = next
	x.at(next, func() {
		switch {
		case a.over || a.answered || a.next != next:
		case a.vain > int(absence/nodePause) && !a.underWay(x.now):
			x.fail(a.question)
		default:
			x.Again++
			x.send(a)
		}
	})
}

// inVain notes that an attempt found nobody who can answer.
func (x *clusterRun) inVain(a *asked, sent time.Duration) {
	if i := slices.Index(a.sent, sent); i >= 0 {
		a.sent = slices.Delete(a.sent, i, i+1)
	}
	if !a.over && !a.answered && !a.underWay(x.now) {
		a.vain++
		x.resend(a, x.now+nodePause)
	}
}

// send sends a request to one of the nodes that are not known to be gone, every second time to the one that answered last.
func (x *clusterRun) send(a *asked) {
	sent := x.now
	a.attempts++
	if !x.NoHedge {
		x.resend(a, sent+min(a.hedge<<min(len(a.sent), 10), mostHedge))
	}
	a.sent = append(a.sent, sent)
	nodes := x.nodes(a.shard)
	if last := x.last[a.shard]; last >= 0 && a.attempts%2 == 0 && slices.Contains(nodes, last) {
		nodes = []int{last}
	}
	if len(nodes) == 0 {
		x.inVain(a, sent)
		return
	}
	x.Requests++
	node := nodes[x.r.IntN(len(nodes))]
	x.search(node, a.service, func(end ending) {
		switch {
		case end == lost:
			x.Lost++
		case end == busy:
			x.Busy++
			x.inVain(a, sent)
		case a.answered || a.over:
			x.Late++
		default:
			x.Answered++
			a.answered = true
			x.last[a.shard] = node
			x.note(x.now - sent)
			a.done()
		}
	})
}

// nodes returns the nodes of a shard that are not known to be gone.
func (x *clusterRun) nodes(shard int) (nodes []int) {
	for i := range x.Replicas {
		if node := shard + i*x.Shards; node != 0 || x.Kill == 0 || x.now < x.Kill+x.Known {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// ending is what becomes of a request at a node.
type ending int

const (
	answered ending = iota
	busy
	lost
)

// search has a node search, on the core that is free first, and calls done when the answer comes, or could no longer come.
func (x *clusterRun) search(number int, service time.Duration, done func(ending)) {
	node := &x.served[number]
	arrives := x.now + x.Net/2
	stopped := func(t time.Duration) bool { return number == 0 && x.Kill > 0 && t > x.Kill }
	x.at(arrives, func() {
		core := 0
		for i := range node.free {
			if node.free[i] < node.free[core] {
				core = i
			}
		}
		begins := max(node.free[core], x.now)
		if node.waiting >= waiting*x.Cores && !stopped(x.now) {
			x.after(x.Net/2, func() { done(busy) })
			return
		}
		d := float64(service) * math.Exp(x.Spread*x.r.NormFloat64())
		if x.r.Float64() < x.Stalls {
			d += x.r.ExpFloat64() * float64(x.Stall)
		}
		node.free[core] = begins + time.Duration(d)
		node.waiting++
		x.at(begins, func() { node.waiting-- })
		x.at(node.free[core]+x.Net/2, func() {
			if stopped(x.now - x.Net/2) {
				done(lost)
			} else {
				done(answered)
			}
		})
	})
}

// note follows the time in which 95 of 100 answers come.
func (x *clusterRun) note(d time.Duration) {
	if x.p95 == 0 {
		x.p95 = float64(firstHedge) / 2
	}
	if step := x.p95 / 32; float64(d) > x.p95 {
		x.p95 += step
	} else {
		x.p95 -= step / 19
	}
}

// patience returns how long a request is waited for before it is sent again.
func (x *clusterRun) patience() time.Duration {
	if x.p95 == 0 {
		return firstHedge
	}
	return min(max(time.Duration(hedgeTimes*x.p95), leastHedge), mostHedge)
}

// Load returns how many queries a second use the nodes for a share of their time, without what is sent again.
func (c Cluster) Load(share float64) float64 {
	mean := 0.0
	for _, s := range c.Service {
		mean += s.Seconds() / float64(len(c.Service))
	}
	mean = mean*math.Exp(c.Spread*c.Spread/2) + c.Stalls*c.Stall.Seconds()
	return share * float64(c.Replicas*c.Cores) / mean
}

// Failures is a fleet of nodes that fail independently of each other.
type Failures struct {
	Shards, Replicas int
	MTBF, Repair     time.Duration // the times until a node fails, and until it is back, are exponential with these means
	Time             time.Duration // that is simulated
	Seed             uint64
}

// Outages is what came of Failures.
type Outages struct {
	Failures int           // of nodes
	Outages  int           // times that a shard lost the last of its nodes while all others had one
	Down     time.Duration // in which some shard had none
	Lone     time.Duration // in which some shard had one node only
}

// Run simulates the fleet.
func (f Failures) Run() (o Outages) {
	c, r := &clock{}, rand.New(rand.NewPCG(f.Seed, 5))
	up := make([]int, f.Shards)
	count := map[int]int{f.Replicas: f.Shards} // shards by nodes that are up
	last := time.Duration(0)
	account := func() {
		now := min(c.now, f.Time)
		if count[0] > 0 {
			o.Down += now - last
		}
		if count[1] > 0 {
			o.Lone += now - last
		}
		last = now
	}
	move := func(shard, by int) {
		account()
		count[up[shard]]--
		up[shard] += by
		count[up[shard]]++
	}
	after := func(mean time.Duration, do func()) {
		if t := c.now + time.Duration(r.ExpFloat64()*float64(mean)); t < f.Time {
			c.at(t, do)
		}
	}
	var fail func(shard int)
	fail = func(shard int) {
		after(f.MTBF, func() {
			o.Failures++
			if move(shard, -1); up[shard] == 0 && count[0] == 1 {
				o.Outages++
			}
			after(f.Repair, func() {
				move(shard, 1)
				fail(shard)
			})
		})
	}
	for shard := range up {
		up[shard] = f.Replicas
		for range f.Replicas {
			fail(shard)
		}
	}
	c.run()
	c.now = f.Time
	account()
	return o
}

// Down returns the share of the time in which some shard has no node, by formula.
func (f Failures) Down() float64 {
	u := float64(f.Repair) / float64(f.MTBF+f.Repair)
	return -math.Expm1(float64(f.Shards) * math.Log1p(-math.Pow(u, float64(f.Replicas))))
}
