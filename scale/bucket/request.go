package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"gocloud.dev/gcerrors"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader/meter"
)

// ErrExpired is matched by the error of a read that misses an object: the commit that names it was removed, after its
// retention time, while it was open. Whoever reads it goes on with the newest commit (Index.Refresh, Index.View).
var ErrExpired = errors.New("the commit was removed from the bucket while it was read")

const (
	// tries is how often a request is sent that fails in a way that may pass, as a 503 does. In
	// between, a client waits for pause at least, twice as long each time.
	tries = 7
	pause = 25 * time.Millisecond
	// slowest is how many bytes a second an answer brings at least, beyond ReadOptions.Timeout, before it
	// is given up.
	slowest = 1 << 20
)

// Requests are hedged after the 95th percentile of the recent ones of the bucket, once there are enough, but
// not before soonest. At most one in eight is.
const (
	percentile = 95
	enough     = 16
	recent     = 256
	soonest    = 5 * time.Millisecond
	oneIn      = 8
)

// getter reads the objects or files that hold an index.
type getter interface {
	// get returns n bytes at off of an object and the size of all of it, or all with n < 0. The context ends
	// reads of the result too.
	get(ctx context.Context, key string, off, n int64) (body io.ReadCloser, size int64, err error)
	fmt.Stringer
}

// client sends requests to objects: again after an error, and twice if the answer takes long.
type client struct {
	objects getter
	timeout time.Duration
	hedge   bool

	mu           sync.Mutex
	took         []time.Duration // by the latest answers until they began; a ring
	at           int
	sent, hedged int
}

// read fills p with what is at off of an object that has size bytes.
func (c *client) read(ctx context.Context, key string, p []byte, off, size int64) error {
	_, err := c.retry(ctx, key, int64(len(p)), func(ctx context.Context, why meter.Reason) ([]byte, error) {
		body, got, cancel, err := c.open(ctx, key, off, int64(len(p)), why)
		if err != nil {
			return nil, err
		}
		defer cancel()
		defer body.Close()
		if got >= 0 && got != size {
			e := format.Corrupt("the object has %d bytes, the manifest says %d", got, size)
			e.File = key
			return nil, e
		}
		_, err = io.ReadFull(body, p)
		return p, err
	})
	return err
}

// readAll returns what an object holds, at most most bytes.
func (c *client) readAll(ctx context.Context, key string, most int64) ([]byte, error) {
	return c.retry(ctx, key, most, func(ctx context.Context, why meter.Reason) ([]byte, error) {
		body, size, cancel, err := c.open(ctx, key, 0, -1, why)
		if err != nil {
			return nil, err
		}
		defer cancel()
		defer body.Close()
		b, err := io.ReadAll(io.LimitReader(body, most+1))
		meter.Of(ctx).Grow(int64(len(b)))
		switch {
		case err != nil:
			return nil, err
		case int64(len(b)) > most:
			e := format.Corrupt("the object has more than %d bytes", most)
			e.File = key
			return nil, e
		case size >= 0 && int64(len(b)) != size:
			return nil, io.ErrUnexpectedEOF
		}
		return b, nil
	})
}

// retry calls try until it succeeds, ctx ends, or its error will not pass.
func (c *client) retry(ctx context.Context, key string, n int64, try func(ctx context.Context, why meter.Reason) ([]byte, error)) ([]byte, error) {
	limit := c.timeout + time.Duration(n)*time.Second/slowest
	for i, why := 1, meter.First; ; i, why = i+1, meter.Repeated {
		bound, cancel := context.WithTimeout(ctx, limit)
		b, err := try(bound, why)
		cancel()
		switch {
		case err == nil:
			return b, nil
		case ctx.Err() != nil:
			return nil, late(ctx, err)
		case i == tries || !passes(err):
			return nil, c.explain(key, err)
		}
		wait := pause << (i - 1)
		select {
		case <-time.After(wait + rand.N(wait)):
		case <-ctx.Done():
			return nil, late(ctx, err)
		}
	}
}

