package memfs

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
)

func do(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// create creates a file with this content.
func create(t *testing.T, f *FS, name string, content []byte) store.File {
	t.Helper()
	file, err := f.Create(name)
	do(t, err)
	_, err = file.WriteAt(content, 0)
	do(t, err)
	return file
}

func read(f *FS, name string) []byte {
	d, err := f.Open(name)
	if err != nil {
		return nil
	}
	return d.(*data).b
}

// TestCrash checks which of synced and unsynced changes survive.
func TestCrash(t *testing.T) {
	old, fresh := bytes.Repeat([]byte{1}, 4*Sector), bytes.Repeat([]byte{2}, 4*Sector)
	shares := map[int]int{}
	for seed := range uint64(200) {
		for _, keep := range []int{0, 10, 50, 100} {
			f := New()
			file := create(t, f, "synced", old)
			do(t, file.Sync(), create(t, f, "lost", old).Close(), f.Sync())
			_, err := file.WriteAt(fresh, 0)
			do(t, err, f.Rename("lost", "moved"))
			g := f.CrashWith(Crash{Keep: keep, Torn: seed%2 == 1, Rand: rand.New(rand.NewPCG(seed, 0))})
			if _, err := f.List(); !errors.Is(err, ErrCrashed) {
				t.Fatalf("after the crash: %v", err)
			}
			got := read(g, "synced")
			for s := 0; s < len(got); s += Sector {
				if sector := got[s : s+Sector]; !bytes.Equal(sector, old[:Sector]) && !bytes.Equal(sector, fresh[:Sector]) {
					t.Fatal("a sector is torn")
				} else if sector[0] == 2 {
					shares[keep]++
				} else if seed%2 == 0 && got[0] == 2 {
					t.Fatal("a write is torn")
				}
			}
			names, _ := g.List()
			moved := slices.Contains(names, "moved")
			if moved == slices.Contains(names, "lost") || keep == 0 && moved || keep == 100 && !moved {
				t.Fatalf("%d %% kept: the files are %q", keep, names)
			}
			if keep == 0 && len(read(g, "lost")) > 0 || keep == 100 && !bytes.Equal(read(g, "moved"), old) {
				t.Fatalf("%d %% kept: the content of the unsynced file", keep)
			}
		}
	}
	for keep, n := range shares {
		if got := n * 100 / (200 * 4); got < keep-5 || got > keep+5 {
			t.Errorf("%d %% of the sectors survived, not %d", got, keep)
		}
	}
}

// TestWatch checks that operations are announced in order.
func TestWatch(t *testing.T) {
	f := New()
	var got []string
	f.Watch(func(op Op) { got = append(got, fmt.Sprint(op.Kind, " ", op.Name, " ", op.Off, " ", op.Len)) })
	file := create(t, f, "a", make([]byte, 3))
	do(t, file.Sync(), f.Rename("a", "b"), f.Sync(), f.Remove("b"))
	want := []string{"create a 0 0", "write a 0 3", "sync a 0 0", "rename a b 0 0", "sync  0 0", "remove b 0 0"}
	if f.Watch(nil); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCapacity(t *testing.T) {
	f := New()
	f.SetCapacity(Sector)
	file := create(t, f, "a", make([]byte, Sector-1))
	if n, err := file.WriteAt(make([]byte, 9), Sector-1); n != 1 || !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, ErrNoSpace) {
		t.Errorf("%d bytes written, %v", n, err)
	}
}

// TestFault checks that CatchFault names the file and the offset of a fault.
func TestFault(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("truncates a file while it is mapped")
	}
	f := New()
	f.MapInto(t.TempDir())
	do(t, create(t, f, "a", bytes.Repeat([]byte{7}, 1<<17)).Sync())
	d, err := f.Open("a")
	do(t, err, f.Fault("a", 1<<16))
	defer d.Close()
	at := func(off int64) (b byte, err error) {
		defer indexdir.CatchFault(indexdir.ArmFault(), &err)
		page, err := d.Range(off, 1)
		do(t, err)
		return page[0], nil
	}
	if b, err := at(1<<16 - 1); b != 7 || err != nil {
		t.Errorf("before the fault: %d, %v", b, err)
	}
	var e *format.Error
	if _, err := at(1<<16 + 5); !errors.As(err, &e) || e.File != "a" || e.Offset != 1<<16+5 {
		t.Errorf("at the fault: %v", err)
	}
}
