package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/kernels"
)

// declared is what a source says of a kernel.
type declared struct {
	module, params string
	threads        int
}

// declarations returns the kernels that the sources declare by KERNEL, by name.
func declarations(t *testing.T) map[string]declared {
	t.Helper()
	files, err := filepath.Glob("*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	out := map[string]declared{}
	for _, f := range files {
		for _, m := range regexp.MustCompile(`(?m)^KERNEL\((\w+), (\w+), (\d+),`).FindAllStringSubmatch(read(t, f), -1) {
			d := declared{module: "paper/" + strings.TrimSuffix(f, ".cu"), params: m[2]}
			fmt.Sscan(m[3], &d.threads)
			out[m[1]] = d
		}
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTable compares the table with the sources, the emulator and the PTX.
func TestTable(t *testing.T) {
	found, emulated := declarations(t), map[string]string{}
	for _, m := range regexp.MustCompile(`ENTRY\((\w+), (\w+)\)`).FindAllStringSubmatch(read(t, "emu.cpp"), -1) {
		emulated[m[1]] = m[2]
	}
	if len(found) != len(table) || len(emulated) != len(table) {
		t.Errorf("%d kernels in the sources, %d in the emulator, %d in the table", len(found), len(emulated), len(table))
	}
	for i, a := range table {
		k := BS + kernels.Kernel(i)
		v := reflect.TypeOf(a.Params)
		if got, want := found[a.Name], (declared{a.Module, v.Name(), k.Threads()}); got != want {
			t.Errorf("%s: the sources say %+v, the table %+v", a.Name, got, want)
		}
		if emulated[a.Name] != v.Name() {
			t.Errorf("%s: the emulator passes %q, the table %q", a.Name, emulated[a.Name], v.Name())
		}
		if k.String() != a.Name || k.Module() != a.Module || !slices.Contains(kernels.Modules(), a.Module) {
			t.Errorf("%s is number %d of the engine, %v of %s", a.Name, uint8(k), k, k.Module())
		}
		text, err := kernels.PTX(a.Module)
		if err != nil {
			t.Error(err)
			continue
		}
		entry := regexp.MustCompile(fmt.Sprintf(`\.entry %s\(\s*\.param [^\n]*\[%d\]\s*\)\s*\.maxntid %d,`, a.Name, v.Size(), k.Threads()))
		if !entry.MatchString(text) {
			t.Errorf("%s: the PTX has no such entry point with %d bytes of parameters and %d threads", a.Name, v.Size(), k.Threads())
		}
		for _, minor := range [][2]int{{8, 0}, {9, 0}} {
			if code, err := kernels.Code(a.Module, minor[0], minor[1]); err != nil || len(code) == 0 {
				t.Errorf("%s has no code for %d.%d: %v", a.Module, minor[0], minor[1], err)
			}
		}
	}
}