// late returns the error for a context that ended before a request succeeded, after one that failed with last.
func late(ctx context.Context, last error) error {
	if cause := context.Cause(ctx); errors.Is(last, cause) {
		return cause
	}
	return fmt.Errorf("%w (before: %v)", context.Cause(ctx), last)
}

// passes reports whether a request that failed may succeed later.
func passes(err error) bool {
	var budget *BudgetError
	var damage *format.Error
	if errors.As(err, &budget) || errors.As(err, &damage) || errors.Is(err, errors.ErrUnsupported) || notExist(err) || refused(err) {
		return false
	}
	switch gcerrors.Code(err) {
	case gcerrors.InvalidArgument, gcerrors.Unimplemented, gcerrors.FailedPrecondition:
		return false
	}
	return true
}

// refused reports whether an error says that the credentials do not suffice.
func refused(err error) bool {
	if gcerrors.Code(err) == gcerrors.PermissionDenied || errors.Is(err, fs.ErrPermission) {
		return true
	}
	var answer interface{ HTTPStatusCode() int } // of S3: not all its codes are known to gocloud
	return errors.As(err, &answer) && (answer.HTTPStatusCode() == http.StatusUnauthorized || answer.HTTPStatusCode() == http.StatusForbidden)
}

// explain returns the error for a request of an object that failed for good.
func (c *client) explain(key string, err error) error {
	switch {
	case notExist(err):
		return fmt.Errorf("%s of %s: %w: %w", key, c.objects, fs.ErrNotExist, err)
	case refused(err):
		return fmt.Errorf("%s of %s: %w: %w", key, c.objects, fs.ErrPermission, err)
	}
	return fmt.Errorf("%s of %s: %w", key, c.objects, err)
}

// opened is a request that has been answered, or has failed.
type opened struct {
	body   io.ReadCloser
	size   int64
	err    error
	cancel func() // ends the request
}

// open sends a request, and another one if it is not answered soon. It returns the answer that begins first. The caller
// closes body and then calls cancel.
func (c *client) open(ctx context.Context, key string, off, n int64, why meter.Reason) (body io.ReadCloser, size int64, cancel func(), err error) {
	answers := make(chan opened, 2)
	send := func(why meter.Reason) error {
		end, err := meter.Of(ctx).Begin(max(n, 0), why)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		stop := sync.OnceFunc(func() { cancel(); end() })
		go func() {
			start := time.Now()
			o := opened{cancel: stop}
			if o.body, o.size, o.err = c.objects.get(ctx, key, off, n); o.err == nil {
				c.note(time.Since(start))
			} else {
				stop()
			}
			answers <- o
		}()
		return nil
	}
	if err := send(why); err != nil {
		return nil, 0, nil, err
	}
	late := time.NewTimer(c.patience())
	defer late.Stop()
	for sent := 1; ; {
		select {
		case o := <-answers:
			sent--
			if o.err == nil || sent == 0 {
				go dismiss(answers, sent)
				return o.body, o.size, o.cancel, o.err
			}
		case <-late.C:
			if c.mayHedge() && send(meter.Hedged) == nil {
				sent++
			}
		case <-ctx.Done():
			go dismiss(answers, sent)
			return nil, 0, nil, context.Cause(ctx)
		}
	}
}

// dismiss ends n requests whose answers nobody waits for.
func dismiss(answers chan opened, n int) {
	for range n {
		if o := <-answers; o.err == nil {
			o.cancel()
			o.body.Close()
		}
	}
}

// note notes how long an answer took to begin.
func (c *client) note(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.took) < recent {
		c.took = append(c.took, d)
		return
	}
	c.took[c.at] = d
	c.at = (c.at + 1) % recent
}

// patience returns after how long a request is hedged.
func (c *client) patience() time.Duration {
	const never = time.Hour
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	if !c.hedge || len(c.took) < enough {
		return never
	}
	sorted := slices.Sorted(slices.Values(c.took))
	return max(soonest, sorted[len(sorted)*percentile/100])
}

// mayHedge reports whether another request may be hedged, and counts it.
func (c *client) mayHedge() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hedged >= c.sent/oneIn {
		return false
	}
	c.hedged++
	return true
}
