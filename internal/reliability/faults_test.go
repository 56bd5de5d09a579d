package reliability

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/sim"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

var errInjected = errors.New("injected")

// task is something done to an index, with one commit at most that changes what it holds.
type task struct {
	name   string
	before []int // documents of the segments that are there
	run    func(ctx context.Context, w *writer.Writer) error
	keep   int // commits that the writer keeps; if there are any, a snapshot stays open
	fields bool
}

var ctx = context.Background()

func tasks(t testing.TB) []task {
	other := build(t, 5, "", 60, 20)
	fresh := func(ctx context.Context, w *writer.Writer, from, n int) error {
		return add(ctx, w, rand.New(rand.NewPCG(9, 9)), from, n)
	}
	all := []task{
		{name: "open", before: []int{40, 20}, run: func(context.Context, *writer.Writer) error { return nil }},
		{name: "build", before: nil, run: func(ctx context.Context, w *writer.Writer) error {
			return errors.Join(fresh(ctx, w, 0, 50), w.Flush(ctx), fresh(ctx, w, 50, 150), w.Commit(ctx))
		}},
		{name: "commit", before: []int{40, 20}, run: func(ctx context.Context, w *writer.Writer) error {
			return errors.Join(fresh(ctx, w, 30, 50), w.Commit(ctx))
		}},
		{name: "delete", before: []int{40, 20}, run: func(ctx context.Context, w *writer.Writer) error {
			return errors.Join(w.Delete(ctx, []byte("d1")), w.Delete(ctx, []byte("d50")), w.Commit(ctx))
		}},
		{name: "merge", before: []int{150, 20, 30}, run: func(ctx context.Context, w *writer.Writer) error {
			_, err := w.Merge(ctx, writer.MergeOptions{})
			return errors.Join(err, w.Commit(ctx))
		}},
		{name: "merge-from", before: []int{40}, run: func(ctx context.Context, w *writer.Writer) error {
			_, err := w.MergeFrom(ctx, other)
			return errors.Join(err, w.Commit(ctx))
		}},
		{name: "reorder", before: []int{150, 20}, run: func(ctx context.Context, w *writer.Writer) error {
			_, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderBisection})
			return errors.Join(err, w.Commit(ctx))
		}},
	}
	for _, keep := range []int{2, 3} {
		all = append(all, task{fmt.Sprintf("keep %d", keep), []int{20, 20, 10, 10, 10}, func(ctx context.Context, w *writer.Writer) (err error) {
			for n := 4; n > 0 && err == nil; n-- {
				_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: n})
				err = errors.Join(err, w.Commit(ctx))
			}
			return err
		}, keep, false})
	}
	return append(all,
		task{name: "fields: build", fields: true, run: func(ctx context.Context, w *writer.Writer) error {
			return errors.Join(fresh(ctx, w, 0, 50), w.Flush(ctx), fresh(ctx, w, 50, 20), w.Commit(ctx))
		}},
		task{name: "fields: set", fields: true, before: []int{60, 20, 30}, run: func(ctx context.Context, w *writer.Writer) error {
			return errors.Join(set(ctx, w, 3, 1000), w.Flush(ctx), set(ctx, w, 5, -9), w.Commit(ctx))
		}},
		task{name: "fields: set and merge", fields: true, before: []int{60, 20, 30}, run: func(ctx context.Context, w *writer.Writer) error {
			err := errors.Join(set(ctx, w, 3, 1000), w.Publish(ctx), set(ctx, w, 4, 50))
			if err == nil {
				_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
			}
			return errors.Join(err, w.Commit(ctx))
		}},
		task{name: "fields: merge", fields: true, before: []int{60, 20, 30}, run: func(ctx context.Context, w *writer.Writer) error {
			err := errors.Join(fresh(ctx, w, 50, 10), w.Delete(ctx, []byte("d1")))
			if err == nil {
				_, err = w.Merge(ctx, writer.MergeOptions{})
			}
			return errors.Join(err, w.Commit(ctx))
		}})
}

// do opens f for writing with options o and runs the task.
func (k *task) do(f store.FS, o writer.Options) error {
	if k.keep > 0 {
		o.KeepCommits = k.keep
		x, err := reader.Open(ctx, reader.FromStore(f), reader.Options{})
		if err != nil {
			return err
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			return err
		}
		defer s.Close()
	}
	w, err := writer.OpenFS(ctx, f, o)
	if err != nil {
		return err
	}
	err = k.run(ctx, w)
	return errors.Join(err, w.Close())
}

// bench is a task with the options of its writer, and what is there before and after it.
type bench struct {
	task
	options       writer.Options
	start         static
	before, after map[string]string
	ops           int
}

