package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// row is a row of the import table of ARCHITECTURE.md: packages, what they are
// for, and what they may import.
type row struct {
	packages, allowed []string
}

var quoted = regexp.MustCompile("`([^`]+)`")

// table reads the rows of the table whose first head is "package".
func table(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	return parseTable(t, string(text))
}

func parseTable(t *testing.T, text string) []row {
	t.Helper()
	var rows []row
	inside := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case len(cells) != 3:
			inside = false
		case strings.TrimSpace(cells[0]) == "package":
			inside = true
		case !inside || strings.HasPrefix(strings.TrimSpace(cells[0]), "-"):
		default:
			r := row{names(cells[0]), names(cells[2])}
			if len(r.packages) == 0 || len(r.allowed) == 0 && strings.TrimSpace(cells[2]) != "-" {
				t.Fatalf("cannot read this row of ARCHITECTURE.md: %s", line)
			}
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		t.Fatal("ARCHITECTURE.md has no table of packages")
	}
	return rows
}

// names returns what stands in backquotes.
func names(cell string) []string {
	var out []string
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// matches reports whether pattern names path. A last element "..." stands for the
// package and all below it, an element in capitals for any one name.
func matches(pattern, path string) bool {
	below := false
	if pattern, below = strings.CutSuffix(pattern, "/..."); pattern == "..." {
		return true
	}
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(got) < len(want) || len(got) > len(want) && !below {
		return false
	}
	for i, w := range want {
		if capitals := w == strings.ToUpper(w) && w != strings.ToLower(w); w != got[i] && !capitals {
			return false
		}
	}
	return true
}

// find returns the row of a package: the one with the longest name that matches, or
// failing that the longest of a folder above. exact says which of the two it is.
func find(rows []row, path string) (best *row, exact bool) {
	longest := 0
	for _, below := range []string{"", "/..."} {
		for i := range rows {
			for _, p := range rows[i].packages {
				// More elements win, then elements in full over those in capitals.
				name := strings.TrimSuffix(p, "/...")
				n := 4 * (1 + strings.Count(name, "/"))
				if name == strings.ToLower(name) {
					n += 2
				}
				if p == path {
					n++
				}
				if matches(p+below, path) && n > longest {
					best, longest = &rows[i], n
				}
			}
		}
		if best != nil {
			return best, below == ""
		}
	}
	return nil, false
}

func TestImports(t *testing.T) {
	rows := table(t)
	for _, p := range packages(t) {
		r, exact := find(rows, p.path)
		if r == nil || !exact && p.public() {
			t.Errorf("%s is not listed in ARCHITECTURE.md", p.path)
			continue
		}
		for _, of := range p.imports {
			if !slices.ContainsFunc(r.allowed, func(a string) bool { return matches(a, of) }) {
				t.Errorf("%s imports %s; ARCHITECTURE.md allows %q", p.path, of, r.allowed)
			}
		}
	}
}

// TestTableNamesPackages finds rows whose packages are gone.
func TestTableNamesPackages(t *testing.T) {
	all := packages(t)
	for _, r := range table(t) {
		for _, name := range append(r.packages, r.allowed...) {
			if !slices.ContainsFunc(all, func(p *pkg) bool { return matches(name, p.path) }) {
				t.Errorf("ARCHITECTURE.md names %s, which does not exist", name)
			}
		}
	}
}

func TestTable(t *testing.T) {
	rows := parseTable(t, "| other | table | x |\n| --- | --- | --- |\n| `no` | x | - |\n\n"+
		"| package | responsibility | may import |\n| --- | --- | --- |\n| `a` | x | - |\n| `a/NAME` | x | `a` |\n"+
		"| `a/b/...` | x | `a`, `a/...` |\n| `tools/...`, `fuzz` | x | `...` |\n")
	for _, tt := range []struct {
		path, imports string
		exact, ok     bool
	}{
		{"a", "a/x", true, false}, {"a/x", "a", true, true}, {"a/x", "a/b", true, false}, {"a/x/y", "a", false, true},
		{"a/b", "a/x", true, true}, {"a/b/c/d", "a/b", true, true}, {"a/b/c", "z", true, false}, {"fuzz", "z", true, true}, {"tools/x", "a", true, true},
	} {
		r, exact := find(rows, tt.path)
		if r == nil || exact != tt.exact {
			t.Errorf("%s: row %v, exact %v", tt.path, r, exact)
			continue
		}
		if ok := slices.ContainsFunc(r.allowed, func(a string) bool { return matches(a, tt.imports) }); ok != tt.ok {
			t.Errorf("%s may import %s: %v, want %v", tt.path, tt.imports, ok, tt.ok)
		}
	}
	if r, _ := find(rows, "no"); r != nil || len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
}
