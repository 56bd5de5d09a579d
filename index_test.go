package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

var ctx = context.Background()

func ask(text string, k int) Request {
	return Request{Query: query.Match{Text: text}, Limit: k, Fields: []string{""}, Snippet: &Snippet{}}
}

// text returns the stored text of a hit.
func text(h Hit) string {
	if len(h.Values) == 0 {
		return ""
	}
	return string(h.Values[0].Bytes())
}

// hits returns what a search finds: text and score by id.
func hits(t rapid.TB, x *Index, text string) map[string]Hit {
	t.Helper()
	page, err := x.Search(ctx, ask(text, 1000))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(page.Hits, func(a, b Hit) int { return -cmp.Compare(a.Score, b.Score) }) {
		t.Fatalf("%q: not the best first: %+v", text, page.Hits)
	}
	all := make(map[string]Hit)
	for _, h := range page.Hits {
		all[string(h.ID)] = h
	}
	if len(all) != len(page.Hits) {
		t.Fatalf("%q: a document twice: %+v", text, page.Hits)
	}
	return all
}

// check compares what searches find with the documents that there are, and their scores with
// those of an index that never had others.
func check(t rapid.TB, x *Index, docs map[string]string) {
	t.Helper()
	fresh, err := OpenFS(ctx, memfs.New(), Options{Visible: time.Hour, Durable: time.Hour, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	for id, text := range docs {
		if err := fresh.Add(ctx, Text(id, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := fresh.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"a", "b", "c", "a b", "b c c"} {
		got, want := hits(t, x, words), hits(t, fresh, words)
		for id, contents := range docs {
			_, ok := got[id]
			if ok != slices.ContainsFunc(strings.Fields(words), func(w string) bool { return slices.Contains(strings.Fields(contents), w) }) {
				t.Fatalf("%q finds %q (%q): %v", words, id, contents, ok)
			}
			if g, w := got[id], want[id]; g.Score != w.Score || text(g) != text(w) || ok && text(g) != contents {
				t.Fatalf("%q finds %q with %v and %q, in a new index with %v and %q", words, id, g.Score, text(g), w.Score, text(w))
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q finds %d documents, in a new index %d", words, len(got), len(want))
		}
	}
}

// Whatever is added and deleted, searches find what a map holds: at once if changes are visible
// at once, after a crash if they are durable at once, and otherwise after Sync; a cache of
// any size changes nothing, and a view stays as it is.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cache := rapid.SampledFrom([]int{-1, 0, 1500}).Draw(t, "cache")
		o := Options{
			Memory:     writer.MinMemory,
			Visible:    rapid.SampledFrom([]time.Duration{0, 0, time.Hour, time.Microsecond}).Draw(t, "visible"),
			Durable:    rapid.SampledFrom([]time.Duration{time.Hour, 0}).Draw(t, "durable"),
			SyncEach:   rapid.IntRange(0, 2).Draw(t, "sync") == 0,
			CacheBytes: max(cache, 0), NoCache: cache < 0,
		}
		at := o.Visible == 0 || o.SyncEach // searches see a change when the call returns
		mem := memfs.New()
		x := must(OpenFS(ctx, mem, o))(t)
		docs, synced := map[string]string{}, map[string]string{}
		defer func() { x.Close() }()
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			id := rapid.SampledFrom([]string{"1", "2", "3", "4", "5"}).Draw(t, "id")
			var err error
			switch rapid.SampledFrom([]string{"add", "add", "delete", "sync", "check", "view", "reopen", "crash"}).Draw(t, "step") {
			case "add":
				text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 4).Draw(t, "words"), " ")
				err = x.Add(ctx, Text(id, text))
				docs[id] = text
			case "delete":
				err = x.Delete(ctx, id)
				delete(docs, id)
			case "sync":
				err = x.Sync(ctx)
				synced = clone(docs)
				check(t, x, docs)
			case "check":
				if at {
					check(t, x, docs)
				}
			case "view":
				err = x.View(ctx, func(v *View) error {
					before := must(v.Search(ctx, ask("a b", 10)))(t)
					err := x.Add(ctx, Text(id, "a"))
					docs[id] = "a"
					if after := must(v.Search(ctx, ask("a b", 10)))(t); fmt.Sprint(after) != fmt.Sprint(before) {
						t.Fatalf("a view has changed from %v to %v", before, after)
					}
					return err
				})
			case "reopen":
				if err = x.Close(); err == nil {
					x, err = OpenFS(ctx, mem, o)
				}
				synced = clone(docs)
				check(t, x, docs)
			case "crash":
				if o.Durable == 0 && !o.SyncEach {
					continue // it depends on the time
				}
				mem = mem.Crash()
				x.Close()
				x, err = OpenFS(ctx, mem, o)
				if !o.SyncEach {
					docs = clone(synced)
				}
				check(t, x, docs)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func clone(m map[string]string) map[string]string {
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

func must[T any](v T, err error) func(t rapid.TB) T {
	return func(t rapid.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// What became durable survives a crash at any operation, and a failed write is told of.
func TestCrashes(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 60
	}
	injected := errors.New("injected")
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 34))
		mem := memfs.New()
		x, err := OpenFS(ctx, mem, Options{SyncEach: true, Memory: writer.MinMemory})
		if err != nil {
			t.Fatal(err)
		}
		mem.Inject(memfs.Fault{At: r.IntN(200), Err: injected, Sticky: true, Effect: r.IntN(2) == 0})
		docs := map[string]string{}
		unsure := ""
		for i := range 10 {
			id, word := fmt.Sprint(r.IntN(4)), []string{"a", "b", "c"}[i%3]
			if err = x.Add(ctx, Text(id, word)); err != nil {
				unsure = id
				break
			}
			docs[id] = word
		}
		if err != nil && !errors.Is(err, injected) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if e := x.Add(ctx, Text("9", "c")); err != nil && e == nil {
			t.Fatalf("seed %d: a write after %v succeeds", seed, err)
		} else if err == nil && e == nil {
			docs["9"] = "c"
		} else if err == nil {
			unsure = "9"
		}
		left := mem.CrashKeeping(r)
		x.Close()
		y, err := OpenFS(ctx, left, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		found := hits(t, y, "a b c")
		for id, word := range docs {
			if h, ok := found[id]; id != unsure && (!ok || text(h) != word) {
				t.Fatalf("seed %d: %q is %q, expected %q", seed, id, text(h), word)
			}
		}
		if err := y.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Everything at the same time, until Close: what a call has returned nil for is there
// afterwards.
func TestConcurrent(t *testing.T) {
	mem := memfs.New()
	x, err := OpenFS(ctx, mem, Options{Visible: time.Millisecond, Durable: 2 * time.Millisecond, Memory: writer.MinMemory, Slow: 1, Observe: func(Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	last := make([]int, 4)
	for g := range last {
		wg.Go(func() {
			for i := 1; ; i++ {
				if err := x.Add(ctx, Text(fmt.Sprint(g), fmt.Sprintf("all %d", i))); errors.Is(err, ErrClosed) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
				last[g] = i
				if i%16 == g {
					if err := x.Sync(ctx); err != nil && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
				}
			}
		})
		wg.Go(func() {
			for {
				page, err := x.Search(ctx, ask("all", 10))
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil || len(page.Hits) > len(last) {
					t.Errorf("%+v, %v", page, err)
					return
				}
			}
		})
	}
	for range 30 {
		if err := x.Sync(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	y, err := OpenFS(ctx, mem, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	found := hits(t, y, "all")
	for g, i := range last {
		if h := found[fmt.Sprint(g)]; i > 0 && text(h) != fmt.Sprintf("all %d", i) {
			t.Errorf("document %d is %q, %d was added", g, text(h), i)
		}
	}
}

// A change becomes visible and durable without a call.
func TestByItself(t *testing.T) {
	mem := memfs.New()
	committed := make(chan uint64, 100)
	x, err := OpenFS(ctx, mem, Options{Visible: time.Millisecond, Durable: 5 * time.Millisecond, Observe: func(e Event) {
		if e.Kind == EventCommit {
			committed <- e.Docs
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(ctx, Text("a", "rose")); err != nil {
		t.Fatal(err)
	}
	if n := <-committed; n != 1 {
		t.Errorf("%d documents are committed", n)
	}
	if len(hits(t, x, "rose")) != 1 {
		t.Error("the document is not visible")
	}
	y, err := OpenFS(ctx, mem.Crash(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if len(hits(t, y, "rose")) != 1 {
		t.Error("the document is not durable")
	}
}

// A document of 16 MiB is added by default, and a longer one is refused without harm to others.
func TestLargeDocument(t *testing.T) {
	x, err := OpenFS(ctx, memfs.New(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	large := []byte(strings.Repeat("rose ", DefaultMemory/4/5) + "a")
	doc := func(id string, text []byte) Doc {
		return Doc{ID: id, Values: []schema.Value{schema.TextValue(0, text)}}
	}
	err = x.Add(ctx, doc("before", large[:5]), doc("longer", append(large[:len(large):len(large)], 'b')), doc("large", large), doc("behind", large[:5]))
	if len(large) != 16<<20 || !errors.Is(err, writer.ErrDocument) || !strings.Contains(err.Error(), `"longer"`) || strings.Contains(err.Error(), `"large"`) {
		t.Fatalf("%d bytes: %.200v", len(large), err)
	}
	if err := x.Add(ctx, doc("before", large[:5]), doc("large", large), doc("behind", large[:5])); err != nil {
		t.Fatal(err)
	}
	page, err := x.Search(ctx, Request{Query: query.Match{Text: "rose"}, Limit: 10})
	if err != nil || len(page.Hits) != 3 {
		t.Errorf("%d hits, %v", len(page.Hits), err)
	}
}

// A misuse is an error that says what it is, and no panic.
func TestMisuse(t *testing.T) {
	var none context.Context
	ofClosed := func(what string, x *Index) {
		t.Helper()
		_, search := x.Search(ctx, ask("a", 1))
		backup := x.Backup(none, t.TempDir())
		for i, err := range []error{x.Add(none, Text("a", "a")), x.Delete(none, "a"), x.Sync(none), x.View(none, func(*View) error { return nil }), x.Peek(func(*View) error { return nil }), search, backup} {
			if !errors.Is(err, ErrClosed) || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s, call %d: %v", what, i, err)
			}
		}
		if err := x.Close(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		x.Schema()
	}
	ofClosed("zero", &Index{})
	mem := memfs.New()
	x, err := OpenFS(none, mem, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFS(ctx, mem, Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	if err := x.Peek(nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("peeking with no function: %v", err)
	}
	if err := x.View(none, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no function: %v", err)
	}
	for what, d := range map[string]Doc{
		"no id": Text("", "a"), "no text": {ID: "a"}, "long": Text("a", strings.Repeat("a ", DefaultMemory/8+1)),
	} {
		if err := x.Add(ctx, Text("good", "good"), d, Text("bad", "bad")); !errors.Is(err, writer.ErrDocument) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := x.Add(ctx, Text("b", "b")); err != nil { // the documents beside a bad one are not added
		t.Fatal(err)
	}
	if found := hits(t, x, "good bad b"); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	if _, err := OpenFS(ctx, nil, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no file system: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	ofClosed("closed", x)
}

// A context ends the wait for what is to become durable, not the write.
func TestContext(t *testing.T) {
	mem := memfs.New()
	x, err := OpenFS(ctx, mem, Options{SyncEach: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	entered, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	mem.Watch(func(memfs.Op) { once.Do(func() { close(entered); <-leave }) })
	short, cancel := context.WithCancel(ctx)
	go func() { <-entered; cancel() }()
	if err := x.Add(short, Text("a", "a")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(leave)
	if err := x.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	if len(hits(t, x, "a")) != 1 {
		t.Error("the document is gone")
	}
}

func TestEvents(t *testing.T) {
	var mu sync.Mutex
	seen := map[EventKind]int{}
	x, err := OpenFS(ctx, memfs.New(), Options{Slow: 1, NoCache: true, Observe: func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		seen[e.Kind]++
		if e.Err != nil || e.Kind == EventSlow && (e.Request == nil || e.Took <= 0) || strings.Contains(e.Kind.String(), "(") {
			t.Errorf("%v: %+v", e.Kind, e)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if err := x.Add(ctx, Text(fmt.Sprint(i), "rose")); err != nil {
			t.Fatal(err)
		}
		hits(t, x, "rose") // a publication, so a segment
	}
	if err := errors.Join(x.Sync(ctx), x.w.WaitMerges(ctx), x.Sync(ctx), x.Close()); err != nil {
		t.Fatal(err)
	}
	for _, k := range []EventKind{EventPublish, EventCommit, EventMerge, EventRefresh, EventSlow} {
		if seen[k] == 0 {
			t.Errorf("no event %v", k)
		}
	}
}
