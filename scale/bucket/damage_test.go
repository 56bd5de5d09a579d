package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
)

// flipped is a body of which one byte came wrong.
type flipped struct {
	io.Reader
	at int64 // from here
}

func (f *flipped) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if 0 <= f.at && f.at < int64(n) {
		p[f.at] ^= 1 << (f.at % 8)
	}
	f.at -= int64(n)
	return n, err
}

// A byte that comes wrong once, in whichever request, changes nothing: what is damaged is read once more, past the local caches, and that
// is counted. One that comes wrong each time is damage.
func TestFlippedByte(t *testing.T) {
	w := newWorld(t, 2, 2000, lag.Model{})
	queries := queryLog(3)
	want := local(t, w.dir, queries)
	cache := ""
	ask := func() (reader.Usage, error) {
		m := reader.NewMeter(reader.Budget{})
		ctx := reader.WithMeter(t.Context(), m)
		x, err := Open(ctx, w.slow, ReadOptions{NoHedge: true, CacheDir: cache})
		if err != nil {
			return m.Usage(), err
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			return m.Usage(), err
		}
		defer s.Close()
		got, err := hits(ctx, s, queries)
		if err == nil && got != want {
			t.Error("the hits differ")
		}
		return m.Usage(), err
	}
	var bodies, turn atomic.Int64
	r := rand.New(rand.NewPCG(5, 5))
	place := r.Float64()
	flip := func(_ context.Context, _ string, _, n int64, body io.Reader) io.Reader {
		if bodies.Add(1) != turn.Load() {
			return body
		}
		return &flipped{body, int64(place * float64(n))}
	}
	mended := 0
	for turn.Store(1); ; turn.Add(1) {
		w.meter.Body = flip
		for range 3 {
			place, cache = r.Float64(), t.TempDir()
			bodies.Store(0)
			u, err := ask()
			if err != nil || u.Damaged > 2 { // pages and what they are compared with
				t.Fatalf("request %d, at %.3f: %v, counted %+v", turn.Load(), place, err, u)
			}
			mended += u.Damaged
			w.meter.Body = nil
			if u, err := ask(); err != nil || u.Damaged > 0 {
				t.Fatalf("request %d, at %.3f: what the cache has: %v, counted %+v", turn.Load(), place, err, u)
			}
			w.meter.Body = flip
		}
		if bodies.Load() < turn.Load() {
			break
		}
	}
	if turn.Load() < 6 || mended == 0 {
		t.Errorf("%d requests, %d of them sent again", turn.Load(), mended)
	}
	for _, folder := range []string{manifestFolder, segmentFolder, deletesFolder} {
		cache = ""
		var sent atomic.Int64
		w.meter.Body = func(_ context.Context, key string, off, n int64, body io.Reader) io.Reader {
			if !strings.HasPrefix(key, folder) {
				return body
			}
			sent.Add(1)
			return &flipped{body, max(0, 200-off)}
		}
		u, err := ask()
		if !errors.Is(err, format.ErrCorrupt) || sent.Load() < 2 || folder != deletesFolder && u.Damaged == 0 { // those are read for no query
			t.Errorf("%s: %v, counted %+v, %d requests", folder, err, u, sent.Load())
		}
	}
}

// A body that stalls is asked for again from where it stopped.
func TestStalledBody(t *testing.T) {
	w := newWorld(t, 1, 2000, lag.Model{})
	queries := queryLog(3)
	want := local(t, w.dir, queries)
	var bodies, turn atomic.Int64
	w.meter.Body = func(ctx context.Context, _ string, _, n int64, body io.Reader) io.Reader {
		if bodies.Add(1) != turn.Load() {
			return body
		}
		return io.MultiReader(io.LimitReader(body, n/2), endless{ctx})
	}
	for turn.Store(1); ; turn.Add(1) {
		bodies.Store(0)
		m := reader.NewMeter(reader.Budget{})
		ctx := reader.WithMeter(t.Context(), m)
		x, err := Open(ctx, w.slow, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		got, err := hits(ctx, s, queries)
		if err != nil || got != want {
			t.Errorf("the hits differ, %v", err)
		}
		if u := m.Usage(); bodies.Load() >= turn.Load() && u.Hedged == 0 || u.Repeated > 0 {
			t.Errorf("request %d: counted %+v", turn.Load(), u)
		}
		if err := errors.Join(s.Close(), x.Close()); err != nil {
			t.Error(err)
		}
		if bodies.Load() < turn.Load() || turn.Load() == 4 {
			break
		}
	}
}

// endless brings nothing until its context ends.
type endless struct{ ctx context.Context }

func (e endless) Read([]byte) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}

