package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// remoteDocs is how many documents each segment of remoteFiles has. Lists of many of them are longer
// than what is fetched before a list's length is known.
const remoteDocs = 150_000

// remoteFiles returns an index of two segments, the second with deletes.
var remoteFiles = sync.OnceValue(func() map[string][]byte {
	ctx, dir := context.Background(), memfs.New()
	w, err := writer.OpenFS(ctx, dir, writer.Options{Schema: schema.Implicit("simple", "", true)})
	must(err)
	for seg := range 2 {
		must(w.AddInverted(ctx, writer.Inverted{
			ForeignLengths: true,
			Docs: func(yield func(writer.InvertedDoc, error) bool) {
				for d := range remoteDocs {
					id, text := fmt.Appendf(nil, "%d-%d", seg, d), fmt.Appendf(nil, "text of document %d, %x", d, d*d*d)
					if !yield(writer.InvertedDoc{ID: id, Len: uint32(50 + d%50), Text: text}, nil) {
						return
					}
				}
			},
			Lists: remoteLists(uint64(seg)),
		}))
	}
	must(w.Commit(ctx))
	for d := range 40 {
		must(w.Delete(ctx, fmt.Appendf(nil, "1-%d", 7*d)))
	}
	must(w.Commit(ctx))
	must(w.Close())
	return filesOf(dir)
})

// filesOf returns the files of an index by their names.
func filesOf(dir *memfs.FS) map[string][]byte {
	names, err := dir.List()
	must(err)
	files := make(map[string][]byte)
	for _, n := range names {
		d, err := dir.Open(n)
		must(err)
		b, err := d.Range(0, d.Size())
		must(err)
		files[n] = bytes.Clone(b)
		must(d.Close())
	}
	return files
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// remoteLists yields two long lists, ten short ones and, between them, thousands of rare terms.
func remoteLists(seed uint64) iter.Seq2[writer.InvertedList, error] {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := func(term string, share float64) writer.InvertedList {
		l := writer.InvertedList{Term: []byte(term)}
		for d := range uint32(remoteDocs) {
			if rng.Float64() < share {
				l.Docs, l.Freqs = append(l.Docs, d), append(l.Freqs, 1+uint32(rng.IntN(4000)))
			}
		}
		return l
	}
	return func(yield func(writer.InvertedList, error) bool) {
		ok := yield(list("along", 0.9), nil) && yield(list("blong", 0.8), nil)
		for i := 0; ok && i < 20_000; i++ {
			rare := writer.InvertedList{Term: fmt.Appendf(nil, "r%05d", i), Postings: format.Postings{Docs: []uint32{uint32(i), uint32(i) + 9}, Freqs: []uint32{1, 2}}}
			if i%2000 == 500 {
				ok = yield(list(fmt.Sprintf("r%05dshort", i-1), 0.01), nil)
			}
			ok = ok && yield(rare, nil)
		}
	}
}

// opened is an index over objects.
type opened struct {
	*objects
	index    *reader.Index
	snapshot *reader.Snapshot
	*search.Searcher
}

func (o *objects) opened(t *testing.T, cache int64) *opened {
	t.Helper()
	x, err := reader.Open(t.Context(), o, reader.Options{CacheSize: max(cache, 0), NoCache: cache < 0})
	if err != nil {
		t.Fatal(err)
	}
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	s, err := search.NewSearcher(snap, search.Options{Params: o.params})
	if err != nil {
		t.Fatal(err)
	}
	return &opened{o, x, snap, s}
}

func (x *opened) close(t *testing.T) {
	t.Helper()
	if err := errors.Join(x.Searcher.Close(), x.snapshot.Close(), x.index.Close()); err != nil {
		t.Error(err)
	}
}

// answers returns the hits of a query, and their ids and texts.
func (x *opened) answers(t *testing.T, q search.Query) string {
	t.Helper()
	r, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Hits, x.documents(t, r.Hits))
}

