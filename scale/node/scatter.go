package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion/httpapi"
)

// The least, the first and the greatest time after which a shard that has not answered is asked again. It is twice the time in which
// 95 of 100 answers came lately, and doubles with each attempt that nobody answers.
const (
	leastHedge = 5 * time.Millisecond
	firstHedge = 20 * time.Millisecond
	mostHedge  = time.Second
)

// mostAttempts is after how many attempts at a request their numbers begin again.
const mostAttempts = 1 << 16

// pause is how long a shard that nobody answers for, or whose node cannot, is left alone before the next attempt.
const pause = 2 * time.Millisecond

// link sends requests to nodes and has their answers come back.
type link struct {
	nc     *nats.Conn
	inbox  string // answers come to it and a number
	sub    *nats.Subscription
	number atomic.Uint64
	late   quantile
	last   [MaxShards]atomic.Pointer[string] // the node of each shard that answered last

	mu    sync.Mutex
	calls map[uint64]*call
}

// call is what has come for one ask. Nothing of it is left out, however late ask is to look: an answer that was would come
// again after a hedge at the earliest.
type call struct {
	hold func(n int) error // as httpapi.Hold of the request, what has come

	mu    sync.Mutex
	got   []*nats.Msg
	some  chan struct{} // has an element if got has some
	err   error         // of hold
	ended bool
}

func (c *call) put(m *nats.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended { // nobody would give it back
		return
	}
	if err := c.hold(len(m.Data)); err == nil {
		c.got = append(c.got, m)
	} else {
		c.err = cmp.Or(c.err, err)
	}
	select {
	case c.some <- struct{}{}:
	default:
	}
}

func (c *call) take() ([]*nats.Msg, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.got
	c.got = nil
	return all, c.err
}

func (c *call) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got, c.ended = nil, true
}

func newLink(nc *nats.Conn) (*link, error) {
	l := &link{nc: nc, inbox: nc.NewRespInbox() + ".", calls: map[uint64]*call{}}
	var err error
	l.sub, err = nc.Subscribe(l.inbox+"*", func(m *nats.Msg) {
		n, err := strconv.ParseUint(strings.TrimPrefix(m.Subject, l.inbox), 10, 64)
		if err != nil {
			return
		}
		l.mu.Lock()
		c := l.calls[n/(MaxShards*mostAttempts)]
		l.mu.Unlock()
		if c != nil { // or nobody waits for it any more
			c.put(m)
		}
	})
	return l, err
}

// request is what one shard is asked.
type request struct {
	subject string
	data    []byte
}

// asked is the state of a request.
type asked struct {
	next     time.Time // when it is sent again
	hedge    time.Duration
	attempts uint64
	waiting  []attempt // that nobody has answered yet
	vain     int       // attempts that found nobody who can answer, while no other was under way
	refusal  error     // why a node could not answer
	done     bool
}

// attempt is a request that was sent.
type attempt struct {
	number uint64 // its answer comes to the inbox and this
	sent   time.Time
}

// underWay reports whether a node may be about to answer. What nobody answers for absence is taken as lost.
func (s *asked) underWay(now time.Time, absence time.Duration) bool {
	return slices.ContainsFunc(s.waiting, func(a attempt) bool { return now.Sub(a.sent) <= absence })
}

// missing reports whether nobody serves the shard: as many attempts were in vain as fit in absence. They are counted since
// time also passes while the router does not run; a node that answers beside others that cannot is found in a few of them.
func (s *asked) missing(now time.Time, absence time.Duration) bool {
	return s.vain > int(absence/pause) && !s.underWay(now, absence)
}

// ask sends requests, each to one node of its shard, and again to another where none answers in time. It calls got with the
// body of each shard's answer. The error of a shard says that a request is wrong, or that nobody has answered before ctx
// was done; missing shards, which nobody serves for absence, are marked instead if partial is not nil. An answer is passed over
// for which got returns an error matching errWire: it makes no sense.
func (l *link) ask(ctx context.Context, absence time.Duration, requests []request, partial []bool, seen *Observation, got func(shard int, body []byte) error) error {
	number := l.number.Add(1)
	c := &call{hold: func(n int) error { return httpapi.Hold(ctx, n) }, some: make(chan struct{}, 1)}
	l.mu.Lock()
	l.calls[number] = c
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.calls, number)
		l.mu.Unlock()
		c.end()
	}()
	now := time.Now()
	states, left := make([]asked, len(requests)), 0
	var slowest time.Duration
	defer func() {
		seen.Nodes += slowest
		for i := range states {
			seen.Attempts += int(states[i].attempts)
		}
	}()
	for i := range requests {
		if requests[i].data == nil {
			states[i].done = true
			continue
		}
		if most := l.nc.MaxPayload(); int64(len(requests[i].data)) > most {
			return tooLong("a request", len(requests[i].data), most, "ask for fewer words or nearest documents")
		}
		left++
		states[i].hedge = l.late.hedge()
		l.send(number, i, &requests[i], &states[i], now, absence)
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for left > 0 {
		timer.Reset(until(states))
		select {
		case <-c.some:
			all, err := c.take()
			if err != nil {
				return err
			}
			for _, m := range all {
				n, _ := strconv.ParseUint(strings.TrimPrefix(m.Subject, l.inbox), 10, 64)
				i := int(n / mostAttempts % MaxShards)
				if i >= len(states) || states[i].done {
					continue
				}
				finished, took, err := l.take(m, i, n, &states[i], absence, got)
				if err != nil {
					return err
				}
				if finished {
					left--
					slowest = max(slowest, took)
				}
			}
		case <-timer.C:
			now := time.Now()
			for i := range states {
				s := &states[i]
				if s.done || now.Before(s.next) {
					continue
				}
				if s.missing(now, absence) {
					if partial == nil {
						return s.unavailable(i)
					}
					partial[i], s.done = true, true
					left--
					continue
				}
				l.send(number, i, &requests[i], s, now, absence)
			}
		case <-ctx.Done():
			for i := range states {
				if s := &states[i]; !s.done && s.vain > 0 && !s.underWay(time.Now(), absence) {
					return s.unavailable(i)
				}
			}
			return ctx.Err()
		}
	}
	return nil
}

