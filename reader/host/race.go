package host

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/pinion-index/pinion/reader"
)

// errLate is the error of a request that is given up.
var errLate = errors.New("no answer in time")

// chunk is how many bytes of a body are read at once.
const chunk = 64 << 10

// ask is a request.
type ask struct {
	get    Get
	off, n int64 // n < 0: all from off on
	counts int64 // bytes, for the meter
	why    reader.Reason
}

// rest returns the request for what is missing after got bytes.
func (a ask) rest(got int64) ask {
	a.off, a.counts, a.why = a.off+got, max(a.counts-got, 0), reader.HedgedRequest
	if a.n >= 0 {
		a.n -= got
	}
	return a
}

// runner is a request under way.
type runner struct {
	stop func()        // ends it, and counts that
	on   chan struct{} // has an element when the runner may read on
}

// part is what a runner brings.
type part struct {
	from *runner
	b    []byte // valid until the runner reads on
	size int64  // of the object
	err  error  // io.EOF: the body has ended
}

// race is a request with the one that hedges it.
type race struct {
	c       *Client
	ctx     context.Context
	ask     ask
	parts   chan part
	running []*runner
	got     int64
}

// fetch sends a request, and another one where it brings nothing. take gets the bytes in order, each once, with the
// size of the object, at least once.
func (c *Client) fetch(ctx context.Context, a ask, take func(b []byte, size int64) error) error {
	r := &race{c: c, ctx: ctx, ask: a, parts: make(chan part)}
	defer func() {
		for _, x := range r.running {
			x.stop()
		}
	}()
	patience, start := c.patience(), time.Now()
	if err := r.send(a); err != nil {
		return err
	}
	progress := start
	quiet, late := time.NewTimer(patience), time.NewTimer(c.timeout())
	defer quiet.Stop()
	defer late.Stop()
	for {
		select {
		case p := <-r.parts:
			if !slices.Contains(r.running, p.from) {
				continue // it was ended
			}
			if p.err != nil && !r.complete(p) {
				if len(r.running) == 1 {
					return p.err
				}
				r.drop(p.from) // the other one may succeed
				quiet.Reset(stalled)
				continue
			}
			if err := take(p.b, p.size); err != nil {
				return err
			}
			if r.complete(p) {
				return nil
			}
			r.got += int64(len(p.b))
			r.win(p.from)
			progress = time.Now()
			quiet.Reset(patience)
		case <-quiet.C:
			if c.NoHedge || len(r.running) > 1 {
				continue
			}
			if silent := time.Since(progress); !c.mayHedge(silent) {
				quiet.Reset(stalled - silent)
				continue
			}
			_ = r.send(a.rest(r.got)) // refused by the budget: the first one goes on
		case <-late.C:
			left := c.timeout() + time.Duration(r.got)*time.Second/slowest - time.Since(start)
			if left <= 0 {
				return errLate
			}
			late.Reset(left)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// complete reports whether with p all is there that was asked for.
func (r *race) complete(p part) bool {
	if r.ask.n < 0 {
		return p.err == io.EOF
	}
	return r.got+int64(len(p.b)) == r.ask.n
}

// send sends a request unless the budget does not allow it.
func (r *race) send(a ask) error {
	end, err := reader.MeterOf(r.ctx).Begin(a.counts, a.why)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.ctx)
	x := &runner{stop: sync.OnceFunc(func() { cancel(); end() }), on: make(chan struct{}, 1)}
	r.running = append(r.running, x)
	go r.run(ctx, x, a)
	return nil
}

// drop ends x.
func (r *race) drop(x *runner) {
	x.stop()
	r.running = slices.DeleteFunc(r.running, func(y *runner) bool { return x == y })
}

// win ends all but x, which reads on.
func (r *race) win(x *runner) {
	for len(r.running) > 1 {
		i := 0
		if r.running[0] == x {
			i = 1
		}
		r.drop(r.running[i])
	}
	x.on <- struct{}{}
}

// run sends the request of x and passes on what it brings.
func (r *race) run(ctx context.Context, x *runner, a ask) {
	start := time.Now()
	body, size, err := a.get(ctx, a.off, a.n)
	if err != nil {
		r.pass(ctx, part{from: x, size: size, err: err})
		return
	}
	r.c.note(time.Since(start))
	most := int64(chunk)
	if a.n >= 0 {
		most = min(most, a.n)
	}
	buf, left := make([]byte, most), a.n
	for err == nil {
		b := buf
		if a.n >= 0 {
			b = b[:min(left, most)]
		}
		var n int
		n, err = body.Read(b)
		if n == 0 && err == nil {
			continue
		}
		switch left -= int64(n); {
		case a.n >= 0 && left == 0:
			err = io.EOF
		case a.n >= 0 && err == io.EOF:
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			body.Close() // before the context ends, so that the connection can be used again
		}
		if !r.pass(ctx, part{x, b[:n], size, err}) && err == nil {
			err = ctx.Err()
			body.Close()
		}
	}
}

// pass passes p on and, unless that has an error, waits until its runner may read on. It reports whether it may.
func (r *race) pass(ctx context.Context, p part) bool {
	select {
	case r.parts <- p:
	case <-ctx.Done():
		return false
	}
	if p.err != nil {
		return false
	}
	select {
	case <-p.from.on:
		return true
	case <-ctx.Done():
		return false
	}
}
