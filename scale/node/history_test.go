package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// add adds so many documents, from a number on, to the index in dir by a commit of a writer of its own.
func add(t *testing.T, dir string, first, n int) {
	t.Helper()
	w, err := writer.Open(t.Context(), dir, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := first; i < first+n; i++ {
		if err := w.Add(t.Context(), writer.Text(fmt.Append(nil, "d", i), []byte("rose"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// copyOf copies an index in which no writer works.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// backupOf makes a backup, with a manifest of its own.
func backupOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "backup")
	d, err := indexdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Backup(t.Context(), store.Dir(to), indexdir.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	return to
}

// replica serves an index as the only shard of collection "h".
func replica(t *testing.T, nc *nats.Conn, name, dir string) *Node {
	t.Helper()
	n, err := startNode(t, nc, dir, Options{Collection: "h", Name: name, Shards: 1, Refresh: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// becomes waits until a node is in a state, with a commit of the map.
func becomes(t *testing.T, n *Node, state State) Status {
	t.Helper()
	waitFor(t, func() string {
		if s := n.Status(); s.State != state {
			return fmt.Sprintf("%+v, not %s", s, state)
		}
		return ""
	})
	return n.Status()
}

// waitFor waits until not returns "", and fails with what it returns if that takes too long for any machine.
func waitFor(t *testing.T, not func() string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		why := not()
		if why == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(why)
		}
	}
}

func routerOf(t *testing.T, nc *nats.Conn) *Router {
	t.Helper()
	r, err := NewRouter(t.Context(), nc, RouterOptions{Collection: "h", Absence: 50 * time.Millisecond, Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// counts asks many times how many documents match: always so many.
func counts(t *testing.T, r *Router, want uint64) {
	t.Helper()
	for range 50 {
		a, err := r.Count(t.Context(), &httpapi.CountRequest{Text: "rose"})
		if err != nil || a.Count != want {
			t.Fatalf("%+v, %v, want %d", a, err, want)
		}
	}
}

// countsAtLast waits until so many documents match, and then counts.
func countsAtLast(t *testing.T, r *Router, want uint64) {
	t.Helper()
	waitFor(t, func() string {
		if a, err := r.Count(t.Context(), &httpapi.CountRequest{Text: "rose"}); err != nil || a.Count != want {
			return fmt.Sprintf("%+v, %v, want %d", a, err, want)
		}
		return ""
	})
	counts(t, r, want)
}

// Of two builds the first that came is served, whichever has more commits, and the other says that it is not, until a
// person chooses.
func TestTwoBuilds(t *testing.T) {
	for _, commits := range []int{1, 3} {
		t.Run(fmt.Sprint(commits), func(t *testing.T) {
			_, nc := startNATS(t)
			dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
			for range 2 {
				add(t, dirs[0], 0, 7)
			}
			for i := range commits {
				add(t, dirs[1], 0, 15+i)
			}
			a := replica(t, nc, "a", dirs[0])
			r := routerOf(t, nc)
			b := replica(t, nc, "b", dirs[1])
			is := becomes(t, b, Branch)
			counts(t, r, 7)
			if a.Status().State != Serving || is.Named != a.Status().Commit || !strings.Contains(is.Error, is.Commit) || !strings.Contains(is.Error, is.Named) {
				t.Errorf("%+v beside %+v", is, a.Status())
			}
			if err := r.Probe(t.Context()); err != nil {
				t.Error(err)
			}
			all, err := Statuses(t.Context(), nc, "h", time.Second)
			if err != nil || len(all) != 2 || all[0].Node != "a" || all[1] != is {
				t.Errorf("%+v, %v", all, err)
			}
			if err := Choose(t.Context(), nc, "h", 0, is.Commit); err != nil {
				t.Fatal(err)
			}
			becomes(t, b, Serving)
			becomes(t, a, Branch)
			countsAtLast(t, r, uint64(14+commits))
			add(t, dirs[0], 100, 20) // what is not served goes on, for itself
			add(t, dirs[1], 200, 20)
			countsAtLast(t, r, uint64(34+commits))
			if s := a.Status().State; s == Serving {
				t.Errorf("%s", s)
			}
		})
	}
}

// Options.Changed is told when the index cannot be read, and when it can again.
func TestChanged(t *testing.T) {
	_, nc := startNATS(t)
	dir := filepath.Join(t.TempDir(), "a")
	add(t, dir, 0, 7)
	states := make(chan State, 100)
	n, err := startNode(t, nc, dir, Options{Collection: "h", Shards: 1, Refresh: 10 * time.Millisecond, Changed: func(s Status) { states <- s.State }})
	if err != nil {
		t.Fatal(err)
	}
	away := dir + "-away"
	for _, step := range []struct{ from, to string }{{dir, away}, {away, dir}} {
		if err := os.Rename(step.from, step.to); err != nil {
			t.Fatal(err)
		}
		becomes(t, n, map[string]State{away: Failing, dir: Serving}[step.to])
	}
	for _, want := range []State{Serving, Failing, Serving} {
		select {
		case is := <-states:
			if is != want {
				t.Errorf("told of %s, want %s", is, want)
			}
		default:
			t.Errorf("not told of %s", want)
		}
	}
}

// One who asks and goes away before the answer tells others nothing.
func TestProbeGone(t *testing.T) {
	_, nc := startNATS(t)
	dir := filepath.Join(t.TempDir(), "a")
	add(t, dir, 0, 7)
	replica(t, nc, "a", dir)
	r := routerOf(t, nc)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Probe(gone); err == nil {
		t.Error("an answer to one who is gone")
	}
	if err := r.Probe(t.Context()); err != nil {
		t.Error(err)
	}
}

// A restored backup is behind, and its shard missing, until a person says that it is right; what the index goes on with is
// not taken for what the map had, though it gets the same number and others.
func TestRestoredBackup(t *testing.T) {
	_, nc := startNATS(t)
	dir := filepath.Join(t.TempDir(), "a")
	add(t, dir, 0, 10)
	saved := backupOf(t, dir)
	add(t, dir, 10, 10)
	old := replica(t, nc, "old", dir)
	r := routerOf(t, nc)
	counts(t, r, 20)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	n := replica(t, nc, "restored", saved)
	was := becomes(t, n, Behind)
	for what, err := range map[string]error{"probe": r.Probe(t.Context()), "count": func() error {
		_, err := r.Count(t.Context(), &httpapi.CountRequest{Text: "rose"})
		return err
	}()} {
		if status, _ := codeOf(err); status != 503 || !strings.Contains(err.Error(), was.Commit) || strings.Contains(err.Error(), "no node serves it") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for range 2 { // the number of the map's commit, and the next
		add(t, saved, 30, 1)
		waitFor(t, func() string {
			if s := n.Status(); s.Commit == was.Commit {
				return fmt.Sprintf("%+v", s)
			}
			return ""
		})
		is := becomes(t, n, Branch)
		if is.Named != was.Named {
			t.Fatalf("%+v", is)
		}
		was = is
	}
	if err := Choose(t.Context(), nc, "h", 0, was.Commit); err != nil {
		t.Fatal(err)
	}
	becomes(t, n, Serving)
	countsAtLast(t, r, 11)
	ready(t, r, "")
}

// ready waits until Probe says what is wanted, "" for nothing.
func ready(t *testing.T, r *Router, want string) {
	t.Helper()
	waitFor(t, func() string {
		err := r.Probe(t.Context())
		if err == nil && want == "" || err != nil && want != "" && strings.Contains(err.Error(), want) {
			return ""
		}
		return fmt.Sprintf("%v, want %q", err, want)
	})
}

// Two copies of one index serve together until each goes its own way; copies that follow each other always do.
func TestBranches(t *testing.T) {
	_, nc := startNATS(t)
	dir := filepath.Join(t.TempDir(), "a")
	add(t, dir, 0, 10)
	other := backupOf(t, dir)
	a, b := replica(t, nc, "a", dir), replica(t, nc, "b", other)
	r := routerOf(t, nc)
	counts(t, r, 10)
	if a.Status().State != Serving || b.Status().State != Serving {
		t.Fatalf("%+v, %+v", a.Status(), b.Status())
	}
	add(t, dir, 10, 1)
	countsAtLast(t, r, 11)
	if s := becomes(t, b, Behind); s.Named != a.Status().Commit {
		t.Errorf("%+v beside %+v", s, a.Status())
	}
	late := copyOf(t, dir)
	for i := range 3 {
		add(t, other, 20+i, 1)
		becomes(t, b, Branch)
		counts(t, r, 11)
	}
	// A copy of the right one, with commits that nobody has seen: the map goes forward over all of them.
	for i := range 30 {
		add(t, late, 40+i, 1)
		if i == 10 {
			c := copyOf(t, late)
			add(t, c, 1000, 1)
			late = c
		}
	}
	if _, err := startNode(t, nc, late, Options{Collection: "h", Shards: 1}); err != nil {
		t.Fatal(err)
	}
	countsAtLast(t, r, 42)
	becomes(t, a, Behind)
	if s := becomes(t, b, Behind); !strings.Contains(s.Error, "not known") { // the map does not reach back so far
		t.Errorf("%+v", s)
	}
}

// A node that is behind goes on by itself when its directory does; one whose index was made by a writer that says nothing of
// ancestors is refused by name.
func TestBehind(t *testing.T) {
	_, nc := startNATS(t)
	dir := filepath.Join(t.TempDir(), "a")
	add(t, dir, 0, 10)
	late := copyOf(t, dir)
	add(t, dir, 10, 5)
	replica(t, nc, "a", dir)
	r := routerOf(t, nc)
	n := replica(t, nc, "late", late)
	if s := becomes(t, n, Behind); !strings.Contains(s.Error, "which comes from it") {
		t.Errorf("%+v", s)
	}
	counts(t, r, 15)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files { // in order of names: segments last, so their manifest is there before them for a moment
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(late, f.Name()), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	becomes(t, n, Serving)
	counts(t, r, 15)
}

// The map forgets a shard when it is told to, and the router is not ready until a node has brought it again.
func TestForget(t *testing.T) {
	_, nc := startNATS(t)
	dir := filepath.Join(t.TempDir(), "a")
	add(t, dir, 0, 10)
	n := replica(t, nc, "a", dir)
	r := routerOf(t, nc)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Forget(t.Context(), nc, "h", 0); err != nil {
		t.Fatal(err)
	}
	ready(t, r, "no commit of 0-of-1")
	other := filepath.Join(t.TempDir(), "b")
	add(t, other, 0, 3)
	replica(t, nc, "b", other)
	countsAtLast(t, r, 3)
	for _, err := range []error{Forget(t.Context(), nc, "h", 1), Choose(t.Context(), nc, "h", -1, "1-0123456789abcdef"), Choose(t.Context(), nc, "h", 0, "latest")} {
		if !errors.Is(err, ErrInvalid) && !errors.Is(err, store.ErrInvalid) {
			t.Error(err)
		}
	}
	if err := Forget(t.Context(), nc, "nothing", 0); !errors.Is(err, ErrNoMap) {
		t.Error(err)
	}
}

// A map that its server has lost is made anew, and a router goes on with it, whatever revision it had seen.
func TestLostMap(t *testing.T) {
	_, nc := startNATS(t)
	dir := filepath.Join(t.TempDir(), "a")
	for i := range 3 {
		add(t, dir, i, 1)
	}
	n := replica(t, nc, "a", dir)
	r := routerOf(t, nc)
	for i := range 3 {
		add(t, dir, 3+i, 1)
		countsAtLast(t, r, uint64(4+i))
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteKeyValue(context.Background(), "pinion-h"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() string {
		if _, err := ReadMap(t.Context(), nc, "h"); err != nil {
			return err.Error()
		}
		return ""
	})
	counts(t, r, 6)
	add(t, dir, 6, 1)
	countsAtLast(t, r, 7)
	becomes(t, n, Serving)
}
