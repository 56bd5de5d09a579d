package reader

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"sort"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// remote is a file that is read on demand. It implements store.Data and segment.OnDemand.
type remote struct {
	name  string
	r     io.ReaderAt
	size  int64
	cache *cache

	opening *opening // the task that it was opened for, or nil

	// Guarded by cache.mu.
	flying  map[span]*flight
	reading int // reads that have not returned
	closed  bool
}

func newRemote(name string, r io.ReaderAt, size int64, c *cache) *remote {
	return &remote{name: name, r: r, size: size, cache: c, flying: make(map[span]*flight)}
}

func (f *remote) Size() int64 { return f.size }

// Range returns part of a unit for a range within one unit, and a buffer of its own for any
// other. The bytes stay valid after the cache has dropped them.
func (f *remote) Range(off, n int64) ([]byte, error) {
	return f.read(f.opening.context(), off, n, nil)
}

// Fetch implements segment.OnDemand. What it reads goes to the cache, or else is not read.
func (f *remote) Fetch(ranges []segment.Range) {
	spans := slices.DeleteFunc(f.spans(ranges), func(s span) bool { return !f.cache.takes(s.end - s.off) })
	f.begin(f.opening.context(), spans, nil, false)
}

// WithContext implements segment.OnDemand.
func (f *remote) WithContext(ctx context.Context) segment.OnDemand { return &task{remote: f, ctx: ctx} }

// read returns n bytes at off: from a flight of kept, from the cache, or else read now.
func (f *remote) read(ctx context.Context, off, n int64, kept []*flight) ([]byte, error) {
	if off < 0 || n < 0 || off > f.size-n {
		e := format.Corrupt("%d bytes wanted, the file ends at %d", n, f.size)
		e.File, e.Offset = f.name, off
		return nil, e
	}
	if n == 0 {
		return nil, nil
	}
	x := holding(kept, off, n)
	if x == nil {
		if err := ctx.Err(); err != nil {
			return nil, f.failed(err, off)
		}
		s := f.readable(off, n)
		f.await(ctx, s)
		x = f.begin(ctx, []span{s}, kept, ctx.Done() == nil)[0]
	}
	b, err := x.wait(ctx)
	if err != nil && ctx.Err() == nil && x.batch.ctx != nil && x.asker().Done() != ctx.Done() {
		// It is an error of another task, which may be one of its context.
		x = f.begin(ctx, []span{x.span}, nil, false)[0]
		b, err = x.wait(ctx)
	}
	if err != nil {
		return nil, f.failed(err, off)
	}
	return b[off-x.off : off-x.off+n], nil
}

// failed returns the error for a read at off that failed with err.
func (f *remote) failed(err error, off int64) error {
	if _, ok := err.(*format.Error); ok {
		return err
	}
	return &format.Error{Kind: err, File: f.name, Offset: off, Block: format.NoBlock, Msg: "cannot be read"}
}

// spans returns what is read for ranges: their pages, or for one whose length is a guess, units, unless the cache
// does not take so much or a range that is cached begins in its first page.
func (f *remote) spans(ranges []segment.Range) []span {
	var spans []span
	for _, r := range ranges {
		s := pagesOf(r.Off, min(r.Len, f.size-r.Off), f.size)
		if !r.Guess || !f.cache.takes(max(readUnit, s.end-s.off)) {
			spans = append(spans, s)
			continue
		}
		if b := f.cached(s.off); b != nil {
			spans = append(spans, span{s.off, s.off + int64(len(b))})
			continue
		}
		for at := s.off / readUnit * readUnit; at < s.end; at += readUnit {
			spans = append(spans, span{at, min(at+readUnit, f.size)})
		}
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].off < spans[j].off })
	return slices.Compact(spans)
}

func (f *remote) cached(off int64) []byte {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	return f.cache.get(f, off, readUnit+1)
}

// Forget drops the cached ranges with some of n bytes at off, also those of a source that caches.
func (f *remote) Forget(off, n int64) {
	if c, ok := f.r.(interface{ Forget(off, n int64) }); ok {
		c.Forget(off, n)
	}
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	f.cache.drop(f, off, n)
	for at, x := range f.flying { // it may have them from the cache
		if at.off < off+n && off < at.end {
			delete(f.flying, at)
			x.stale = true
		}
	}
}

// Close does not wait for reads under way: the source's file is closed when they have
// returned.
func (f *remote) Close() error {
	c := f.cache
	c.mu.Lock()
	if f.closed {
		c.mu.Unlock()
		return nil
	}
	f.closed = true
	c.drop(f, 0, f.size)
	for _, x := range f.flying {
		x.batch.abandon()
	}
	idle := f.reading == 0
	c.mu.Unlock()
	if !idle {
		return nil
	}
	return f.closeSource()
}

func (f *remote) closeSource() error {
	if c, ok := f.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (f *remote) errClosed() error {
	return &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrClosed}
}

// task is a remote file as one task reads it: until ctx ends.
type task struct {
	*remote
	ctx context.Context

	mu   sync.Mutex
	kept []*flight // what was fetched; only appended to, or replaced
}

// Range implements segment.Data.
func (t *task) Range(off, n int64) ([]byte, error) {
	b, err := t.read(t.ctx, off, n, t.flights())
	if err != nil {
		t.drop(off, n) // the next call reads again
	}
	return b, err
}

// Fetch implements segment.OnDemand.
func (t *task) Fetch(ranges []segment.Range) {
	kept := t.flights()
	spans := slices.DeleteFunc(t.spans(ranges), func(s span) bool { return holding(kept, s.off, s.end-s.off) != nil })
	for _, s := range spans {
		for _, x := range kept {
			if s.off < x.end && x.off < s.end {
				x.wait(t.ctx) // what it brings need not be read again
			}
		}
	}
	began := t.begin(t.ctx, spans, kept, false)
	t.mu.Lock()
	t.kept = append(t.kept, began...)
	t.mu.Unlock()
}

// Forget implements the method of segment.Data that caches.
func (t *task) Forget(off, n int64) {
	t.remote.Forget(off, n)
	t.drop(off, n)
}

// drop drops what was fetched of n bytes at off.
func (t *task) drop(off, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var kept []*flight
	for _, x := range t.kept {
		if x.off >= off+n || off >= x.end {
			kept = append(kept, x)
		}
	}
	t.kept = kept
}

func (t *task) flights() []*flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}