func benches(t testing.TB) (all []*bench) {
	for i, k := range tasks(t) {
		b := &bench{task: k, start: static{}}
		if k.before != nil {
			codec := map[bool]string{true: fields}[k.fields]
			b.start = files(t, build(t, 3, codec, k.before...))
		}
		then := sim.Past{Stored: true, Fields: k.fields}
		if k.before != nil {
			then = past(t, b.start)
		}
		// The flag -seed draws all of them but that a new index stores texts.
		b.options = sim.DrawOptions(rand.New(rand.NewPCG(*seed, uint64(i))), then)
		f := b.start.copy(t)
		var err error
		b.before, err = contents(f)
		check(t, err)
		from := f.Ops()
		check(t, k.do(f, b.options))
		b.ops = f.Ops() - from
		b.after, err = contents(f)
		check(t, err)
		all = append(all, b)
	}
	return all
}

// settle checks what is there after a run that ended with err: all of the state before or
// after it, and the one after it if err is nil. Then a writer must be able to go on.
func (b *bench) settle(f *memfs.FS, err error) error {
	got, e := contents(f)
	switch {
	case e != nil:
		return fmt.Errorf("after %v: %w", err, e)
	case err == nil && !maps.Equal(got, b.after):
		return fmt.Errorf("%d documents after success, want %d", len(got), len(b.after))
	case !maps.Equal(got, b.after) && !maps.Equal(got, b.before):
		return fmt.Errorf("after %v there are %d documents, neither the %d before nor the %d after", err, len(got), len(b.before), len(b.after))
	}
	o := options("")
	if b.fields {
		o = writer.Options{Memory: writer.MinMemory}
		if len(got) == 0 {
			o.Schema = b.options.Schema // no commit has recorded it
		}
	}
	o.KeepCommits = 1
	w, e := writer.OpenFS(ctx, f, o)
	if e == nil {
		e = errors.Join(addText(ctx, w, "next", "all of it"), w.Commit(ctx), w.Close())
	}
	if e != nil {
		return fmt.Errorf("after %v, going on: %w", err, e)
	}
	again, e := contents(f)
	if got["next"] = "all of it"; b.fields {
		got["next"] = again["next"]
	}
	if e != nil || !maps.Equal(got, again) {
		return fmt.Errorf("after %v, having gone on: %d documents, want %d: %w", err, len(again), len(got), e)
	}
	return leftovers(f)
}

// leftovers returns an error if files remain that nothing needs.
func leftovers(f store.ReadFS) error {
	d, err := indexdir.OpenFS(f)
	if err != nil {
		return err
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		return err
	}
	defer c.Release()
	names, err := f.List()
	for _, n := range names {
		if n != indexdir.LockName && !isManifest(n) && !slices.Contains(c.Files(), n) {
			return errors.Join(err, fmt.Errorf("%s is left over", n))
		}
	}
	return err
}

// TestInjectedErrors makes every operation of every task fail in turn, once or from then
// on, with and without effect.
func TestInjectedErrors(t *testing.T) {
	n := 0
	for _, b := range benches(t) {
		for _, fault := range []memfs.Fault{{}, {Sticky: true}, {Effect: true}, {Sticky: true, Effect: true}} {
			for at := range b.ops + 1 {
				if skip(n + at) {
					continue
				}
				f := b.start.copy(t)
				fault.At, fault.Err = at, errInjected
				f.Inject(fault)
				err := b.do(f, b.options)
				f.Heal()
				if err != nil && !errors.Is(err, errInjected) {
					t.Fatalf("%s, operation %d fails (%+v): %v", b.name, at, fault, err)
				}
				if err := b.settle(f, err); err != nil {
					t.Fatalf("%s, operation %d fails (%+v): %v", b.name, at, fault, err)
				}
				n++
			}
		}
	}
	t.Logf("%d runs", n)
}

// TestCancel cancels every task at every operation. The writer remains usable: what it is
// told again it does, and nothing is left over.
func TestCancel(t *testing.T) {
	n := 0
	for _, b := range benches(t) {
		for at := range b.ops {
			if skip(n + at) {
				continue
			}
			n++
			if err := b.cancel(t, at); err != nil {
				t.Fatalf("%s, cancelled at operation %d: %v", b.name, at, err)
			}
		}
	}
	t.Logf("%d runs", n)
}

