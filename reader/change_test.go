//go:build unix

package reader_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
)

// While the skip header of its list changes, a cursor moves forward, to where it is
// asked to, or reports damage.
func TestSeekWhileSkipHeaderChanges(t *testing.T) {
	o, _ := mappedIndex(t)
	defer o.x.Close()
	defer o.s.Close()
	c := reader.NewCursor()
	defer c.Close()
	if err := c.Init(o.seg, o.entry); err != nil {
		t.Fatal(err)
	}
	skip := writable(t, o, c)
	var done atomic.Bool
	var changing sync.WaitGroup
	changing.Go(func() {
		rng := rand.New(rand.NewPCG(1, 2))
		for !done.Load() {
			word := (*atomic.Uint32)(unsafe.Pointer(&skip[rng.IntN(len(skip))]))
			old := word.Load()
			x := []uint32{old - 1, old + 1, old - 200, old + 200, rng.Uint32N(3000), 0}[rng.IntN(6)]
			for range 1000 {
				word.Store(x)
				word.Store(old)
			}
		}
	})
	defer changing.Wait()
	defer done.Store(true)
	rng := rand.New(rand.NewPCG(3, 4))
	for i, stop := 0, time.Now().Add(time.Second); time.Now().Before(stop); i++ {
		if err := c.Init(o.seg, o.entry); err != nil {
			continue
		}
		if err := c.SetStrategy(reader.Strategy(i % 3)); err != nil {
			t.Fatal(err)
		}
		for target := uint32(0); c.Doc() != reader.NoDoc; {
			target = max(target, c.Doc()) + rng.Uint32N(400)
			if last := c.Shallow(target); last < target {
				t.Fatalf("Shallow(%d) stops at %d", target, last)
			}
			if rng.IntN(3) == 0 {
				continue
			}
			before := c.Doc()
			if doc := c.NextGEQ(target); doc < target {
				t.Fatalf("NextGEQ(%d) stops at %d", target, doc)
			} else if next := c.Next(); doc != reader.NoDoc && (doc < before || next <= doc) {
				t.Fatalf("documents %d, %d, %d", before, doc, next)
			}
		}
		if err := c.Err(); err != nil && !errors.Is(err, format.ErrCorrupt) {
			t.Fatal(err)
		}
	}
}

// writable maps the skip header of c's list for writing.
func writable(t *testing.T, o *opened, c *reader.Cursor) []uint32 {
	f, err := os.OpenFile(filepath.Join(o.x.String(), o.seg.Name()), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mem, err := syscall.Mmap(int(f.Fd()), 0, int(o.seg.Header().FileLen), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	postings, _ := o.seg.Header().Section(format.SectionPostings)
	for _, p := range c.List().Layout() {
		if p.Name == "skip" {
			at := postings.Offset + o.entry.Offset + p.Offset
			return format.Uint32s(mem[at : at+p.Length])
		}
	}
	t.Fatal("no skip header")
	return nil
}
