package writer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// randomText has n words: a few common ones, many rare ones, some of them long.
func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		switch k := r.IntN(100); {
		case k < 60:
			fmt.Fprintf(&b, "w%d ", r.IntN(8))
		case k < 95:
			fmt.Fprintf(&b, "prefix%d ", r.IntN(300))
		case k < 99:
			fmt.Fprintf(&b, "%x ", r.Uint64())
		default:
			b.WriteString(strings.Repeat("long", 1+r.IntN(40)) + " ")
		}
	}
	return b.String()
}

// TestModel applies random operations to a Writer and to a model and compares what
// is committed.
func TestModel(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		codecs := []codec.Codec{nil, bp128.Codec{}, vbyte128.Codec{}}
		stored := rapid.Bool().Draw(rt, "stored")
		options := func() Options {
			c := rapid.SampledFrom(codecs).Draw(rt, "codec")
			var chooser choose.Policy
			if rapid.IntRange(0, 3).Draw(rt, "choose") == 0 {
				chooser = choose.Default()
			}
			return Options{
				Schema: schema.Implicit("whitespace", "", stored), DocsCodec: codec.Name(c), FreqsCodec: codec.Name(c), choose: chooser,
				Threads:   rapid.IntRange(1, 4).Draw(rt, "threads"),
				batchSize: rapid.SampledFrom([]int{200, 5000, 1 << 16}).Draw(rt, "batch"),
				tail:      rapid.SampledFrom([]int64{0, 1, 700}).Draw(rt, "tail"),
				accum:     rapid.SampledFrom([]int64{0, 1 << 20, 3 << 19}).Draw(rt, "accum"),
			}
		}
		fs := memfs.New()
		ctx := context.Background()
		w := mustOpen(rt, fs, options())
		defer func() { w.Close() }()
		m := model{stored: stored}
		ids := rapid.SampledFrom([]int{10, 400, 100000}).Draw(rt, "ids")
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 12).Draw(rt, "operations") {
			switch op := rapid.SampledFrom([]string{"add", "add", "add", "delete", "flush", "commit", "merge", "reopen"}).Draw(rt, "op"); op {
			case "add":
				for range rapid.SampledFrom([]int{1, 20, 300}).Draw(rt, "n") {
					id, text := fmt.Sprint("id", r.IntN(ids)), randomText(r, r.IntN(12))
					must(w.Add(ctx, doc(id, text)))
					m.add(id, text)
				}
			case "delete":
				for range rapid.SampledFrom([]int{1, 50}).Draw(rt, "n") {
					id := fmt.Sprint("id", r.IntN(ids))
					if len(m.docs) > 0 && r.IntN(2) == 0 {
						id = m.docs[r.IntN(len(m.docs))].id
					}
					must(w.Delete(ctx, []byte(id)))
					m.delete(id)
				}
			case "flush":
				must(w.Flush(ctx))
			case "merge":
				_, err := w.Merge(ctx, MergeOptions{MaxSegments: rapid.IntRange(0, 3).Draw(rt, "most"), Purge: rapid.Bool().Draw(rt, "purge")})
				must(err)
			case "commit", "reopen":
				must(w.Commit(ctx))
				m.check(t, fs)
				if op == "reopen" {
					must(w.Close())
					w = mustOpen(rt, fs, options())
				}
			}
		}
		must(w.Commit(ctx))
		m.check(t, fs)
		must(w.Close())
	})
}

func mustOpen(tb interface{ Fatal(...any) }, fs store.FS, o Options) *Writer {
	w, err := OpenFS(context.Background(), fs, o)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

var errInjected = errors.New("injected fault")

// TestFaults makes every operation on the file system fail in turn. Whatever
// happens, a crash afterwards leaves a complete commit: the newest that was
// acknowledged, or the one in progress.
func TestFaults(t *testing.T) {
	for i, fault := range []memfs.Fault{{}, {Sticky: true}, {Effect: true}} {
		if i > 0 && !longtest.Enabled() {
			break
		}
		for at := 0; ; at++ {
			fault.At, fault.Err = at, errInjected
			if !faultAt(t, fault) {
				t.Logf("%d operations failed in turn", at)
				break
			}
		}
	}
}

// faultAt reports whether the fault occurred.
func faultAt(t *testing.T, fault memfs.Fault) bool {
	ctx := t.Context()
	fs := memfs.New()
	r := rand.New(rand.NewPCG(1, 2))
	m := model{stored: true}
	add := func(w *Writer, n int) error {
		for range n {
			id, text := fmt.Sprint(r.IntN(60)), randomText(r, 6)
			if err := w.Add(ctx, doc(id, text)); err != nil {
				return err
			}
			m.add(id, text)
		}
		return nil
	}
	o := Options{Schema: schema.Implicit("whitespace", "", true), Threads: 2, batchSize: 1000}
	w := mustOpen(t, fs, o)
	if err := errors.Join(add(w, 40), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	committed := m.clone()

	ops := fs.Ops()
	fs.Inject(fault)
	err := func() error {
		w, err := OpenFS(ctx, fs, o)
		if err != nil {
			return err
		}
		defer w.Close()
		steps := []func() error{
			func() error { return add(w, 30) },
			func() error { return w.Flush(ctx) },
			func() error { return add(w, 30) },
			func() error { return w.Commit(ctx) },
			func() error { committed = m.clone(); return add(w, 10) },
			func() error { m.delete("7"); return w.Delete(ctx, []byte("7")) },
			func() error { return w.Publish(ctx) },
			func() error { _, err := w.Merge(ctx, MergeOptions{}); return err },
			func() error { return w.Commit(ctx) },
			func() error { committed = m.clone(); return nil },
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}()
	if err != nil && !errors.Is(err, errInjected) {
		t.Fatalf("operation %d: %v", fault.At, err)
	}
	happened := fs.Ops()-ops > fault.At
	after := fs.CrashKeeping(rand.New(rand.NewPCG(uint64(fault.At), 9)))
	got := dump(t, after)
	if d := committed.diff(got); d != "" && m.diff(got) != "" {
		t.Fatalf("operation %d, error %v: neither commit is there: %s", fault.At, err, d)
	}
	// A new writer continues from there.
	w = mustOpen(t, after, o)
	if err := errors.Join(w.Add(ctx, doc("new", "word")), w.Commit(ctx), w.Close()); err != nil {
		t.Fatalf("operation %d: going on: %v", fault.At, err)
	}
	return happened
}

// TestFullDisk runs out of space at every size of the disk and checks that the last
// commit remains.
func TestFullDisk(t *testing.T) {
	ctx := t.Context()
	o := Options{Schema: schema.Implicit("whitespace", "", false), Threads: 2, batchSize: 1000}
	for room := int64(0); ; room += 7000 {
		fs := memfs.New()
		m := model{}
		m.add("a", "one two")
		w := mustOpen(t, fs, o)
		if err := errors.Join(w.Add(ctx, doc("a", "one two")), w.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		before := m.clone()
		fs.SetCapacity(fs.Used() + room)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 300 {
			id, text := fmt.Sprint(i), randomText(r, 20)
			m.add(id, text)
			if err := w.Add(ctx, doc(id, text)); err != nil {
				t.Fatal(err)
			}
		}
		err := w.Commit(ctx)
		w.Close()
		if err == nil {
			m.check(t, fs)
			return
		}
		if !errors.Is(err, memfs.ErrNoSpace) {
			t.Fatal(err)
		}
		before.check(t, fs)
	}
}
