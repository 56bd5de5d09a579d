package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
)

// DefaultTimeout is the default of Client.Timeout.
const DefaultTimeout = 10 * time.Second

const (
	// tries is how often a request is sent that fails in a way that may pass, as a 503 does. In
	// between, a client waits for pause at least, twice as long each time.
	tries = 7
	pause = 25 * time.Millisecond
	// MostSilent is how often a request is sent that nobody answers.
	MostSilent = 3
	// slowest is how many bytes a second an answer brings at least, but for Client.Timeout.
	slowest = 1 << 20
)

// Requests are hedged after the 95th percentile of the recent ones, once there are enough, but not before soonest. At most
// one in eight is. What has brought nothing for as long as stalled is hedged in any case.
const (
	percentile = 95
	enough     = 16
	recent     = 256
	soonest    = 5 * time.Millisecond
	oneIn      = 8
	stalled    = time.Second
)

// ErrNoAnswer is matched by the error of a request that was not answered in time.
var ErrNoAnswer = errors.New("no answer")

// NoAnswer returns the error of a request of which nothing came within d, for the n-th time, because of err.
func NoAnswer(d time.Duration, n int, err error) error { return &noAnswer{d, n, err} }

// noAnswer matches ErrNoAnswer.
type noAnswer struct {
	within time.Duration
	times  int
	err    error
}

func (e *noAnswer) Error() string {
	return fmt.Sprintf("%v within %v, %d times", ErrNoAnswer, e.within, e.times)
}

func (e *noAnswer) Is(target error) bool { return target == ErrNoAnswer }

func (e *noAnswer) Unwrap() error { return e.err }

// Get asks for the n bytes at off of an object, or with n < 0 for all bytes from there on. It returns the size of the whole object too, or
// -1 if the answer does not tell. ctx ends reads of body too.
type Get func(ctx context.Context, off, n int64) (body io.ReadCloser, size int64, err error)

// Client sends requests, as many at the same time as it is asked for. A request that fails is sent again, unless Passes says that its error
// will not pass. A request that brings no byte for longer than 95 % of the latest ones took until they began to answer, or for a
// second, is sent once more, for what is missing: whichever brings the next byte goes on, and the other one ends. A
// request is given up when it lags behind 1 MiB a second by Timeout.
type Client struct {
	Timeout time.Duration    // 0: DefaultTimeout
	NoHedge bool             // one request at a time
	Passes  func(error) bool // whether an error of Get may pass

	mu           sync.Mutex
	took         []time.Duration // by the latest answers until they began; a ring
	at           int
	sent, hedged int
}

// Read fills p with what is at off of an object of size bytes. why is why it is asked for. Errors are those of get, which name no object, and
// of kind format.ErrCorrupt if the object has another size.
func (c *Client) Read(ctx context.Context, get Get, p []byte, off, size int64, why reader.Reason) error {
	if len(p) == 0 { // no range says that
		return nil
	}
	return c.retry(ctx, why, func(why reader.Reason) error {
		got := 0
		return c.fetch(ctx, ask{get, off, int64(len(p)), int64(len(p)), why}, func(b []byte, of int64) error {
			if of >= 0 && of != size {
				return format.Corrupt("the object has %d bytes, the manifest says %d", of, size)
			}
			got += copy(p[got:], b)
			return nil
		})
	})
}

// grownAtOnce is for how many bytes at most ReadAll has memory before they have come: a server may say that there are more than there are.
const grownAtOnce = 64 << 20

// ReadAll returns what an object holds, which is known bytes long if known is not 0, and most bytes at most. Errors are those of get,
// which name no object, and of kind format.ErrCorrupt if the object is longer.
func (c *Client) ReadAll(ctx context.Context, get Get, known, most int64, why reader.Reason) (all []byte, err error) {
	err = c.retry(ctx, why, func(why reader.Reason) error {
		all = make([]byte, 0, known)
		size := int64(-1)
		err := c.fetch(ctx, ask{get, 0, -1, known, why}, func(b []byte, of int64) error {
			if size < 0 && known == 0 && of > 0 {
				all = slices.Grow(all, int(min(of, most, grownAtOnce)))
			}
			if all, size = append(all, b...), of; int64(len(all)) > most {
				return format.Corrupt("the object has more than %d bytes", most)
			}
			return nil
		})
		reader.MeterOf(ctx).Grow(max(int64(len(all))-known, 0))
		if err == nil && size >= 0 && int64(len(all)) != size {
			err = fmt.Errorf("%d bytes came, of %d: %w", len(all), size, io.ErrUnexpectedEOF)
		}
		return err
	})
	return all, err
}

// Number returns a number for which f sends requests, such as that of the newest commit, which count as one.
func (c *Client) Number(ctx context.Context, f func(context.Context) (uint64, error)) (uint64, error) {
	var digits []byte
	get := func(ctx context.Context, _, _ int64) (io.ReadCloser, int64, error) {
		n, err := f(ctx)
		return io.NopCloser(strings.NewReader(strconv.FormatUint(n, 10))), -1, err
	}
	err := c.retry(ctx, reader.FirstRequest, func(why reader.Reason) error {
		digits = nil
		return c.fetch(ctx, ask{get, 0, -1, 0, why}, func(b []byte, _ int64) error {
			digits = append(digits, b...)
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(digits), 10, 64)
}

// retry calls try until it succeeds, ctx ends, or its error will not pass.
func (c *Client) retry(ctx context.Context, why reader.Reason, try func(why reader.Reason) error) error {
	silent := 0
	for i := 1; ; i++ {
		err := try(why)
		late := errors.Is(err, errLate)
		if late {
			silent++
			err = NoAnswer(c.timeout(), silent, context.DeadlineExceeded)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ended(ctx, err)
		case i == tries || silent == MostSilent || !late && !c.passes(err):
			return err
		}
		why = reader.RepeatedRequest
		wait := pause << (i - 1)
		select {
		case <-time.After(wait + rand.N(wait)):
		case <-ctx.Done():
			return ended(ctx, err)
		}
	}
}

// ended returns the error for a context that ended before a request succeeded, after one that failed with last.
func ended(ctx context.Context, last error) error {
	if cause := context.Cause(ctx); errors.Is(last, cause) {
		return cause
	}
	return fmt.Errorf("%w (before: %v)", context.Cause(ctx), last)
}

// passes reports whether a request that failed may succeed later.
func (c *Client) passes(err error) bool {
	var budget *reader.BudgetError
	var damage *format.Error
	return !errors.As(err, &budget) && !errors.As(err, &damage) && !errors.Is(err, errors.ErrUnsupported) && (c.Passes == nil || c.Passes(err))
}

func (c *Client) timeout() time.Duration {
	if c.Timeout <= 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

// note notes how long an answer took to begin.
func (c *Client) note(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.took) < recent {
		c.took = append(c.took, d)
		return
	}
	c.took[c.at] = d
	c.at = (c.at + 1) % recent
}

// patience returns after how long without a byte a request is hedged, if it may be. It counts the request.
func (c *Client) patience() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	if len(c.took) < enough {
		return stalled
	}
	sorted := slices.Sorted(slices.Values(c.took))
	return min(max(soonest, sorted[len(sorted)*percentile/100]), stalled)
}

// mayHedge reports whether a request that has brought nothing for some time may be hedged, and counts it.
func (c *Client) mayHedge(silent time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if silent < stalled && c.hedged >= c.sent/oneIn {
		return false
	}
	c.hedged++
	return true
}
