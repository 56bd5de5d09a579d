package archtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowedModules is what a program compiles that imports reader, query and writer.
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
		module+"/reader", module+"/query", module+"/writer")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	used := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
	for _, m := range used {
		if !slices.Contains(allowedModules, m) {
			t.Errorf("importers of reader, query and writer compile %s", m)
		}
	}
	for _, m := range allowedModules {
		if !slices.Contains(used, m) {
			t.Errorf("nothing needs %s any more: take it off the list", m)
		}
	}
}