func (x *opened) documents(t *testing.T, hits []search.Hit) []string {
	t.Helper()
	all, err := x.read(t.Context(), hits)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// read returns the ids and texts of hits.
func (x *opened) read(ctx context.Context, hits []search.Hit) (all []string, err error) {
	s := x.snapshot.WithContext(ctx)
	var docs []uint32
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	s.Prefetch(docs, true)
	for _, d := range docs {
		id, err1 := s.AppendID(nil, d)
		text, err2 := s.AppendStored(nil, d)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		all = append(all, string(id)+string(text))
	}
	return all, nil
}

// remoteQueries take each way of a query through an index. trips is how often each waits for a store
// after those before it.
var remoteQueries = []struct {
	search.Query
	trips int
}{
	{search.Query{Text: "r00001", Mode: query.ModeOr}, 0}, // a small dictionary is there, with its short lists
	{search.Query{Text: "r00499short r02499short r06499short r19999", Mode: query.ModeOr}, 0},
	{search.Query{Text: "r04499short r08499short", Mode: query.ModeAnd}, 0},
	{search.Query{Text: "along blong r10499short", Mode: query.ModeAnd}, 3},
	{search.Query{Text: "blong along r12499short", Mode: query.ModeOr}, 1},
	{search.Query{Text: "along none", Mode: query.ModeAnd}, 0},
}

// TestRemoteRoundTrips counts how often queries wait for the store: reads that are under way at the
// same time count once.
func TestRemoteRoundTrips(t *testing.T) {
	files := remoteFiles()
	want := make([]string, len(remoteQueries))
	synctest.Test(t, func(t *testing.T) {
		x := (&objects{files: files, params: query.Params{K1: 0.9, B: 0.4}}).opened(t, -1)
		defer x.close(t)
		for i, q := range remoteQueries {
			start := time.Now()
			want[i] = x.answers(t, q.Query)
			if n := int((time.Since(start) + latency - 1) / latency); n > 5 {
				t.Errorf("%s: %d round trips without a cache", q.Text, n)
			}
		}
		time.Sleep(latency) // lists of a conjunction that lacks a term
	})
	for _, ended := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := &objects{files: files, ended: ended, params: query.Params{K1: 0.9, B: 0.4}}
			start, twice := time.Now(), int64(0)
			trips := func(what string, most, reads int) {
				t.Helper()
				got, _, again := o.count()
				if n := int((time.Since(start) + latency - 1) / latency); n > most || got > reads {
					t.Errorf("%s: %d round trips, %d reads; want at most %d, %d", what, n, got, most, reads)
				}
				twice += again
				start = time.Now()
				o.reset(nil)
			}
			x := o.opened(t, 0)
			trips("opening", 3, 10)
			if _, bytes, _ := o.count(); bytes > 1<<20 {
				t.Errorf("opening read %d bytes", bytes)
			}
			for i, q := range remoteQueries {
				r, err := x.Search(t.Context(), q.Query)
				if err != nil {
					t.Fatal(err)
				}
				trips("query "+q.Text, q.trips, 4)
				got := fmt.Sprint(r.Hits, x.documents(t, r.Hits))
				trips("documents of "+q.Text, 2, 8)
				if got != want[i] {
					t.Errorf("%s: %s, want %s", q.Text, got, want[i])
				}
			}
			for _, q := range remoteQueries {
				x.answers(t, q.Query)
				trips("again "+q.Text, 0, 0)
			}
			if _, bytes, _ := o.count(); twice > bytes/10 {
				t.Errorf("%d of %d bytes were read twice", twice, bytes)
			}
			x.close(t)
		})
	}
}

