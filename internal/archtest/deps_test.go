package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowedModules is what a program compiles that imports package pinion.
var allowedModules = []string{
	"github.com/RoaringBitmap/roaring/v2",
	"github.com/bits-and-blooms/bitset",
	"github.com/blevesearch/snowballstem",
	"github.com/cespare/xxhash/v2",
	"github.com/clipperhouse/uax29/v2",
	"github.com/edsrzf/mmap-go",
	"github.com/golang/snappy",
	"golang.org/x/sys",
	"golang.org/x/text",
}

func TestDependencies(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}",
		module)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	used := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
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

// programs bound the sizes of stripped programs by what they do: those that only open and search an
// index, and those that change one too, which all of package pinion's do. Columns took the first
// from 4.08 to 4.54 MB, the second from 5.49 to 6.06; positions the second to 6.24; passages of long
// texts, and parts of a collection, to 6.30; reading an index over a network in fewer rounds, and adopting
// merged segments, to 6.32; fields of impacts and their dot products to 6.40.
var programs = map[string]int64{
	"searcher": 4_800_000,
	"importer": 6_410_000,
}

func TestProgramSize(t *testing.T) {
	if testing.Short() {
		t.Skip("links programs")
	}
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