// cancel runs the task, cancels it at an operation after the writer is open, runs it again
// if that ended it, and checks what is there.
func (b *bench) cancel(t *testing.T, at int) error {
	f := b.start.copy(t)
	o := b.options
	o.KeepCommits = 1 // files of others are not left over
	w, err := writer.OpenFS(ctx, f, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var i atomic.Int32
	f.Watch(func(memfs.Op) {
		if int(i.Add(1)) == at+1 {
			cancel()
		}
	})
	err = b.run(ctx, w)
	f.Watch(nil)
	switch {
	case errors.Is(err, context.Canceled):
		if err := b.run(context.Background(), w); err != nil {
			return fmt.Errorf("again: %w", err)
		}
	case err != nil:
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	got, err := contents(f)
	if err == nil && !maps.Equal(got, b.after) {
		err = fmt.Errorf("%d documents, want %d", len(got), len(b.after))
	}
	return errors.Join(err, leftovers(f))
}

// TestCrashes crashes at every operation of every task that changes something, keeping
// any share of what was not synced.
func TestCrashes(t *testing.T) {
	n := 0
	for _, b := range benches(t) {
		for at := range b.ops {
			if skip(at) {
				continue
			}
			for _, keep := range []int{0, 10, 50, 100} {
				for _, torn := range []bool{false, true} {
					for s := range *seeds {
						if torn && (keep == 0 || keep == 100) || s > 0 && keep != 10 && keep != 50 {
							continue // the same again
						}
						if err := b.crash(t, at, memfs.Crash{Keep: keep, Torn: torn, Rand: rand.New(rand.NewPCG(*seed+uint64(s), uint64(at)))}); err != nil {
							t.Fatalf("%s, crash at operation %d, %d %% kept, torn %v, -seed %d: %v", b.name, at, keep, torn, *seed+uint64(s), err)
						}
						n++
					}
				}
			}
		}
	}
	t.Logf("%d crashes", n)
}

// crash runs the task, crashes at an operation and checks what is left.
func (b *bench) crash(t *testing.T, at int, c memfs.Crash) error {
	f := b.start.copy(t)
	var left *memfs.FS
	var mu sync.Mutex
	i := 0
	f.Watch(func(memfs.Op) {
		mu.Lock()
		defer mu.Unlock()
		if i == at {
			left = f.CrashWith(c)
		}
		i++
	})
	err := b.do(f, b.options)
	f.Watch(nil)
	if left == nil { // with merges in the background there are not always as many operations
		return b.settle(f, err)
	}
	if err != nil && !errors.Is(err, memfs.ErrCrashed) {
		return err
	}
	return b.settle(left, err)
}

// TestFullDisk runs every task on disks that have room for 512 bytes more each time.
func TestFullDisk(t *testing.T) {
	n := 0
	for _, b := range benches(t) {
		for i := 0; ; i++ {
			room := int64(i) * memfs.Sector
			if skip(i) {
				continue
			}
			f := b.start.copy(t)
			f.SetCapacity(f.Used() + room)
			err := b.do(f, b.options)
			f.SetCapacity(-1)
			if err != nil && !errors.Is(err, memfs.ErrNoSpace) {
				t.Fatalf("%s, %d bytes of room: %v", b.name, room, err)
			}
			if err := b.settle(f, err); err != nil {
				t.Fatalf("%s, %d bytes of room: %v", b.name, room, err)
			}
			if n++; err == nil {
				break
			}
		}
	}
	t.Logf("%d disks", n)
}

// TestInterruptedOpens makes every operation of opening and refreshing a reader fail in
// turn, beside a writer. A reader that was open answers as before, one that fails to open
// holds nothing, and the next one opens.
func TestInterruptedOpens(t *testing.T) {
	f := build(t, 3, "", 40, 20)
	w, err := writer.OpenFS(ctx, f, options(""))
	check(t, err)
	opened, refreshed := 0, 0
	for at, done := 0, false; !done; at++ {
		x, err := reader.Open(t.Context(), reader.FromStore(f), reader.Options{})
		check(t, err)
		old, err := x.Snapshot()
		check(t, err)
		check(t, w.Add(ctx, writer.Text(fmt.Appendf(nil, "x%d", at), []byte("all"))), w.Delete(ctx, fmt.Appendf(nil, "d%d", at)))
		if at%3 == 2 {
			_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		}
		check(t, err, w.Commit(ctx))

		from := f.Ops()
		f.Inject(memfs.Fault{At: at, Err: errInjected})
		fresh, err := x.Refresh(t.Context())
		ops := f.Ops() - from
		f.Heal()
		if err == nil && !fresh || err != nil && !errors.Is(err, errInjected) {
			t.Fatalf("operation %d of refreshing fails: %v, %v", at, fresh, err)
		}
		if err != nil {
			refreshed++
			same, err := x.Snapshot()
			check(t, err)
			if same.Generation() != old.Generation() {
				t.Fatalf("operation %d of refreshing fails: generation %d after %d", at, same.Generation(), old.Generation())
			}
			check(t, same.Close())
		}
		check(t, old.Verify(ctx), old.Close(), x.Close())

		from = f.Ops()
		f.Inject(memfs.Fault{At: at, Err: errInjected})
		y, err := reader.Open(t.Context(), reader.FromStore(f), reader.Options{})
		ops = max(ops, f.Ops()-from)
		f.Heal()
		if err == nil {
			err = y.Close()
		} else if opened++; errors.Is(err, errInjected) {
			err = nil
		}
		check(t, err)
		done = at > ops
	}
	_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
	check(t, err, w.Commit(ctx), w.Close(), leftovers(f))
	if _, err := contents(f); err != nil || opened == 0 || refreshed == 0 {
		t.Errorf("%d opens and %d refreshes failed, %v", opened, refreshed, err)
	}
}
