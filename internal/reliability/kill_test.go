package reliability

import (
	"bufio"
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

	"github.com/pinion-index/pinion/internal/sim"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// These environment variables name the index that a process of this test, which is to be
// killed, writes, and the seed that draws the options of its writer.
const (
	childVariable = "PINION_RELIABILITY_INDEX"
	seedVariable  = "PINION_RELIABILITY_SEED"
)

// TestMain makes this program the process to be killed if it is told to.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := writeForever(dir, os.Getenv(seedVariable)); err != nil {
			fmt.Println(err)
		}
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
	docs, err := contents(store.OSDir(dir))
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
	x, err := reader.Open(dir)
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
			if err := w.Add(ctx, writer.Document{ID: fmt.Appendf(nil, "d%d", i), Contents: []byte(numbered(i))}); err != nil {
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
