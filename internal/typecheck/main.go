// Typecheck checks that the packages of this module compile for platforms other than the one it runs on:
//
//	typecheck GOOS/GOARCH...
//
// It parses and type-checks them and what they import, without cgo, and compiles nothing: that takes a tenth of what a
// cross build does. What only the compiler and the linker find, such as functions in assembly that are missing, is left to
// the platforms that are built.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) == 1 {
		fmt.Fprintln(os.Stderr, "usage: typecheck GOOS/GOARCH...")
		os.Exit(2)
	}
	for _, platform := range os.Args[1:] {
		n, err := check(platform, "./...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "typecheck: %s: %v\n", platform, err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d packages\n", platform, n)
	}
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
	Error           *struct{ Err string }
}

// check checks the packages of a pattern for a platform, and returns how many there are.
func check(platform string, pattern string) (n int, err error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error", pattern)
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	sizes := types.SizesFor("gc", goarch)
	if sizes == nil {
		return 0, fmt.Errorf("the Go compiler does not know %q", goarch)
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; { // a package comes after what it imports
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, fmt.Errorf("go list: %w", err)
		}
		own := p.Module != nil && p.Module.Main
		if p.Error != nil {
			return n, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		if p.ImportPath == "unsafe" || len(p.GoFiles) == 0 {
			continue
		}
		if done[p.ImportPath], err = checkPackage(&p, own, sizes, done); err != nil {
			return n, err
		}
		if own {
			n++
		}
	}
}

// checkPackage checks one package. The bodies of functions are checked only in packages of this module.
func checkPackage(p *listed, own bool, sizes types.Sizes, done map[string]*types.Package) (*types.Package, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	var all []error
	c := types.Config{
		Sizes:            sizes,
		IgnoreFuncBodies: !own,
		FakeImportC:      true,
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if q := done[path]; q != nil {
				return q, nil
			}
			return nil, fmt.Errorf("go list does not list %s", path)
		}),
		Error: func(err error) { all = append(all, err) },
	}
	q, err := c.Check(p.ImportPath, fset, files, nil)
	if len(all) > 0 {
		err = errors.Join(all[:min(len(all), 10)]...)
	}
	return q, err
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
