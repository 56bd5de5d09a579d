package reliability

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/sim"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// These environment variables name the index that a process of this test, which is to be
// killed, writes, and the seed that draws the options of its writer; without a seed it is a pinion.Index.
const (
	childVariable = "PINION_RELIABILITY_INDEX"
	seedVariable  = "PINION_RELIABILITY_SEED"
)

// TestMain makes this program the process to be killed if it is told to.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		err := error(nil)
		if seed := os.Getenv(seedVariable); seed != "" {
			err = writeForever(dir, seed)
		} else {
			err = addForever(dir)
		}
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// batch is how many documents a commit adds.
const batch = 5

// numbered returns the text of document i.
func numbered(i int) string { return text(rand.New(rand.NewPCG(uint64(i), 0)), i) }

// batches returns how many whole batches the index in dir holds. A batch that is there in
// part is an error, and so is one without those before it.
func batches(dir string) (int, error) {
	docs, err := contents(store.Dir(dir))
	if err != nil {
		return 0, err
	}
	n := len(docs) / batch
	for i := range n * batch {
		if want := numbered(i); docs[fmt.Sprintf("d%d", i)] != want {
			return n, fmt.Errorf("of %d documents d%d is %q, want %q", len(docs), i, docs[fmt.Sprintf("d%d", i)], want)
		}
	}
	if len(docs) != n*batch {
		return n, fmt.Errorf("%d documents, not whole batches of %d", len(docs), batch)
	}
	return n, nil
}

// writeForever adds batches to the index in dir, one a commit, merges from time to time,
// and prints how many batches are committed.
// The seed draws the options of the writer.
func writeForever(dir, seed string) error {
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	done := 0
	x, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err == nil {
		s, err := x.Snapshot()
		if err != nil {
			return err
		}
		done = int(s.Stats().Live) / batch
	}
	w, err := writer.Open(ctx, dir, sim.DrawOptions(rand.New(rand.NewPCG(n, 6)), sim.Past{Stored: true, Exists: done > 0, Filled: done > 0}))
	if err != nil {
		return err
	}
	for ; ; done++ {
		for i := done * batch; i < (done+1)*batch; i++ {
			if err := w.Add(ctx, writer.Text(fmt.Appendf(nil, "d%d", i), []byte(numbered(i)))); err != nil {
				return err
			}
		}
		if done%7 == 6 {
			if _, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 3}); err != nil {
				return err
			}
		}
		if err := w.Commit(ctx); err != nil {
			return err
		}
		fmt.Println(done + 1)
	}
}

// TestKill kills processes that write an index.
func TestKill(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes")
	}
	dir, r, committed := t.TempDir(), rand.New(rand.NewPCG(*seed, 4)), 0
	for i := range trials(20) {
		if i%25 == 24 {
			dir, committed = t.TempDir(), 0
		}
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+dir, fmt.Sprintf("%s=%d", seedVariable, *seed+uint64(i)))
		out, err := child.StdoutPipe()
		check(t, err, child.Start())
		timer := time.AfterFunc(time.Duration(5+r.IntN(120))*time.Millisecond, func() { child.Process.Kill() })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, err := fmt.Sscan(lines.Text(), &committed); err != nil {
				t.Fatal(lines.Text())
			}
		}
		var exit *exec.ExitError
		if err := child.Wait(); !errors.As(err, &exit) || !strings.Contains(err.Error(), "kill") {
			t.Fatal(err)
		}
		timer.Stop()
		n, err := batches(dir)
		if err != nil || n < committed || n > committed+1 {
			t.Fatalf("%d batches after %d were committed: %v", n, committed, err)
		}
		committed = n
	}
	t.Logf("%d batches in the last index", committed)
}

// addForever adds one document after the other to a pinion.Index in dir, and prints its number and the time when the call
// has returned.
func addForever(dir string) error {
	x, err := pinion.Open(ctx, dir, pinion.Options{Memory: writer.MinMemory})
	if err != nil {
		return err
	}
	n := 0
	check := func(v *pinion.View) error {
		n = int(v.Snapshot().Stats().Live)
		return nil
	}
	for err = x.Peek(check); err == nil; n++ {
		if err = x.Add(ctx, pinion.Text(fmt.Sprint("d", n), numbered(n))); err == nil {
			fmt.Println(n, time.Now().UnixNano())
			time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
		}
	}
	return errors.Join(err, x.Close())
}

// TestKillIndex kills processes that add to a pinion.Index, which commits in the background. What was added last may be
// lost, and nothing between. How old the lost changes are depends on the machine and what else it does: the test tells.
func TestKillIndex(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes")
	}
	dir, r, kills := t.TempDir(), rand.New(rand.NewPCG(*seed, 10)), trials(47)
	var oldest time.Duration
	late, kept := 0, 0
	for range kills {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+dir)
		out, err := child.StdoutPipe()
		check(t, err, child.Start())
		killed := make(chan time.Time, 1)
		var returned []time.Time // of the calls for documents kept, kept+1, ...
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var n int
			var at int64
			if _, err := fmt.Sscan(lines.Text(), &n, &at); err != nil || n != kept+len(returned) {
				t.Fatalf("%s, after document %d", lines.Text(), kept+len(returned)-1)
			}
			if returned = append(returned, time.Unix(0, at)); len(returned) == 1 {
				time.AfterFunc(time.Second+time.Duration(r.IntN(3000))*time.Millisecond, func() {
					killed <- time.Now()
					child.Process.Kill()
				})
			}
		}
		var exit *exec.ExitError
		if err := child.Wait(); !errors.As(err, &exit) || !strings.Contains(err.Error(), "kill") {
			t.Fatal(err)
		}
		docs, err := contents(store.Dir(dir))
		check(t, err)
		n := len(docs)
		if n < kept || n > kept+len(returned)+1 {
			t.Fatalf("%d documents; %d were there and %d are added", n, kept, len(returned))
		}
		for i := range n {
			if is, want := docs[fmt.Sprint("d", i)], numbered(i); is != want {
				t.Fatalf("of %d documents d%d is %q, want %q", n, i, is, want)
			}
		}
		if n < kept+len(returned) {
			age := (<-killed).Sub(returned[n-kept])
			if oldest = max(oldest, age); age > pinion.DefaultDurable {
				late++
			}
		}
		kept = n
	}
	t.Logf("%d kills, %d documents: of changes that are lost the oldest had returned %v before; after %d kills it was more than %v", kills, kept, oldest.Round(time.Millisecond), late, pinion.DefaultDurable)
}
