package node

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion/internal/budget"
)

// taken returns what has come.
func taken(t *testing.T, c *call) []*nats.Msg {
	t.Helper()
	all, err := c.take()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Answers are not left out, however many come before somebody looks.
func TestCall(t *testing.T) {
	c := &call{hold: func(int) error { return nil }, some: make(chan struct{}, 1)}
	for range 1000 {
		c.put(new(nats.Msg))
	}
	<-c.some
	if n := len(taken(t, c)); n != 1000 {
		t.Errorf("%d of 1000", n)
	}
	if len(c.some) > 0 || len(taken(t, c)) > 0 {
		t.Error("something is left")
	}
}

// What comes is held, and what comes when nobody waits any more is not.
func TestCallHolds(t *testing.T) {
	pool := budget.NewPool(100)
	own := pool.Budget(100)
	c := &call{hold: own.Hold, some: make(chan struct{}, 1)}
	c.put(&nats.Msg{Data: make([]byte, 60)})
	if pool.Held() != 60 || len(taken(t, c)) != 1 {
		t.Errorf("%d bytes are held", pool.Held())
	}
	c.put(&nats.Msg{Data: make([]byte, 60)})
	if all, err := c.take(); !errors.Is(err, budget.ErrAnswer) || len(all) > 0 {
		t.Errorf("%d answers, %v", len(all), err)
	}
	own.Release()
	c.end()
	c.put(&nats.Msg{Data: make([]byte, 60)})
	if pool.Held() != 0 {
		t.Errorf("%d bytes are held in the end", pool.Held())
	}
}

// The time after which a request is sent again follows that of answers, whatever the first one took, within its bounds.
func TestHedge(t *testing.T) {
	var q quantile
	if q.hedge() != firstHedge {
		t.Errorf("%v at first", q.hedge())
	}
	q.add(10 * time.Second)
	if d := q.hedge(); d > 2*firstHedge {
		t.Errorf("%v after one slow answer", d)
	}
	for range 2000 {
		q.add(30 * time.Millisecond)
	}
	if d := q.hedge(); d < 54*time.Millisecond || d > 66*time.Millisecond {
		t.Errorf("%v when all answers take 30 ms", d)
	}
	for range 10_000 {
		q.add(100 * time.Microsecond)
	}
	if q.hedge() != leastHedge {
		t.Errorf("%v when all answers take 0.1 ms", q.hedge())
	}
	for range 1000 {
		q.add(time.Minute)
	}
	if q.hedge() != mostHedge {
		t.Errorf("%v when all answers take a minute", q.hedge())
	}
}
