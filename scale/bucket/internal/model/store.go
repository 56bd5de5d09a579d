package model

import (
	"math"
	"math/rand/v2"
	"time"
)

// Store says how object storage answers: the time until an answer begins is lognormal and independent of all else, and its bytes
// come at a constant rate. It is the model of package lag, which delays real requests.
type Store struct {
	Median, P999 time.Duration // until an answer begins; of one in a thousand, at least Median
	Rate         float64       // bytes a second of one request
	Errors       float64       // share of answers that are 503s
}

// S3 are the figures that docs/model.md assumes of object storage.
var S3 = Store{Median: 63 * time.Millisecond, P999: 118 * time.Millisecond, Rate: 80e6, Errors: 0.005}

// normal999 is the 99.9 % quantile of the standard normal distribution.
const normal999 = 3.0902

func (s Store) sigma() float64 { return math.Log(float64(s.P999)/float64(s.Median)) / normal999 }

func (s Store) draw(r *rand.Rand) time.Duration {
	return time.Duration(float64(s.Median) * math.Exp(s.sigma()*r.NormFloat64()))
}

// Later returns the probability that an answer begins later than after d.
func (s Store) Later(d time.Duration) float64 {
	if d <= 0 {
		return 1
	}
	return math.Erfc(math.Log(float64(d)/float64(s.Median))/(s.sigma()*math.Sqrt2)) / 2
}

// What the client of package bucket and the reader do; see scale/bucket/request.go, reader/flight.go and reader/view.go.
const (
	inFlight  = 64 // requests of an index that are under way
	opening   = 16 // segments that are opened at a time
	maxTrip   = 8 << 20
	tries     = 7
	pause     = 25 * time.Millisecond
	hedgeFrom = 16 // answers before the first hedge
	hedgeLast = 256
	hedgeAt   = 0.95
	hedgeLeft = 8 // one request in so many is hedged at most
)

// Sent counts requests. Each was answered, failed with an error, or was dismissed because the other one of a pair was
// answered first.
type Sent struct {
	Requests, Hedged, Repeated int64 // Requests include the others
	Bytes                      int64 // asked for
	Answered, Failed           int64
	Dismissed                  int64
}

// client is one searcher's connection to a store.
type client struct {
	clock *clock
	r     *rand.Rand
	store Store
	link  float64 // bytes a second of all requests together; 0: no bound
	hedge bool

	sent     Sent
	late     window
	underWay int           // requests
	waiting  []func()      // requests that wait for others to end
	free     time.Duration // when the link has brought what was asked for
}

func newClient(c *clock, r *rand.Rand, s Store, link float64, hedge bool) *client {
	return &client{clock: c, r: r, store: s, link: link, hedge: hedge, late: window{q: hedgeAt, size: hedgeLast}}
}

// get asks for n bytes and calls done when they are there, or with false after the last try.
func (c *client) get(n int64, done func(ok bool)) {
	if c.underWay == inFlight {
		c.waiting = append(c.waiting, func() { c.get(n, done) })
		return
	}
	c.underWay++
	c.try(n, 1, func(ok bool) {
		c.underWay--
		if len(c.waiting) > 0 {
			next := c.waiting[0]
			c.waiting = c.waiting[1:]
			next()
		}
		done(ok)
	})
}

// try sends a request the i-th time, and a second one if it is not answered soon.
func (c *client) try(n int64, i int, done func(ok bool)) {
	answered, left := false, 0
	send := func() {
		left++
		c.sent.Requests++
		c.sent.Bytes += n
		d, fails := c.store.draw(c.r), c.r.Float64() < c.store.Errors
		c.clock.after(d, func() {
			left--
			switch {
			case answered:
				c.sent.Dismissed++
			case !fails:
				answered = true
				c.sent.Answered++
				c.late.add(d)
				c.clock.at(c.arrival(n), func() { done(true) })
			default:
				c.sent.Failed++
				if left > 0 {
					return
				}
				answered = true // no hedge any more
				if i == tries {
					done(false)
					return
				}
				wait := pause << (i - 1)
				c.clock.after(wait+time.Duration(c.r.Int64N(int64(wait))), func() {
					c.sent.Repeated++
					c.try(n, i+1, done)
				})
			}
		})
	}
	send()
	if c.hedge && len(c.late.times) >= hedgeFrom {
		c.clock.after(c.late.quantile(), func() {
			if !answered && c.sent.Hedged < c.sent.Requests/hedgeLeft {
				c.sent.Hedged++
				send()
			}
		})
	}
}

// arrival returns when the last of n bytes arrives of an answer that begins now: at the rate of a request, and after what the
// link brings before them.
func (c *client) arrival(n int64) time.Duration {
	own := c.clock.now + seconds(float64(n)/c.store.Rate)
	if c.link == 0 {
		return own
	}
	c.free = max(c.free, c.clock.now) + seconds(float64(n)/c.link)
	return max(own, c.free)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// rounds asks for what rounds of requests bring, one round after the other, and calls done.
func (c *client) rounds(rounds [][]int64, done func(ok bool)) {
	for len(rounds) > 0 && len(rounds[0]) == 0 {
		rounds = rounds[1:]
	}
	if len(rounds) == 0 {
		done(true)
		return
	}
	left, all := len(rounds[0]), true
	for _, n := range rounds[0] {
		c.get(n, func(ok bool) {
			all = all && ok
			if left--; left > 0 {
				return
			}
			if !all {
				done(false)
				return
			}
			c.rounds(rounds[1:], done)
		})
	}
}
