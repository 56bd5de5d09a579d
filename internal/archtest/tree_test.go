package archtest

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/pinion-index/pinion"
)

// pkg is a package of the module, over all build tags and platforms, without tests.
type pkg struct {
	path    string // below the root; "." is the root
	name    string
	files   []*ast.File
	imports []string // packages of the module, by path, sorted
}

// public reports whether other modules can import p.
func (p *pkg) public() bool {
	return p.name != "main" && !slices.Contains(strings.Split(p.path, "/"), "internal")
}

// packages returns all packages of the module, sorted by path.
func packages(t *testing.T) []*pkg {
	t.Helper()
	all, err := parseModule()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d packages under %s", len(all), root)
	}
	return all
}

var fset = token.NewFileSet()

var (
	parseModule  = sync.OnceValues(func() ([]*pkg, error) { return parse(walk) })
	parseModules = sync.OnceValues(func() ([]*pkg, error) { return parse(walkModules) })
)

// parse returns the packages of the files that walk finds, sorted by path.
func parse(walk func(func(name string) error) error) ([]*pkg, error) {
	found := map[string]*pkg{}
	err := walk(func(name string) error {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		p := found[dir]
		if p == nil {
			p = &pkg{path: dir, name: f.Name.Name}
			found[dir] = p
		}
		p.files = append(p.files, f)
		for _, spec := range f.Imports {
			of, _ := strconv.Unquote(spec.Path.Value)
			rest, ok := strings.CutPrefix(of, module)
			if rest = cmp.Or(strings.TrimPrefix(rest, "/"), "."); ok && !slices.Contains(p.imports, rest) {
				p.imports = append(p.imports, rest)
			}
		}
		return nil
	})
	var all []*pkg
	for _, p := range found {
		slices.Sort(p.imports)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
	return all, err
}

// walk calls f with every file of the module, by slash-separated path below the
// root. Hidden folders, testdata of tests and other modules are not part of it.
func walk(f func(name string) error) error { return walkTree(false, f) }

// walkModules is walk with the modules in folders of their own.
func walkModules(f func(name string) error) error { return walkTree(true, f) }

func walkTree(modules bool, f func(name string) error) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if !d.IsDir() {
			return f(name)
		}
		if name == "." {
			return nil
		}
		_, err = os.Stat(filepath.Join(file, "go.mod"))
		if err == nil && !modules || strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(name, "/testdata") {
			return fs.SkipDir
		}
		return nil
	})
}
