package pinion

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
)

// visible is how far searches lag here.
const visible = 100 * time.Millisecond

// slow is a file system of which each sync of files takes some time.
func slow(took *atomic.Int64) *memfs.FS {
	mem := memfs.New()
	mem.Watch(func(op memfs.Op) {
		if op.Kind == "sync" {
			time.Sleep(time.Duration(took.Load()))
		}
	})
	return mem
}

// A commit begins early by twice what the one before took, however fast the publications between them are: a commit that
// takes twice as long is durable in time all the same.
func TestCommitBeginsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sync atomic.Int64
		sync.Store(int64(20 * time.Millisecond))
		var commits, published []time.Time
		mem := slow(&sync)
		x, err := OpenFS(ctx, mem, Options{Visible: visible, Observe: func(e Event) {
			switch e.Kind {
			case EventCommit:
				commits = append(commits, time.Now())
			case EventPublish:
				published = append(published, time.Now())
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		took := x.keeping // opening a new index commits it
		if took <= 0 || took > time.Second/4 {
			t.Fatalf("the first commit took %v: a test of nothing", took)
		}
		for round, factor := range []int64{1, 2, 1, 1} {
			sync.Store(int64(20*time.Millisecond) * factor)
			commits, published = nil, nil
			wrote := time.Now()
			if err := x.Add(ctx, Text("a", "rose")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if len(commits) != 1 || len(published) != 1 {
				t.Fatalf("round %d: %d commits, %d publications", round, len(commits), len(published))
			}
			if d := published[0].Sub(wrote); d > visible {
				t.Errorf("round %d: visible after %v", round, d)
			}
			d, began := commits[0].Sub(wrote), commits[0].Sub(wrote)-x.keeping
			if d > DefaultDurable {
				t.Errorf("round %d: durable after %v, where the commit took %v and the one before %v", round, d, x.keeping, took)
			}
			if want := DefaultDurable - 2*took; began != want {
				t.Errorf("round %d: the commit began after %v, want %v", round, began, want)
			}
			took = x.keeping
		}
	})
}

// A commit that takes longer than Durable is followed by the next one at once, and what is learned of it counts for
// writes that came meanwhile.
func TestSlowCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sync atomic.Int64
		x, err := OpenFS(ctx, slow(&sync), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		sync.Store(int64(time.Second))
		if err := x.Add(ctx, Text("a", "rose")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(DefaultDurable + time.Second/2) // the commit has begun
		if err := x.Add(ctx, Text("b", "rose")); err != nil {
			t.Fatal(err)
		}
		wrote := time.Now()
		if err := x.await(ctx, &x.kept, 2); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(wrote); d > 2*x.keeping {
			t.Errorf("durable after %v, where commits take %v", d, x.keeping)
		}
	})
}

// What a merge makes the index look again for does not put off what was written before it.
func TestMergeAndPublication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, err := OpenFS(ctx, memfs.New(), Options{Visible: visible, Durable: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.Add(ctx, Text("a", "rose")); err != nil {
			t.Fatal(err)
		}
		x.nudge(true)
		time.Sleep(visible)
		synctest.Wait()
		if len(hits(t, x, "rose")) != 1 {
			t.Error("the document is not visible")
		}
	})
}

// A search sees every change whose call has returned, and waits for nothing if there is none. Searches that wait share a
// publication; without one there is none until the commit.
func TestSearchSees(t *testing.T) {
	var published atomic.Int64
	x := must(OpenFS(ctx, memfs.New(), Options{Durable: time.Hour, Observe: func(e Event) {
		if e.Kind == EventPublish {
			published.Add(1)
		}
	}}))(t)
	defer x.Close()
	for i := range 100 {
		for range 10 {
			if err := x.Add(ctx, Text(fmt.Sprint(i), "rose")); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(hits(t, x, "rose")); n != i+1 {
			t.Fatalf("%d hits after %d documents", n, i+1)
		}
		hits(t, x, "rose")
	}
	if err := x.Sync(ctx); err != nil { // begins after the event of the last publication, which its search does not wait for
		t.Fatal(err)
	}
	if n := published.Load(); n != 100 {
		t.Errorf("%d publications for 100 searches that waited", n)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			id := fmt.Sprint("of ", i)
			for n := range 50 {
				err := x.Add(ctx, Text(id, fmt.Sprint("tulip", i, " ", n)))
				page, err2 := x.Search(ctx, Request{Query: query.Match{Text: fmt.Sprint("tulip", i, " ", n), Mode: query.ModeAnd}})
				if err = errors.Join(err, err2); err != nil || len(page.Hits) != 1 {
					t.Errorf("%s: %d hits, %v", id, len(page.Hits), err)
					return
				}
			}
		})
	}
	group.Wait()
	if n := published.Load(); n > 500 {
		t.Errorf("%d publications for 400 searches", n-100)
	}
}

