package reader

import (
	"context"
	"errors"
	"io"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/format"
)

// flight is a span of a remote file that is on its way, or has arrived.
type flight struct {
	span
	batch *batch
	done  chan struct{} // closed when b is filled or err is set
	b     []byte
	err   error // any reader of b may see it
	left  int   // reads that have not returned; guarded by cache.mu
	stale bool  // some of b turned out to be damaged: it is not cached; guarded by cache.mu
}

// wait returns the bytes of x. If they do not come and ctx has ended, that is the error: the reads of x end with
// ctx if nobody else waits for them, and either may be seen first.
func (x *flight) wait(ctx context.Context) ([]byte, error) {
	select {
	case <-x.done:
	default:
		select {
		case <-x.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if x.err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return x.b, x.err
}

// asker returns the context of the task that began x.
func (x *flight) asker() context.Context {
	c := x.batch.file.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	return x.batch.askers[0]
}

// arrived reports whether x has its bytes.
func (x *flight) arrived() bool {
	select {
	case <-x.done:
		return x.err == nil
	default:
		return false
	}
}

// holding returns a flight of kept that has or brings the n bytes at off, or nil.
func holding(kept []*flight, off, n int64) *flight {
	for _, x := range kept {
		if x.contains(off, n) {
			return x
		}
	}
	return nil
}

// batch is what was begun together. Its reads end when all contexts have ended for which
// somebody asked for some of its flights. Its fields are guarded by cache.mu.
type batch struct {
	file    *remote
	ctx     context.Context
	cancel  context.CancelFunc
	flights []*flight
	left    int               // reads that have not returned
	askers  []context.Context // of all who asked
	stops   []func() bool     // end the watch over askers
}

// join makes b go on until ctx ends, at least.
func (b *batch) join(ctx context.Context) {
	b.askers = append(b.askers, ctx)
	if ctx.Done() == nil {
		return
	}
	b.stops = append(b.stops, context.AfterFunc(ctx, func() {
		b.file.cache.mu.Lock()
		defer b.file.cache.mu.Unlock()
		if !b.wanted() {
			b.abandon()
		}
	}))
}

// wanted reports whether somebody still waits for b.
func (b *batch) wanted() bool {
	return slices.ContainsFunc(b.askers, func(ctx context.Context) bool { return ctx.Err() == nil })
}

// abandon ends the reads of b. Who asks for its flights from now on begins new ones.
func (b *batch) abandon() {
	b.cancel()
	for _, x := range b.flights {
		if b.file.flying[x.span] == x {
			delete(b.file.flying, x.span)
		}
	}
}

// trip is one read of the source.
type trip struct {
	span
	buf   []byte
	to    []*flight // to which its bytes are copied; nil if buf is part of a flight
	of    []*flight // that wait for it
	units [][]byte  // from firstUnit on, what the cache gets of those that nobody has asked for; others are nil
}

// begin returns a flight for each of spans: those under way, and new ones that read what is
// neither cached nor in kept, all at once. here makes the caller read if one read will do.
func (f *remote) begin(ctx context.Context, spans []span, kept []*flight, here bool) []*flight {
	c := f.cache
	all := make([]*flight, len(spans))
	b := &batch{file: f}
	var gaps []span
	c.mu.Lock()
	for i, s := range spans {
		if x := f.bringing(s); x != nil {
			x.batch.join(ctx)
			all[i] = x
			continue
		}
		x := &flight{span: s, batch: b, done: make(chan struct{})}
		all[i] = x
		if f.closed {
			x.err = f.errClosed()
			close(x.done)
		} else if x.b = c.get(f, s.off, s.end-s.off); x.b != nil {
			close(x.done)
		} else {
			x.b = format.AlignedBytes(int(s.end - s.off))
			b.flights = append(b.flights, x)
			gaps = f.fill(x, kept, gaps)
		}
	}
	trips := b.plan(gaps)
	if b.left = len(trips); b.left > 0 {
		f.reading += b.left
		b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
		b.join(ctx)
	}
	for _, x := range b.flights {
		if x.left > 0 {
			f.flying[x.span] = x
		} else {
			x.land()
		}
	}
	c.mu.Unlock()
	if here && len(trips) == 1 {
		f.travel(b, &trips[0])
		return all
	}
	for i := range trips {
		go f.travel(b, &trips[i])
	}
	return all
}

// bringing returns a flight under way with all of s that somebody waits for, or nil.
func (f *remote) bringing(s span) *flight {
	x := f.flying[s]
	if x != nil && !x.batch.wanted() {
		x.batch.abandon()
		x = nil
	}
	if x != nil {
		return x
	}
	for at, x := range f.flying {
		if at.contains(s.off, s.end-s.off) && x.batch.wanted() {
			return x
		}
	}
	return nil
}

// await waits for reads under way that bring parts of s, so that these are not read again, unless a
// flight brings all of it.
func (f *remote) await(ctx context.Context, s span) {
	var parts []*flight
	f.cache.mu.Lock()
	if f.flying[s] == nil {
		for at, x := range f.flying {
			if at.off < s.end && s.off < at.end && x.batch.wanted() {
				x.batch.join(ctx)
				parts = append(parts, x)
			}
		}
	}
	f.cache.mu.Unlock()
	for _, x := range parts {
		x.wait(ctx) // begin reads what it does not bring
	}
}

// fill copies to x what is cached or in kept, and appends the rest of x to gaps.
func (f *remote) fill(x *flight, kept []*flight, gaps []span) []span {
	for at := x.off; at < x.end; {
		b := f.piece(at, kept)
		if len(b) > 0 {
			at += int64(copy(x.b[at-x.off:], b))
			continue
		}
		next := min(at/format.PageSize*format.PageSize+format.PageSize, x.end)
		if n := len(gaps); n > 0 && gaps[n-1].end == at {
			gaps[n-1].end = next
		} else {
			gaps = append(gaps, span{at, next})
		}
		at = next
	}
	return gaps
}

// piece returns what there is at off without a read: of what begins with its page or with its unit in the cache, or
// of what kept has.
func (f *remote) piece(off int64, kept []*flight) []byte {
	for _, size := range []int64{format.PageSize, readUnit} {
		begin := off / size * size
		if b := f.cache.get(f, begin, off-begin+1); b != nil {
			return b[off-begin:]
		}
	}
	for _, x := range kept {
		if x.contains(off, 1) && x.arrived() {
			return x.b[off-x.off:]
		}
	}
	return nil
}

// Reads of an object store take some 60 ms and 12 ms more for each megabyte; how many are under way matters little, but each
// costs. So spans with at most nearGap bytes between them are one read, and of more than few reads the closest are joined, with at
// most gapsMost bytes between them together. A long span is made of several reads.
const (
	nearGap  = 16 << 10
	few      = 2
	gapsMost = 2 << 20
	maxTrip  = 8 << 20
)

// joined returns how many bytes may lie between two of gaps, which ascend, so that both are one read.
func joined(gaps []span) int64 {
	var between []int64
	end := int64(0)
	for i, g := range gaps {
		if i > 0 && g.off > end+nearGap {
			between = append(between, g.off-end)
		}
		end = max(end, g.end)
	}
	slices.Sort(between)
	most, left := int64(nearGap), int64(gapsMost)
	for i := 0; i+few <= len(between) && between[i] <= left; i++ {
		most = between[i]
		left -= most
	}
	return most
}

// plan returns the reads that fill gaps, which belong to the flights of b.
func (b *batch) plan(gaps []span) []trip {
	sort.Slice(gaps, func(i, j int) bool { return gaps[i].off < gaps[j].off })
	var trips []trip
	gap := joined(gaps)
	for _, g := range gaps {
		if n := len(trips); n > 0 {
			last := &trips[n-1]
			if g.off <= last.end+gap && g.end-last.off <= maxTrip {
				last.end = max(last.end, g.end)
				continue
			}
			g.off = max(g.off, last.end)
		}
		for ; g.off < g.end; g.off += maxTrip {
			trips = append(trips, trip{span: span{g.off, min(g.off+maxTrip, g.end)}})
		}
	}
	for i := range trips {
		t := &trips[i]
		for _, x := range b.flights {
			if x.off < t.end && t.off < x.end {
				t.of = append(t.of, x)
				x.left++
			}
		}
		if x := t.of[0]; len(t.of) == 1 && x.contains(t.off, t.end-t.off) {
			t.buf = x.b[t.off-x.off : t.end-x.off]
		} else {
			t.buf, t.to = make([]byte, t.end-t.off), t.of
		}
	}
	return trips
}

// travel does one read of b.
func (f *remote) travel(b *batch, t *trip) {
	err := errors.New("the source panicked")
	defer func() { f.arrive(b, t, err) }()
	if err = f.readAt(b.ctx, t.buf, t.off); err != nil {
		return
	}
	for _, x := range t.to {
		at := max(x.off, t.off)
		copy(x.b[at-x.off:], t.buf[at-t.off:])
	}
	if t.to == nil || !f.cache.takes(readUnit) {
		return
	}
	for at := t.firstUnit(); at+readUnit <= t.end; at += readUnit {
		if slices.ContainsFunc(t.of, func(x *flight) bool { return x.contains(at, readUnit) }) {
			t.units = append(t.units, nil)
			continue
		}
		unit := format.AlignedBytes(readUnit)
		copy(unit, t.buf[at-t.off:])
		t.units = append(t.units, unit)
	}
}

// firstUnit returns where the first of t.units begins.
func (t *trip) firstUnit() int64 { return (t.off + readUnit - 1) / readUnit * readUnit }

// readAt fills p from the source.
func (f *remote) readAt(ctx context.Context, p []byte, off int64) (err error) {
	select {
	case f.cache.slots <- struct{}{}:
		defer func() { <-f.cache.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var n int
	if r, ok := f.r.(ContextReaderAt); ok {
		n, err = r.ReadAtContext(ctx, p, off)
	} else {
		n, err = f.r.ReadAt(p, off)
	}
	switch {
	case n >= len(p):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		e := format.Corrupt("the file ends at %d, not at %d", off+int64(n), f.size)
		e.File, e.Offset, e.Err = f.name, off, err
		return e
	}
	return f.failed(err, off)
}

// arrive notes that a read of b has returned.
func (f *remote) arrive(b *batch, t *trip, err error) {
	f.cache.mu.Lock()
	for i, unit := range t.units {
		if unit != nil && !f.closed {
			f.cache.put(f, t.firstUnit()+int64(i)*readUnit, unit)
		}
	}
	for _, x := range t.of {
		if x.err == nil {
			x.err = err
		}
		if x.left--; x.left == 0 {
			x.land()
		}
	}
	if b.left--; b.left == 0 {
		for _, stop := range b.stops {
			stop()
		}
		b.cancel()
	}
	f.reading--
	last := f.closed && f.reading == 0
	f.cache.mu.Unlock()
	if last {
		_ = f.closeSource() // the error of a Close that did not wait is lost
	}
}

// land ends x, whose reads have returned.
func (x *flight) land() {
	f := x.batch.file
	if f.flying[x.span] == x {
		delete(f.flying, x.span)
	}
	if x.err == nil && !f.closed && !x.stale {
		f.cache.put(f, x.off, x.b)
	}
	close(x.done)
}
