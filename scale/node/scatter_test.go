package node

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Answers are not left out, however many come before somebody looks.
func TestCall(t *testing.T) {
	c := &call{some: make(chan struct{}, 1)}
	for range 1000 {
		c.put(new(nats.Msg))
	}
	<-c.some
	if n := len(c.take()); n != 1000 {
		t.Errorf("%d of 1000", n)
	}
	if len(c.some) > 0 || len(c.take()) > 0 {
		t.Error("something is left")
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
