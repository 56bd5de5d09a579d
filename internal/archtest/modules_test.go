package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// internalUses are the importable packages of other modules that use internal packages of this one nevertheless: which, and why.
var internalUses = map[string]map[string]string{
	"papers/kernels": {
		"internal/kernels": "device code that only the papers' commands launch",
	},
}

// inModules returns the packages of the modules in folders of their own, and the module of each.
func inModules(t *testing.T) (all []*pkg, moduleOf map[string]string) {
	t.Helper()
	all, err := parseModules()
	if err != nil {
		t.Fatal(err)
	}
	moduleOf = map[string]string{}
	for _, p := range all {
		dir := p.path
		for dir != "." {
			if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil {
				break
			}
			dir = filepath.ToSlash(filepath.Dir(dir))
		}
		moduleOf[p.path] = dir
	}
	return all, moduleOf
}

// importable reports whether programs import p from its module.
func (p *pkg) importable() bool {
	return p.public() && !slices.Contains(strings.Split(p.path, "/"), "cmd")
}

// TestModulesUsePublicPackages holds that what programs import from the other modules imports no internal package of this one,
// itself or through internal packages of its module: Go may choose a later version of this module beside it.
func TestModulesUsePublicPackages(t *testing.T) {
	all, moduleOf := inModules(t)
	byPath := map[string]*pkg{}
	for _, p := range all {
		byPath[p.path] = p
	}
	libraries := 0
	found := map[string][]string{}
	for _, p := range all {
		if moduleOf[p.path] == "." || !p.importable() {
			continue
		}
		libraries++
		seen := map[string]bool{}
		var visit func(*pkg)
		visit = func(q *pkg) {
			for _, of := range q.imports {
				switch to := byPath[of]; {
				case to == nil || seen[of]:
				case moduleOf[of] == moduleOf[p.path]:
					if seen[of] = true; !to.importable() { // those that are, are held themselves
						visit(to)
					}
				case moduleOf[of] == "." && !to.public():
					seen[of] = true
					found[p.path] = append(found[p.path], of)
					if internalUses[p.path][of] == "" {
						t.Errorf("%s, which programs import, uses %s (from %s)", p.path, of, q.path)
					}
				}
			}
		}
		visit(p)
	}
	if libraries < 10 {
		t.Fatalf("only %d importable packages in other modules", libraries)
	}
	for p, uses := range internalUses {
		for of := range uses {
			if !slices.Contains(found[p], of) {
				t.Errorf("%s does not use %s any more: take it off the list", p, of)
			}
		}
	}
}
