package osdir

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/pinion-index/pinion/internal/invariants"
)

// As many files are mapped as leave room for the rest of the process; those that are read need
// none. The error for one more says what limits them.
func TestRoomToMap(t *testing.T) {
	if !canMap {
		t.Skip("files are read, not mapped")
	}
	limit := maxMappings
	t.Cleanup(func() { maxMappings = limit })
	mapped.Lock()
	before := len(mapped.live)
	mapped.Unlock()
	maxMappings = func() int { return (before + 8) * mappingsPerFile * 8 / 7 }
	dir := New(t.TempDir())
	write := func(name string, n int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir.String(), name), make([]byte, n), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("large", smallFile+1)
	write("small", smallFile)
	var open []*Mapping
	defer func() {
		for _, d := range open {
			d.Close()
		}
	}()
	for {
		d, err := dir.Open("large", Access{})
		if err == nil {
			if open = append(open, d); len(open) > 8 {
				t.Fatalf("%d files are mapped", len(open))
			}
			continue
		}
		if !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "vm.max_map_count") {
			t.Fatal(err)
		}
		break
	}
	if len(open) < 4 {
		t.Errorf("only %d files can be mapped", len(open))
	}
	small, err := dir.Open("small", Access{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := mapFile(filepath.Join(dir.String(), "large"), "large", Access{Read: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(small.Close(), read.Close(), open[0].Close()); err != nil {
		t.Fatal(err)
	}
	if open[0], err = dir.Open("large", Access{}); err != nil {
		t.Errorf("after one was closed: %v", err)
	}
}

// A small file that cannot be read to its end is mapped: what is there can be read.
func TestSmallFileCutShort(t *testing.T) {
	if !canMap || runtime.GOOS == "windows" {
		t.Skip("files are read, not mapped, or not beyond their end")
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("what is there"); err != nil {
		t.Fatal(err)
	}
	m := &Mapping{name: "file"}
	if err := m.fill(f, 100, Access{}); err != nil {
		t.Fatal(err)
	}
	invariants.Opened(m, "a small file")
	defer m.Close()
	if b, err := m.Range(0, 13); err != nil || string(b) != "what is there" || m.read {
		t.Errorf("%q, %v, read %t", b, err, m.read)
	}
}
