package check_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// flaky is Data of which a read brings a wrong bit, and which caches what came last.
type flaky struct {
	b        []byte
	flip     func(read int) bool
	mu       sync.Mutex
	reads    int
	forgets  int
	cache    []byte
	from, to int64
}

func (d *flaky) Size() int64 { return int64(len(d.b)) }

func (d *flaky) Range(off, n int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.from > off || off+n > d.to {
		d.from, d.to = off, off+n
		d.cache = format.AlignedBytes(int(n))
		copy(d.cache, d.b[off:off+n])
		if d.flip(d.reads) && n > 0 {
			d.cache[int(n)/2] ^= 1
		}
		d.reads++
	}
	p := format.AlignedBytes(int(n))
	copy(p, d.cache[off-d.from:][:n])
	return p, nil
}

func (d *flaky) Forget(off, n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgets++
	if off < d.to && d.from < off+n {
		d.from, d.to = 0, 0
	}
}

// A bit that comes wrong in one read, whichever it is, is read again and is no damage. One that always comes wrong is.
func TestReadAgain(t *testing.T) {
	m := segtest.Small()
	b := m.Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true})
	verify := func(flip func(int) bool) (*flaky, error) {
		d := &flaky{b: b, flip: flip}
		s, err := segment.Open("test.pin", d)
		if err == nil {
			err = check.Segment(context.Background(), s, check.Options{})
		}
		return d, err
	}
	again := 0
	for n, step := 0, 1; ; n += step {
		d, err := verify(func(read int) bool { return read == n })
		if err != nil {
			t.Fatalf("read %d: %v", n, err)
		}
		if n > d.reads {
			break
		}
		again += d.forgets
		if n == 60 {
			step = 101 // reads of ids are alike
		}
	}
	if again < 40 {
		t.Errorf("%d reads were repeated", again)
	}
	for n := range 20 { // all bytes are read after these
		if d, err := verify(func(read int) bool { return read >= n }); !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrNotAnIndex) || d.forgets == 0 {
			t.Errorf("from read %d on: %v", n, err)
		}
	}
}
