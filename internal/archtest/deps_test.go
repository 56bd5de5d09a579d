package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
)

// allowedModules is what a program compiles that imports package pinion.
var allowedModules = []string{
	"github.com/blevesearch/snowballstem",
	"github.com/cespare/xxhash/v2",
	"github.com/clipperhouse/uax29/v2",
	"github.com/edsrzf/mmap-go",
	"github.com/golang/snappy",
	"golang.org/x/sys",
	"golang.org/x/text",
}

// modulesOf returns the modules that a package of this one compiles.
func modulesOf(t *testing.T, pkg string) []string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", pkg)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
}

// TestFirstDownload holds what README.md's first command has to download: what an importer has, and a module that
// formats numbers.
func TestFirstDownload(t *testing.T) {
	for _, program := range []string{"quickstart", "first"} {
		for _, m := range modulesOf(t, module+"/examples/"+program) {
			if !slices.Contains(allowedModules, m) && m != "github.com/dustin/go-humanize" {
				t.Errorf("%s compiles %s", program, m)
			}
		}
	}
}

// TestNoDevicesNorRepair holds that importers of package pinion compile nothing of devices unless they ask for it, and nothing that mends
// damaged segments, which is for tools.
func TestNoDevicesNorRepair(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	for p := range strings.FieldsSeq(string(out)) {
		if of, ok := strings.CutPrefix(p, module+"/"); ok && (strings.HasPrefix(of, "gpuload") || strings.HasPrefix(of, "internal/gpu") || of == "internal/hybrid" || of == "internal/cuda" || of == "internal/kernels" || of == "internal/segment/salvage") {
			t.Errorf("package pinion compiles %s", of)
		}
	}
}

func TestDependencies(t *testing.T) {
	used := modulesOf(t, module)
	for _, m := range used {
		if !slices.Contains(allowedModules, m) {
			t.Errorf("importers compile %s", m)
		}
	}
	for _, m := range allowedModules {
		if !slices.Contains(used, m) {
			t.Errorf("nothing needs %s any more: take it off the list", m)
		}
	}
}

// programs bound the sizes of stripped programs by what they do: those that only open and search an index, and those that
// change one too, which all of package pinion's do. What each search links, such as the kinds of nodes, facets with figures and
// the search of the nearest vectors, is in both. Half of what they grew by since they searched for words alone, 4.1 and 5.5 MB, are
// columns, positions and nodes that are plain data. An instance of slices.SortFunc for a struct takes 6 to 16 kB: what is short
// or seldom sorted is sorted by sort.Slice, which took 160 kB off.
var programs = map[string]int64{
	"searcher": 6_200_000,
	"importer": 8_140_000,
}

func TestProgramSize(t *testing.T) {
	longtest.Only(t) // compiles and links programs
	for name, most := range programs {
		program := filepath.Join(t.TempDir(), name)
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./testdata/"+name)
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		if n := info.Size(); n > most {
			t.Errorf("%s has %d bytes, more than %d: go tool nm -size -sort size says of what", name, n, most)
		}
	}
}
