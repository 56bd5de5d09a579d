package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// words are those of the documents of tests, the first in most of them.
var words = func() (w []string) {
	for i := range 400 {
		w = append(w, fmt.Sprintf("w%d", i))
	}
	return w
}()

// text returns some words.
func text(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s ", words[int(float64(len(words))*r.Float64()*r.Float64())])
	}
	return b.String()
}

// build commits documents to the index in dir, in a segment of their own, and deletes some of it.
func build(t testing.TB, dir string, seed uint64, docs int) {
	t.Helper()
	ctx := t.Context()
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("simple", "", true), MergePolicy: writer.NoMerges, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range docs {
		if err := w.Add(ctx, writer.Text(fmt.Appendf(nil, "%d-%d", seed, i), []byte(text(r, 40)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < docs; i += 100 {
		if err := w.Delete(ctx, fmt.Appendf(nil, "%d-%d", seed, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// upload puts the newest commit of dir into b.
func upload(t testing.TB, dir string, b *blob.Bucket) *reader.Manifest {
	t.Helper()
	m, err := reader.NewestManifest(store.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, key string) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = b.WriteAll(t.Context(), key, content, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range m.Files() {
		put(f.Name, keyOf(f))
	}
	put(reader.ManifestNames(m.Generation())[0], manifestKey(m.Generation()))
	return m
}

// segmentsOf returns the number of segments of a commit.
func segmentsOf(m *reader.Manifest) (n int) {
	for _, f := range m.Files() {
		if f.Kind == format.KindSegment {
			n++
		}
	}
	return n
}

// log returns queries.
func queryLog(n int) (q []string) {
	r := rand.New(rand.NewPCG(7, 7))
	for range n {
		q = append(q, text(r, 2+r.IntN(3)))
	}
	return q
}

// hits returns the ids and scores for queries, one line a hit.
func hits(ctx context.Context, s *reader.Snapshot, queries []string) (string, error) {
	x, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return "", err
	}
	defer x.Close()
	var b strings.Builder
	for _, q := range queries {
		res, err := x.Search(ctx, search.Query{Text: q, K: 10})
		if err != nil {
			return "", err
		}
		for _, h := range res.Hits {
			id, err := s.WithContext(ctx).AppendID(nil, h.Doc)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s %s %v\n", q, id, h.Score)
		}
	}
	return b.String(), nil
}

// local returns the hits of the index in dir.
func local(t testing.TB, dir string, queries []string) string {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want, err := hits(t.Context(), s, queries)
	if err != nil || want == "" {
		t.Fatalf("%d bytes of hits, %v", len(want), err)
	}
	return want
}

// world is an index in a directory and in a bucket whose requests are counted.
type world struct {
	dir   string
	mem   *blob.Bucket
	meter *lag.Meter
	slow  *blob.Bucket
	m     *reader.Manifest
}

func newWorld(t testing.TB, segments, docs int, model lag.Model) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), mem: memblob.OpenBucket(nil), meter: lag.New(model, 1)}
	for i := range segments {
		build(t, w.dir, uint64(i+1), docs)
	}
	w.m = upload(t, w.dir, w.mem)
	w.slow = w.meter.Bucket(w.mem)
	return w
}

func (w *world) open(t testing.TB, o ReadOptions) *Index {
	t.Helper()
	x, err := Open(t.Context(), w.slow, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// settle waits for what a Searcher of s has begun to read and nobody waits for, which is where ids are: it reads one of each segment.
func settle(t testing.TB, s *reader.Snapshot) {
	t.Helper()
	var first []search.Hit
	for _, seg := range s.Segments() {
		first = append(first, search.Hit{Doc: seg.Base()})
	}
	if _, err := idsOf(s, first); err != nil {
		t.Fatal(err)
	}
}

// idsOf returns the ids of hits.
func idsOf(s *reader.Snapshot, hits []search.Hit) (ids []string, err error) {
	var docs []uint32
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	s.Prefetch(docs, false)
	for _, d := range docs {
		id, err := s.AppendID(nil, d)
		if err != nil {
			return nil, err
		}
		ids = append(ids, string(id))
	}
	return ids, nil
}

func (w *world) requests() int { return int(w.meter.Requests.Swap(0)) }

// An index in a bucket gives the answers of the directory, with a listing, a request for the manifest, few a segment and a deletes
// file to open it, and at most two and two for each term in each segment of a query, with the ids of its hits.
func TestRead(t *testing.T) {
	w := newWorld(t, 2, 15000, lag.Model{}) // too large to be read whole
	x := w.open(t, ReadOptions{})
	if n := w.requests(); n > 2+2*len(w.m.Files()) || w.meter.Lists.Load() != 1 {
		t.Errorf("opened by %d requests, %d of them listings, for %d files", n, w.meter.Lists.Load(), len(w.m.Files()))
	}
	queries := queryLog(20)
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := hits(t.Context(), s, queries)
	if err != nil {
		t.Fatal(err)
	}
	if got != local(t, w.dir, queries) {
		t.Error("the hits differ from those of the directory")
	}
	w.requests()
	if changed, err := x.Refresh(t.Context()); err != nil || changed || w.requests() != 1 {
		t.Errorf("a refresh without a newer commit: %v, %v", changed, err)
	}
	for _, q := range queries {
		cold := w.open(t, ReadOptions{NoHedge: true}) // second requests depend on time
		s, err := cold.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		searcher, err := search.NewSearcher(s, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		settle(t, s)
		w.requests()
		meter := reader.NewMeter(reader.Budget{})
		ctx := reader.WithMeter(t.Context(), meter)
		res, err := searcher.Search(ctx, search.Query{Text: q, K: 10})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := idsOf(s.WithContext(ctx), res.Hits); err != nil {
			t.Fatal(err)
		}
		n, terms := w.requests(), len(strings.Fields(q))
		u := meter.Usage()
		if n > segmentsOf(w.m)*(2+2*terms) || u.Requests != n {
			t.Errorf("%q: %d requests, counted %+v", q, n, u)
		}
		searcher.Close()
		s.Close()
	}
}

// A query whose commit's number is known waits four times: for the manifest, for the segments' tails, for the terms and their lists, and for
// the ids of its hits. The terms lie in the 64 KiB in which the tail begins, which is read whole.
func TestRounds(t *testing.T) {
	const latency = 50 * time.Millisecond
	w := newWorld(t, 2, 15250, lag.Model{Median: latency, P999: latency})
	for _, q := range queryLog(10) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			x := w.open(t, ReadOptions{Generation: w.m.Generation(), NoHedge: true})
			s, err := x.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			searcher, err := search.NewSearcher(s, search.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer searcher.Close()
			meter := reader.NewMeter(reader.Budget{})
			ctx := reader.WithMeter(t.Context(), meter)
			res, err := searcher.Search(ctx, search.Query{Text: q, K: 10})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := idsOf(s.WithContext(ctx), res.Hits); err != nil {
				t.Fatal(err)
			}
			if d, u := time.Since(start), meter.Usage(); d > 4*latency || u.Rounds > 2 {
				t.Errorf("%q: %v, counted %+v", q, d, u)
			}
		})
	}
}

// Budgets refuse what goes beyond them, and nothing else.
func TestBudget(t *testing.T) {
	w := newWorld(t, 2, 2000, lag.Model{})
	x := w.open(t, ReadOptions{NoCache: true}) // else opening small segments reads all of them
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	queries := queryLog(1)
	for _, b := range []reader.Budget{{Requests: 1}, {Bytes: 1000}} {
		ctx := reader.WithMeter(t.Context(), reader.NewMeter(b))
		var refused *reader.BudgetError
		if _, err := hits(ctx, s, queries); !errors.As(err, &refused) || refused.Budget != b {
			t.Errorf("budget %+v: %v", b, err)
		}
	}
	ctx := reader.WithMeter(t.Context(), reader.NewMeter(reader.Budget{Requests: 100, Bytes: 100 << 20}))
	if got, err := hits(ctx, s, queries); err != nil || got != local(t, w.dir, queries) {
		t.Errorf("a budget that suffices: %v", err)
	}
}

// Faults are errors that say what is wrong, within the deadline, or pass unseen.
func TestFaults(t *testing.T) {
	w := newWorld(t, 1, 2000, lag.Model{})
	queries := queryLog(3)
	want := local(t, w.dir, queries)
	segment := segmentKey(w.m.Files()[0].Segment)
	denied := gcerrorsPermission{}
	hang := func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
	var n atomic.Int64
	for _, c := range []struct {
		name string
		set  func()
		kind error // nil: the answers are right
	}{
		{"unreachable", func() { w.meter.Fail = func(context.Context, string) error { return errors.New("no route to host") } }, errAny},
		{"slow", func() { w.meter.Fail = hang }, context.DeadlineExceeded},
		{"credentials refused", func() { w.meter.Fail = func(context.Context, string) error { return denied } }, fs.ErrPermission},
		{"every third answer is a 503", func() {
			w.meter.Fail = func(context.Context, string) error {
				if n.Add(1)%3 == 0 {
					return errors.New("503")
				}
				return nil
			}
		}, nil},
		{"every second range is truncated", func() {
			w.meter.Cut = func(_ string, of int64) int64 {
				if n.Add(1)%2 == 0 {
					return of / 2
				}
				return of
			}
		}, nil},
		{"every range is truncated", func() { w.meter.Cut = func(_ string, of int64) int64 { return of / 2 } }, errAny},
		{"a shorter object", func() { w.change(t, segment, func(b []byte) []byte { return b[:len(b)-4096] }) }, format.ErrCorrupt},
		{"another object", func() {
			w.change(t, segment, func(b []byte) []byte {
				for i := 4096; i < len(b)-4096; i += 512 {
					b[i] ^= 1
				}
				return b
			})
		}, format.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.meter.Fail, w.meter.Cut = nil, nil
			upload(t, w.dir, w.mem)
			c.set()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			start := time.Now()
			got, err := func() (string, error) {
				x, err := Open(ctx, w.slow, ReadOptions{})
				if err != nil {
					return "", err
				}
				defer x.Close()
				s, err := x.Snapshot()
				if err != nil {
					return "", err
				}
				defer s.Close()
				return hits(ctx, s, queries)
			}()
			switch {
			case time.Since(start) > 20*time.Second:
				t.Errorf("it took %v", time.Since(start))
			case c.kind == nil && (err != nil || got != want):
				t.Errorf("the hits differ, %v", err)
			case c.kind == errAny && err == nil, c.kind != nil && c.kind != errAny && !errors.Is(err, c.kind):
				t.Errorf("error %v, not %v", err, c.kind)
			}
		})
	}
}

var errAny = errors.New("any error")

// gcerrorsPermission is an error of refused credentials, as S3's are.
type gcerrorsPermission struct{}

func (gcerrorsPermission) Error() string       { return "SignatureDoesNotMatch" }
func (gcerrorsPermission) HTTPStatusCode() int { return 403 }

// change changes an object, which never happens.
func (w *world) change(t *testing.T, key string, f func([]byte) []byte) {
	t.Helper()
	b, err := w.mem.ReadAll(t.Context(), key)
	if err == nil {
		err = w.mem.WriteAll(t.Context(), key, f(slices.Clone(b)), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A bucket without an index is not one.
func TestNoIndex(t *testing.T) {
	b := memblob.OpenBucket(nil)
	if _, err := Open(t.Context(), b, ReadOptions{}); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("an empty bucket: %v", err)
	}
	if err := b.WriteAll(t.Context(), manifestFolder+"0", nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), b, ReadOptions{}); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("a bucket with another object: %v", err)
	}
	if _, err := Open(t.Context(), b, ReadOptions{Generation: 3}); gcerrors.Code(err) != gcerrors.NotFound {
		t.Errorf("a commit that is not there: %v", err)
	}
}