// A search waits no longer than its context, and not for what cannot be shown: then it answers from what there is.
func TestSearchWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memfs.New()
		x := must(OpenFS(ctx, mem, Options{}))(t)
		defer x.Close()
		if err := errors.Join(x.Add(ctx, Text("a", "rose")), x.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
		mem.Watch(func(op memfs.Op) {
			if op.Kind == "create" {
				time.Sleep(time.Minute)
			}
		})
		if err := x.Add(ctx, Text("b", "rose")); err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := x.Search(short, ask("rose", 10)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if n := len(hits(t, x, "rose")); n != 2 {
			t.Errorf("%d hits", n)
		}
		mem.Inject(memfs.Fault{Err: memfs.ErrNoSpace, Sticky: true})
		if err := x.Add(ctx, Text("c", "rose")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if n := len(hits(t, x, "rose")); n != 2 {
				t.Errorf("%d hits", n)
			}
		}
		if err := x.Add(ctx, Text("d", "rose")); !errors.Is(err, memfs.ErrNoSpace) {
			t.Errorf("%v", err)
		}
	})
}

// What is due first comes first, and a commit instead of a publication during which it would become due.
func TestNext(t *testing.T) {
	const ms = time.Millisecond
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		name             string
		unshown, unkept  time.Duration // ago; 0 for none
		showing, keeping time.Duration
		task             task
		wait             time.Duration
	}{
		{"nothing", 0, 0, 0, 0, idle, -1},
		{"early", 10 * ms, 10 * ms, 5 * ms, 5 * ms, idle, 80 * ms},
		{"publication", 90 * ms, 90 * ms, 5 * ms, 5 * ms, publish, 0},
		{"shown", 0, 90 * ms, 5 * ms, 5 * ms, idle, 900 * ms},
		{"commit", 0, 990 * ms, 500 * ms, 5 * ms, commit, 0},
		{"slow publications are no reason", 0, 700 * ms, 500 * ms, 5 * ms, idle, 290 * ms},
		{"slow commit", 0, 10 * ms, 0, 500 * ms, commit, 0},
		{"both", 100 * ms, 960 * ms, 40 * ms, 5 * ms, commit, 0},
		{"both in time", 100 * ms, 940 * ms, 40 * ms, 5 * ms, publish, 0},
	} {
		x := &Index{o: Options{Visible: visible, Durable: DefaultDurable}, showing: c.showing, keeping: c.keeping}
		if c.unshown > 0 {
			x.unshown = now.Add(-c.unshown)
		}
		if c.unkept > 0 {
			x.unkept = now.Add(-c.unkept)
		}
		if got, wait := x.next(now); got != c.task || wait != c.wait {
			t.Errorf("%s: task %d in %v, want %d in %v", c.name, got, wait, c.task, c.wait)
		}
	}
}

// Where calls return when their change is durable, searches never wait: what a call under way has written they need not see.
func TestSyncEachSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var took atomic.Int64
		x := must(OpenFS(ctx, slow(&took), Options{SyncEach: true}))(t)
		defer x.Close()
		took.Store(int64(time.Minute))
		added := make(chan error)
		go func() { added <- x.Add(ctx, Text("a", "rose")) }()
		synctest.Wait()
		began := time.Now()
		if n := len(hits(t, x, "rose")); n != 0 || time.Since(began) > 0 {
			t.Errorf("%d hits after %v", n, time.Since(began))
		}
		if err := <-added; err != nil {
			t.Fatal(err)
		}
		if n := len(hits(t, x, "rose")); n != 1 {
			t.Errorf("%d hits of a call that has returned", n)
		}
		took.Store(0)
	})
}