// spoiled is a body of which a byte in each page comes wrong.
type spoiled struct {
	io.Reader
	at int64
}

func (s *spoiled) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	for i := range p[:n] {
		if (s.at+int64(i))%512 == 77 {
			p[i] ^= 1
		}
	}
	s.at += int64(n)
	return n, err
}

// What was read before, found sound and dropped is compared with its checksum again when it comes anew.
func TestFlippedLater(t *testing.T) {
	w := newWorld(t, 1, 15000, lag.Model{})
	queries := queryLog(5)
	want := local(t, w.dir, queries)
	x := w.open(t, ReadOptions{NoCache: true, NoHedge: true})
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := hits(t.Context(), s, queries); err != nil || got != want {
		t.Fatalf("the hits differ, %v", err)
	}
	var bodies, turn atomic.Int64
	w.meter.Body = func(_ context.Context, key string, off, n int64, body io.Reader) io.Reader {
		if bodies.Add(1) != turn.Load() {
			return body
		}
		return &spoiled{body, off}
	}
	damaged := 0
	for turn.Store(1); ; turn.Add(1) {
		bodies.Store(0)
		m := reader.NewMeter(reader.Budget{})
		ctx := reader.WithMeter(t.Context(), m)
		if got, err := hits(ctx, s, queries); err != nil || got != want {
			t.Fatalf("request %d: the hits differ, %v", turn.Load(), err)
		}
		damaged += m.Usage().Damaged
		if bodies.Load() < turn.Load() {
			break
		}
	}
	if damaged < int(turn.Load())/2 {
		t.Errorf("%d requests, %d sent again", turn.Load(), damaged)
	}
}

// Export and writers read once more what comes damaged, whichever object it is of.
func TestFlippedDownload(t *testing.T) {
	ctx := t.Context()
	k, b := newFake(t)
	w := newWriter(t, b, numbers())
	for i := range 3 {
		if err := errors.Join(w.Add(ctx, numberDoc(fmt.Sprint(i), i)), w.Add(ctx, numberDoc(fmt.Sprint("gone", i), i)), w.Commit(ctx),
			w.Delete(ctx, fmt.Append(nil, "gone", i)), w.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := contents(t, b)
	if len(want) != 3 {
		t.Fatal(want, err)
	}
	var reads, turn atomic.Int64
	k.content = func(key string, b []byte) []byte {
		if reads.Add(1) != turn.Load() || len(b) == 0 {
			return b
		}
		b = bytes.Clone(b)
		b[len(b)/3] ^= 1
		return b
	}
	for turn.Store(1); ; turn.Add(1) {
		reads.Store(0)
		dir := filepath.Join(t.TempDir(), "index")
		if err := Export(ctx, b, 0, dir); err != nil {
			t.Fatalf("read %d: %v", turn.Load(), err)
		}
		x, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
		if err != nil {
			t.Fatalf("read %d: %v", turn.Load(), err)
		}
		s, err := x.Snapshot()
		if err == nil {
			err = errors.Join(s.Verify(ctx), s.Close(), x.Close())
		}
		if err != nil {
			t.Errorf("read %d: %v", turn.Load(), err)
		}
		if reads.Load() < turn.Load() {
			break
		}
	}
	if turn.Load() < 5 {
		t.Errorf("%d reads", turn.Load())
	}
}
