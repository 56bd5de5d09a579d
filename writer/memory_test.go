package writer

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/schema"
)

// reachable returns how much memory is reachable.
func reachable() int64 {
	runtime.GC()
	runtime.GC() // of what the first one moved aside
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// addShort adds n documents of a few new terms each.
func addShort(t *testing.T, w *Writer, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		text := fmt.Appendf(nil, "a%d b%d c%d d%d", i, i, i, i%1000)
		if err := w.Add(context.Background(), Text(fmt.Appendf(nil, "%08d", i), text)); err != nil {
			t.Fatal(err)
		}
	}
}

// A Writer that is closed holds almost nothing, whatever it was doing.
func TestClosedWriterMemory(t *testing.T) {
	longtest.Once(t)
	const docs, least, most = 60000, 8 << 20, 512 << 10
	for _, c := range []struct {
		name string
		end  func(*Writer) error
	}{
		{"added", func(*Writer) error { return nil }},
		{"committed", func(w *Writer) error { return w.Commit(context.Background()) }},
		{"failed", func(w *Writer) error { w.pipe.cancel(errPanic); return nil }},
	} {
		before := reachable()
		w, err := Open(context.Background(), t.TempDir(), Options{Schema: schema.Implicit("", "", true)})
		if err != nil {
			t.Fatal(err)
		}
		addShort(t, w, 0, docs)
		if err := c.end(w); err != nil {
			t.Fatal(err)
		}
		if n := reachable() - before; n < least {
			t.Fatalf("%s: a Writer of %d documents holds %d bytes: a test of nothing", c.name, docs, n)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if n := reachable() - before; n > most {
			t.Errorf("%s: a closed Writer holds %d bytes, more than %d", c.name, n, most)
		}
		runtime.KeepAlive(w)
	}
}

// A Writer frees the memory of a large load after some commits that needed little of it.
func TestIdleWriterMemory(t *testing.T) {
	longtest.Once(t)
	const docs = 100000
	before := reachable()
	w, err := Open(context.Background(), t.TempDir(), Options{Schema: schema.Implicit("", "", true), Threads: 1, MergePolicy: NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	addShort(t, w, 0, docs)
	var held []int64
	for i := range 12 {
		if err := w.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		held = append(held, reachable()-before)
		addShort(t, w, docs+i, 1)
	}
	if first, last := held[0], held[len(held)-1]; last > first/2 {
		t.Errorf("%d bytes are held after a load, and %d after small commits: %d", first, last, held)
	}
}

// A commit that finds nothing new frees the memory of the load before it.
func TestSecondCommitFreesMemory(t *testing.T) {
	const docs = 60000
	before := reachable()
	w, err := Open(context.Background(), t.TempDir(), Options{Schema: schema.Implicit("", "", true), Threads: 1, MergePolicy: NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	addShort(t, w, 0, docs)
	var held [2]int64
	for i := range held {
		if err := w.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		held[i] = reachable() - before
	}
	if held[1] > held[0]/3 {
		t.Errorf("%d bytes are held after a load, and %d after another commit", held[0], held[1])
	}
	runtime.KeepAlive(w)
}