// until returns how long it is until the first request is sent again.
func until(states []asked) time.Duration {
	d := time.Hour
	for i := range states {
		if !states[i].done {
			d = min(d, time.Until(states[i].next))
		}
	}
	return max(d, 0)
}

// send sends a request, at first or again. Every second attempt goes to the node that answered last for the shard, since any
// node may be one that says nothing, again and again.
func (l *link) send(call uint64, i int, r *request, s *asked, now time.Time, absence time.Duration) {
	s.attempts++
	number := (call*MaxShards+uint64(i))*mostAttempts + s.attempts%mostAttempts
	subject := r.subject
	if node := l.last[i].Load(); node != nil && s.attempts%2 == 0 {
		subject += "." + *node
	}
	err := l.nc.PublishRequest(subject, l.inbox+strconv.FormatUint(number, 10), r.data)
	if err != nil || !l.nc.IsConnected() { // cut off, for now: no answer is under way
		s.waiting = s.waiting[:0]
		s.failed(number, now, absence, errors.Join(err, errCutOff))
		return
	}
	s.next = now.Add(min(s.hedge<<min(len(s.waiting), 10), mostHedge))
	s.waiting = append(s.waiting, attempt{number, now})
}

// failed notes that an attempt found nobody who can answer. The next one follows soon, unless another is under way: then
// it follows when that one is late, or a node that fails fast would make the others do the work many times.
func (s *asked) failed(number uint64, now time.Time, absence time.Duration, err error) {
	if s.refusal == nil || !errors.Is(err, errNobody) { // what a node says tells more than that another is gone
		s.refusal = err
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(a attempt) bool { return a.number == number })
	if !s.underWay(now, absence) {
		s.vain++
		s.next = now.Add(pause)
	}
}

var (
	errCutOff = errors.New("the router is not connected")
	errNobody = errors.New("no node serves it")
)

// tooLong returns the error for what does not fit into a message.
func tooLong(what string, n int, most int64, hint string) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Code: httpapi.CodeInvalid, Message: fmt.Sprintf("%s of %d bytes, more than the %d of a NATS message: %s", what, n, most, hint)}
}

// unavailable returns the error for a shard that nobody answers for.
func (s *asked) unavailable(shard int) error {
	message := "shard " + strconv.Itoa(shard) + " is missing"
	if s.refusal != nil {
		message += ": " + s.refusal.Error()
	}
	return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: httpapi.CodeUnavailable, Message: message}
}

// take takes an answer of shard i to the attempt of a number. It reports whether it is one, and how long the node searched.
func (l *link) take(m *nats.Msg, i int, number uint64, s *asked, absence time.Duration, got func(shard int, body []byte) error) (finished bool, took time.Duration, err error) {
	now := time.Now()
	if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		s.failed(number, now, absence, errNobody)
		return false, 0, nil
	}
	var a answer
	if err := a.decode(m.Data); err != nil || a.shard != i || a.kind > absent {
		s.failed(number, now, absence, cmp.Or(err, errWire))
		return false, 0, nil
	}
	switch a.kind {
	case refused:
		return false, 0, &httpapi.Error{Status: a.status, Code: a.code, Message: a.message, Field: a.field}
	case absent:
		s.failed(number, now, absence, errors.New(a.message))
		return false, 0, nil
	}
	if err := got(i, a.body); errors.Is(err, errWire) {
		s.failed(number, now, absence, err)
		return false, 0, nil
	} else if err != nil {
		return false, 0, err
	}
	for _, a := range s.waiting {
		if a.number == number {
			l.late.add(now.Sub(a.sent)) // of this attempt: with those before, one silent node would make all wait longer
		}
	}
	if last := l.last[i].Load(); last == nil || *last != a.node {
		l.last[i].Store(&a.node)
	}
	s.done = true
	return true, time.Duration(a.took), nil
}

// quantile follows the time in which 95 of 100 answers come.
type quantile struct{ bits atomic.Uint64 }

// add moves the estimate up by a part of itself for a time above it, and down by a 19th of that for one below.
func (q *quantile) add(d time.Duration) {
	at := math.Float64frombits(q.bits.Load())
	if at == 0 {
		at = float64(firstHedge) / 2 // the first answer may be slow for reasons of its own
	}
	if step := at / 32; float64(d) > at {
		at += step
	} else {
		at -= step / 19
	}
	q.bits.Store(math.Float64bits(at)) // one of several at a time is as good as another
}

// hedge returns after which time a request is sent again.
func (q *quantile) hedge() time.Duration {
	d := time.Duration(2 * math.Float64frombits(q.bits.Load()))
	if d == 0 {
		d = firstHedge
	}
	return min(max(d, leastHedge), mostHedge)
}
