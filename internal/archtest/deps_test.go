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

// programs bound the sizes of stripped programs by what they do: those that only open and search an
// index, and those that change one too, which all of package pinion's do. Columns took the first
// from 4.08 to 4.54 MB, the second from 5.49 to 6.06; positions the second to 6.24; passages of long
// texts, and parts of a collection, to 6.30; reading an index over a network in fewer rounds, and adopting
// merged segments, to 6.32; fields of impacts and their dot products to 6.40. Words with parts, which any text may have and which
// are phrases, took the first from 4.75 to 4.90, the second from 6.38 to 6.53; equal scores in the order of an index, the
// closest terms, ancestors of commits, and large documents to 5.02 and 6.73; text as people type it, readers that follow an index, and reading
// again what comes damaged to 5.07 and 6.79. Pages of a View, filters as nodes with values of Go, folding, and documents and hits by
// name took them to 5.39 and 7.09. Nodes that are plain data, which one switch builds, link what all nodes need, in programs that
// search for words alone too: 5.80 and 7.49. Fields of vectors, their codes and the search of the nearest took them to 5.88 and 7.64; texts in place of
// vectors, and embedding these, to 5.90 and 7.68; lists that are fused, rescored or of the nearest over parts, and scans that searches share, which each search links, to
// 6.02 and 7.80. Programs
// with query.ParseLenient have as much as before.
var programs = map[string]int64{
	"searcher": 6_030_000,
	"importer": 7_810_000,
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
