package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"gocloud.dev/blob"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// numbers is the schema of the documents in tests: a number, by which they can be deleted.
func numbers() writer.Options {
	return writer.Options{Memory: writer.MinMemory, Threads: 1, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text}, {Name: "n", Kind: schema.Integer, Column: true},
	}}}
}

func numberDoc(id string, n int) writer.Doc {
	return writer.Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte("word")), schema.IntegerValue(1, int64(n))}}
}

func above(tb interface{ Fatal(...any) }, s *schema.Schema, n int) query.Node {
	f, err := query.ParseFilter(s, "n>"+strconv.Itoa(n))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func newWriter(tb testing.TB, b *blob.Bucket, o writer.Options) *Writer {
	tb.Helper()
	w, err := NewWriter(tb.Context(), b, WriteOptions{Writer: o, Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.Close() })
	return w
}

// contents returns the numbers of all documents of the newest commit in b, by their ids, as a local index
// made of it has them, and its generation.
func contents(tb testing.TB, b *blob.Bucket) (docs map[string]int64, generation uint64) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "index")
	if err := Export(tb.Context(), b, 0, dir); err != nil {
		tb.Fatal(err)
	}
	x, err := reader.Open(tb.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	f, ok := s.Field("n")
	if !ok {
		tb.Fatal("no field n")
	}
	docs = map[string]int64{}
	for doc := uint32(0); ; doc++ {
		if _, _, ok := s.Locate(doc); !ok {
			return docs, s.Generation()
		}
		if gone, err := s.Deleted(doc); err != nil {
			tb.Fatal(err)
		} else if gone {
			continue
		}
		id, err := s.AppendID(nil, doc)
		if err != nil {
			tb.Fatal(err)
		}
		values, err := f.AppendValues(nil, doc)
		if err != nil || len(values) != 1 {
			tb.Fatal(values, err)
		}
		if _, twice := docs[string(id)]; twice {
			tb.Fatalf("two documents %q", id)
		}
		docs[string(id)] = values[0].Int()
	}
}

