package indexdir_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/store"
)

// readMapped reads every page under the guard.
func readMapped(data store.Data) (sum int, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	b, err := data.Range(0, data.Size())
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(b); i += 512 {
		sum += int(b[i])
	}
	return sum, nil
}

func TestTruncatedWhileMapped(t *testing.T) {
	longtest.NoEmulator(t, "qemu-user reports a SIGBUS without its address, and WebAssembly maps no files")
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated on Windows")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, indexdir.SegmentName(1))
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	data, err := store.Dir(dir).Open(indexdir.SegmentName(1))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if _, err := readMapped(data); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<19); err != nil {
		t.Fatal(err)
	}
	_, err = readMapped(data)
	var e *format.Error
	if !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File != indexdir.SegmentName(1) || e.Offset < 1<<19 {
		t.Fatalf("truncated while mapped: %v", err)
	}
}

func TestGuardPassesOtherPanics(t *testing.T) {
	for _, f := range []func(){
		func() { panic("mine") },
		func() { panic(errors.New("mine")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a panic was swallowed")
				}
			}()
			var err error
			defer indexdir.CatchFault(indexdir.ArmFault(), &err)
			f()
		}()
	}
}

// outOfRange is a fault of the program, for TestGuardSaysFaults to find in a stack.
func outOfRange() { _ = []int{}[len(os.Args)] }

// A runtime error while no file has changed is a fault of the program: an error that says so and where, with the stack,
// and not one of damage.
func TestGuardSaysFaults(t *testing.T) {
	if runtime.GOOS != "windows" { // a file that is mapped and sound
		path := filepath.Join(t.TempDir(), "sound")
		if err := os.WriteFile(path, make([]byte, 1<<20), 0o666); err != nil {
			t.Fatal(err)
		}
		data, err := store.Dir(filepath.Dir(path)).Open("sound")
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
	}
	var none map[int]int
	for what, f := range map[string]func(){
		"index out of range":        outOfRange,
		"slice bounds out of range": func() { _ = []int{}[len(os.Args):] },
		"makeslice: len out":        func() { _ = make([]int, -len(os.Args)) },
		"nil pointer":               func() { var p *int; *p = 1 },
		"divide by zero":            func() { _ = 1 / len(none) },
		"nil map":                   func() { none[1] = 1 },
		"interface conversion":      func() { _ = any(1).(string) },
	} {
		err := indexdir.Guard(func() error { f(); return nil })
		var fault *store.PanicError
		var cause runtime.Error
		if !errors.As(err, &fault) || !errors.As(err, &cause) || errors.Is(err, format.ErrCorrupt) || fault.Value != any(cause) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if s := err.Error(); !strings.HasPrefix(s, "fault of the program: ") || !strings.Contains(s, what) || !strings.Contains(s, "fault_test.go:") {
			t.Errorf("%s: %q", what, s)
		}
		if what == "index out of range" && !(strings.Contains(err.Error(), "indexdir_test.outOfRange") && bytes.Contains(fault.Stack, []byte("indexdir_test.outOfRange"))) {
			t.Errorf("%v\n%s", err, fault.Stack)
		}
	}
}

// What was checked and then is out of range is in a file that changed: the one that is not as
// it was when it was mapped.
func TestGuardNamesFilesThatChanged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated on Windows")
	}
	dir := t.TempDir()
	open := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 100<<10), 0o666); err != nil { // smaller ones are not mapped
			t.Fatal(err)
		}
		data, err := store.Dir(dir).Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { data.Close() })
	}
	open("same")
	open("changed")
	open("shorter.tmp")
	open("replaced")
	later := time.Now().Add(time.Second)
	if err := errors.Join(
		os.Chtimes(filepath.Join(dir, "changed"), later, later), // as writing does
		os.Truncate(filepath.Join(dir, "shorter.tmp"), 50),
		os.Rename(filepath.Join(dir, "shorter.tmp"), filepath.Join(dir, "shorter")),
		os.WriteFile(filepath.Join(dir, "new"), nil, 0o666),
		os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "replaced")),
	); err != nil {
		t.Fatal(err)
	}
	err := indexdir.Guard(func() error { _ = []int{}[len(os.Args)]; return nil })
	var e *format.Error
	if !errors.As(err, &e) || e.File != "changed, shorter.tmp" {
		t.Fatal(err)
	}
}

func BenchmarkGuard(b *testing.B) {
	f := func() (err error) {
		defer indexdir.CatchFault(indexdir.ArmFault(), &err)
		return nil
	}
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
}
