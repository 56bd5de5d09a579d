package cookbook

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var root string // of the directories of begin

func TestMain(m *testing.M) {
	var err error
	root, err = os.MkdirTemp("", "cookbook")
	check(err)
	code := m.Run()
	check(os.RemoveAll(root))
	os.Exit(code)
}

// begin returns a context and an empty directory.
func begin() (context.Context, string) {
	dir, err := os.MkdirTemp(root, "")
	check(err)
	return context.Background(), dir
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

var region = regexp.MustCompile(`(?s)\t// begin (\w+)\n(.*?)\n\t// end\n`)

// TestPages holds docs/cookbook.md and the page after it against the examples: they show each between its marks.
func TestPages(t *testing.T) {
	page, err := os.ReadFile("../../docs/cookbook.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := os.ReadFile("../../docs/cookbook-keeping.md")
	if err != nil {
		t.Fatal(err)
	}
	page = append(page, more...)
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range region.FindAllSubmatch(source, -1) {
			shown++
			code := strings.ReplaceAll("\n"+string(m[2])+"\n", "\n\t", "\n")
			if !strings.Contains(string(page), "```go"+code+"```\n") {
				t.Errorf("the cookbook does not show %s as it is", m[1])
			}
		}
	}
	if n := strings.Count(string(page), "```go\n"); n != shown {
		t.Errorf("the cookbook shows %d programs, of which %d are here", n, shown)
	}
}