// TestRemoteDeadline lets each read of a query get stuck. The query ends with its context, and
// answers once the store does.
func TestRemoteDeadline(t *testing.T) {
	files := remoteFiles()
	for _, c := range []struct {
		ended bool
		size  int64 // of the cache
	}{{false, 1 << 20}, {true, 1 << 20}, {false, -1}, {true, -1}} {
		rounds := 0
		synctest.Test(t, func(t *testing.T) {
			x := (&objects{files: files}).opened(t, c.size)
			defer x.close(t)
			time.Sleep(latency)
			start := time.Now()
			x.answers(t, remoteQueries[3].Query)
			rounds = int((time.Since(start) + latency - 1) / latency)
		})
		if rounds < 2 {
			t.Fatalf("%d round trips", rounds)
		}
		for stage := range rounds + 1 {
			synctest.Test(t, func(t *testing.T) {
				o := &objects{files: files, ended: c.ended}
				x := o.opened(t, c.size)
				time.Sleep(latency) // what opening has begun to read is there
				q := remoteQueries[3].Query
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(stage)*latency+latency/2)
				defer cancel()
				time.AfterFunc(time.Duration(stage)*latency-latency/4, func() { o.jam(make(chan struct{})) })
				start := time.Now()
				r, err := x.Search(ctx, q)
				if err == nil {
					_, err = x.read(ctx, r.Hits)
				}
				if stage < rounds && (!errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Duration(stage)*latency+latency/2) {
					t.Errorf("stage %d: %v after %v", stage, err, time.Since(start))
				}
				synctest.Wait()
				o.mu.Lock()
				for name, n := range o.inside {
					if o.ended && n > 0 {
						t.Errorf("stage %d: %d reads of %s go on", stage, n, name)
					}
				}
				stuck := o.stuck
				o.stuck = nil
				o.mu.Unlock()
				got := x.answers(t, q)
				if stuck != nil {
					close(stuck) // the reads that were given up come back
				}
				synctest.Wait()
				time.Sleep(2 * latency)
				if again := x.answers(t, q); again != got {
					t.Errorf("stage %d: %s, before %s", stage, again, got)
				}
				x.close(t)
				if o.open != 0 {
					t.Errorf("%d files are open", o.open)
				}
			})
		}
	}
}

// TestRemoteShared runs a query twice at the same time. The lists are read once, and the end of the
// first one's context does not end the second.
func TestRemoteShared(t *testing.T) {
	files := remoteFiles()
	for _, ended := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := &objects{files: files, ended: ended}
			x := o.opened(t, 0)
			defer x.close(t)
			o.reset(nil)
			ctx, cancel := context.WithTimeout(t.Context(), latency/2)
			defer cancel()
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := x.Search(ctx, remoteQueries[4].Query); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
			time.Sleep(latency / 4)
			start := time.Now()
			if _, err := x.Search(t.Context(), remoteQueries[4].Query); err != nil || time.Since(start) > 3*latency {
				t.Error(err, time.Since(start))
			}
			wg.Wait()
			if _, _, twice := o.count(); twice > 0 {
				t.Errorf("%d bytes were read twice", twice)
			}
		})
	}
}

// TestRemoteFault fails one read after the other. The error says where, and does not stay.
func TestRemoteFault(t *testing.T) {
	files := remoteFiles()
	synctest.Test(t, func(t *testing.T) {
		for n := 1; ; n++ {
			o := &objects{files: files, ended: n%2 == 0}
			x := o.opened(t, 0)
			time.Sleep(latency) // what opening has begun to read is there
			o.reset(func(i int) bool { return i == n })
			_, err := x.Search(t.Context(), remoteQueries[3].Query)
			if reads, _, _ := o.count(); n > reads {
				if err != nil || n <= 2 { // one for each segment
					t.Errorf("%d reads: %v", reads, err)
				}
				x.close(t)
				return
			}
			var at *format.Error
			if !errors.Is(err, errBroken) || !errors.As(err, &at) || !strings.HasPrefix(at.File, "segment") || at.Section == "" || at.List == "" || at.Offset < 0 {
				t.Errorf("read %d fails: %v", n, err)
			}
			if errors.Is(err, format.ErrCorrupt) {
				t.Errorf("read %d fails, which is no damage: %v", n, err)
			}
			x.answers(t, remoteQueries[3].Query)
			x.close(t)
		}
	})
}