// TestModel: whatever several Writers do in turns, the bucket has what their commits did, one after the other.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, b := newFake(t)
		var writers []*Writer
		for range 3 {
			writers = append(writers, newWriter(t, b, numbers()))
		}
		want, batches, commits := map[string]int64{}, make([][]func(), 3), 0
		for i := range rapid.IntRange(1, 25).Draw(rt, "steps") {
			x := rapid.IntRange(0, 2).Draw(rt, "writer")
			w, id, n := writers[x], fmt.Sprint("d", rapid.IntRange(0, 6).Draw(rt, "id")), int64(i)
			var err error
			switch rapid.IntRange(0, 7).Draw(rt, "what") {
			case 0:
				err = w.Delete(t.Context(), []byte(id))
				batches[x] = append(batches[x], func() { delete(want, id) })
			case 1:
				err = w.DeleteWhere(t.Context(), above(rt, w.Schema(), i-4))
				batches[x] = append(batches[x], func() { maps.DeleteFunc(want, func(_ string, m int64) bool { return m > n-4 }) })
			case 2, 3:
				if rapid.IntRange(0, 3).Draw(rt, "merge") > 0 {
					err = w.Commit(t.Context())
				} else {
					_, err = w.Merge(t.Context(), writer.MergeOptions{MaxSegments: rapid.IntRange(1, 3).Draw(rt, "most")})
				}
				for _, f := range batches[x] {
					f()
				}
				batches[x], commits = nil, commits+1
			default:
				err = w.Add(t.Context(), numberDoc(id, i))
				batches[x] = append(batches[x], func() { want[id] = n })
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		for _, w := range writers {
			w.Close()
		}
		if commits == 0 {
			return
		}
		if got, _ := contents(t, b); !maps.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
}

// race commits n times as writer x of some that race: documents of its own, of which it deletes the one before, and
// one that all of them replace.
func race(ctx context.Context, b *blob.Bucket, dir string, x, n int) error {
	w, err := NewWriter(ctx, b, WriteOptions{Writer: numbers(), Dir: dir})
	if err != nil {
		return err
	}
	defer w.Close()
	for i := range n {
		err = errors.Join(
			w.Add(ctx, numberDoc(fmt.Sprintf("%d-%d", x, i), i)),
			w.Delete(ctx, fmt.Appendf(nil, "%d-%d", x, i-1)),
			w.Add(ctx, numberDoc(fmt.Sprint("kept-", x, "-", i), i)),
			w.Add(ctx, numberDoc("shared", x)))
		if i%4 == 3 {
			_, e := w.Merge(ctx, writer.MergeOptions{MaxSegments: 4})
			err = errors.Join(err, e)
		} else {
			err = errors.Join(err, w.Commit(ctx))
		}
		if err != nil {
			return fmt.Errorf("writer %d, commit %d: %w", x, i, err)
		}
	}
	return nil
}

// checkRace checks what writers racing have left: nothing that was acknowledged is lost, and each commit was one
// generation.
func checkRace(t *testing.T, b *blob.Bucket, writers, n int) {
	t.Helper()
	got, generation := contents(t, b)
	want := map[string]int64{"shared": got["shared"]}
	for x := range writers {
		want[fmt.Sprintf("%d-%d", x, n-1)] = int64(n - 1)
		for i := range n {
			want[fmt.Sprint("kept-", x, "-", i)] = int64(i)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%d documents, want %d: %v", len(got), len(want), got)
	}
	merges := writers * (n / 4) // at most: each makes one commit, unless there is nothing left to merge
	if least := uint64(writers*n) + 1; generation < least || generation > least+uint64(merges) {
		t.Errorf("generation %d after %d commits and %d merges", generation, writers*n, merges)
	}
	if manifests, _, err := list(t.Context(), b); err != nil || uint64(len(manifests)) != generation-1 {
		t.Errorf("%d commits until generation %d, %v", len(manifests), generation, err)
	}
}

func TestRace(t *testing.T) {
	const writers, n = 8, 6
	_, b := newFake(t)
	var all sync.WaitGroup
	for x := range writers {
		dir := t.TempDir()
		all.Go(func() {
			if err := race(t.Context(), b, dir, x, n); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	checkRace(t, b, writers, n)
}

// TestWriteFaults lets each request of a commit fail in turn, before it takes effect or after, once or from then on. Commit
// succeeds or returns an error; then it succeeds without faults, and the bucket has what another Writer
// committed and, after it, the batch, once.
func TestWriteFaults(t *testing.T) {
	for _, kind := range []struct {
		name   string
		after  bool
		always bool
		err    error
	}{{"once", false, false, errServer}, {"answer lost", true, false, errServer}, {"down", false, true, errServer}, {"all answers lost", true, true, errServer},
		{"refused", false, true, errRefused}} {
		t.Run(kind.name, func(t *testing.T) {
			for i := 0; ; i++ {
				if !testFault(t, i, kind.after, kind.always, kind.err) {
					if i < 5 {
						t.Errorf("only %d requests", i)
					}
					return
				}
			}
		})
	}
}

// testFault lets request i of a commit fail. It reports whether there was one.
func testFault(t *testing.T, i int, after, always bool, fault error) bool {
	k, b := newFake(t)
	first := newWriter(t, b, numbers())
	w := newWriter(t, b, numbers())
	if err := errors.Join(first.Add(t.Context(), numberDoc("a", 1)), first.Add(t.Context(), numberDoc("b", 2)), first.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(t.Context(), numberDoc("b", 3)), w.Add(t.Context(), numberDoc("c", 4)), w.Delete(t.Context(), []byte("a"))); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	requests, failed := 0, false
	hook := func(context.Context, string, string) error {
		mu.Lock()
		defer mu.Unlock()
		requests++
		if requests == i+1 || always && requests > i {
			failed = true
			return fault
		}
		return nil
	}
	if after {
		k.after = hook
	} else {
		k.before = hook
	}
	err := w.Commit(t.Context())
	k.before, k.after = nil, nil
	if err != nil && !errors.Is(err, fault) || err == nil && failed && always {
		t.Errorf("request %d: %v", i, err)
	}
	if err != nil {
		if !errors.Is(err, store.ErrUncertain) {
			if got, _ := contents(t, b); len(got) != 2 {
				t.Errorf("request %d: after %v the bucket has %v", i, err, got)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatalf("request %d: again: %v", i, err)
		}
	}
	if got, g := contents(t, b); !maps.Equal(got, map[string]int64{"b": 3, "c": 4}) || g != 3 {
		t.Errorf("request %d: commit %d has %v", i, g, got)
	}
	return failed
}

// TestUncertain: a batch of which nobody knows whether it was committed is not committed a second time over what
// another Writer has committed since.
func TestUncertain(t *testing.T) {
	k, b := newFake(t)
	w, other := newWriter(t, b, numbers()), newWriter(t, b, numbers())
	if err := w.Add(t.Context(), numberDoc("a", 1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	k.after = func(_ context.Context, op, key string) error {
		if o, ok := parseKey(key); ok && o.kind == kindManifest && op == "write" {
			cancel()
			return errServer
		}
		return nil
	}
	if err := w.Commit(ctx); !errors.Is(err, store.ErrUncertain) {
		t.Fatalf("the answer is lost: %v", err)
	}
	k.after = nil
	if err := errors.Join(other.Add(t.Context(), numberDoc("a", 2)), other.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(t.Context(), numberDoc("b", 3)), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got, g := contents(t, b); !maps.Equal(got, map[string]int64{"a": 2, "b": 3}) || g != 4 {
		t.Errorf("commit %d has %v", g, got)
	}
}

// TestSlow: no call lasts longer than its context when the bucket does not answer, whichever request that is.
func TestSlow(t *testing.T) {
	for i := 0; ; i++ {
		k, b := newFake(t)
		w := newWriter(t, b, numbers())
		if err := errors.Join(w.Add(t.Context(), numberDoc("a", 1)), w.Commit(t.Context()), w.Add(t.Context(), numberDoc("b", 1))); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		requests, reached := 0, false
		var mu sync.Mutex
		k.before = func(ctx context.Context, _, _ string) error {
			mu.Lock()
			requests++
			hangs := requests == i+1
			reached = reached || hangs
			mu.Unlock()
			if hangs {
				cancel()
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		err := w.Commit(ctx)
		cancel()
		if !reached {
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("request %d: %v", i, err)
		}
	}
}

// TestDamaged: an object that is not what the manifest says is an error, and is read again.
func TestDamaged(t *testing.T) {
	k, b := newFake(t)
	w := newWriter(t, b, numbers())
	if err := errors.Join(w.Add(t.Context(), numberDoc("a", 1)), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, key := range k.keys("") {
		if key == conditionKey { // nobody reads it
			continue
		}
		good := k.objects[key]
		for name, bad := range map[string][]byte{"short": good.content[:len(good.content)/2], "other": make([]byte, len(good.content))} {
			k.objects[key] = fakeObject{bad, good.time}
			if x, err := NewWriter(t.Context(), b, WriteOptions{Writer: numbers(), Dir: t.TempDir()}); err == nil {
				x.Close()
				t.Errorf("%s, %s: no error", key, name)
			}
		}
		k.objects[key] = good
	}
}

// TestWaited: a Writer that has slept between reading the newest commit and making the next one, for longer than
// commits are kept, notices that there are newer ones, and commits after these.
func TestWaited(t *testing.T) {
	k, b := newFake(t)
	w, other := newWriter(t, b, numbers()), newWriter(t, b, numbers())
	commit := func(id string) {
		if err := errors.Join(other.Add(t.Context(), numberDoc(id, 1)), other.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	commit("a")
	var once sync.Once
	k.before = func(_ context.Context, op, key string) error {
		if o, ok := parseKey(key); ok && o.kind == kindManifest && op == "write" && o.generation == 3 {
			once.Do(func() {
				k.before = nil
				for _, id := range []string{"b", "c", "d"} {
					commit(id)
					k.pass(2 * time.Hour)
				}
				if _, err := Sweep(t.Context(), b, SweepOptions{Retention: time.Hour}); err != nil {
					t.Error(err)
				}
			})
		}
		return nil
	}
	if err := errors.Join(w.Add(t.Context(), numberDoc("w", 2)), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got, g := contents(t, b); !maps.Equal(got, map[string]int64{"a": 1, "b": 1, "c": 1, "d": 1, "w": 2}) || g != 6 {
		t.Errorf("commit %d has %v", g, got)
	}
}

func TestClosed(t *testing.T) {
	_, b := newFake(t)
	w := newWriter(t, b, numbers())
	s := w.Schema()
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Add": w.Add(t.Context(), numberDoc("a", 1)), "Delete": w.Delete(t.Context(), []byte("a")),
		"DeleteWhere": w.DeleteWhere(t.Context(), above(t, s, 1)), "Commit": w.Commit(t.Context()),
	} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkCommit commits one document to an index of some hundred.
func BenchmarkCommit(b *testing.B) {
	bucket, err := OpenURL(b.Context(), "mem://")
	if err != nil {
		b.Fatal(err)
	}
	defer bucket.Close()
	w := newWriter(b, bucket, numbers())
	for i := range 500 {
		if err := w.Add(b.Context(), numberDoc(strconv.Itoa(i), rand.IntN(100))); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		if err := errors.Join(w.Add(b.Context(), numberDoc(strconv.Itoa(i), 1)), w.Commit(b.Context())); err != nil {
			b.Fatal(err)
		}
		if i%10 == 9 {
			if _, err := w.Merge(b.Context(), writer.MergeOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
