package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

const before = `package x

const Max = 7

type Mode uint8

const (
	Or Mode = iota
	And
)

var ErrGone = error(nil)

type Open interface{ A(n int); B() error }

type Sealed interface{ A(); hidden() }

type List[T any] []T

type Number interface{ ~int | ~uint8 }

type inner struct{}

func (*inner) Promoted() {}

type S struct {
	inner
	Field func(doc uint32) (ok bool)
	none int
}

func (S) Value() {}
func (s *S) Pointer(dst []byte, more ...string) (n int, err error) { return 0, nil }
func (s *S) hidden() {}

type Alias = S

func F(a, b int, f func(x *S) map[string]Mode) (s *S, err error) { return nil, nil }

func G[T Number](in T) List[T] { return nil }

func hidden() {}
`

func lines(t *testing.T, source string) []string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check(module+"/x", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return describe(pkg)
}

func TestDescribe(t *testing.T) {
	want := strings.Split(`x: const And Mode = 1
x: const Max untyped int = 7
x: const Or Mode = 0
x: func F(int, int, func(*S) map[string]Mode) (*S, error)
x: func G[T Number](T) List[T]
x: method (*S) Pointer([]byte, ...string) (int, error)
x: method (*S) Promoted()
x: method (S) Value()
x: type Alias = S
x: type List[T any] []T
x: type Mode uint8
x: type Number interface{~int | ~uint8}
x: type Open interface { A(int); B() error }
x: type S struct
x: type S struct, Field func(uint32) bool
x: type Sealed interface, A()
x: type Sealed interface, with unexported methods
x: var ErrGone error`, "\n")
	if got := lines(t, before); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Each change of a package is compatible or not.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		removed  int
	}{
		{"a, b int", "n, m int", 0},
		{"none int", "none int; New string", 0},
		{"func hidden", "func New() {}\nfunc hidden", 0},
		{"hidden()", "hidden(); B()", 0}, // Sealed
		{"s *S) hidden", "s *S) Other", 0},
		{"A(n int)", "A(n int); C()", 1},
		{"A(n int)", "A(n int64)", 1},
		{"a, b int", "a int", 1},
		{"Or Mode", "Not Mode = iota; Or Mode", 2}, // And is 2, and Or 1
		{"const Max = 7", "const Max = 8", 1},
		{"func (S) Value", "func (*S) Value", 1},
		{"*inner) Promoted", "*inner) promoted", 1},
		{"type Mode uint8", "type Mode uint16", 1},
		{"Field func(doc uint32)", "Field func(doc uint64)", 1},
	} {
		source := strings.Replace(before, tt.old, tt.new, 1)
		if source == before {
			t.Fatalf("%s is not in the source", tt.old)
		}
		if d := compare(lines(t, before), lines(t, source), nil); len(d.removed) != tt.removed {
			t.Errorf("%s to %s: removed %q, want %d lines", tt.old, tt.new, d.removed, tt.removed)
		}
	}
	d := compare([]string{"a", "b", "c"}, []string{"a", "d"}, []string{"b", "a", "x"})
	if !slices.Equal(d.added, []string{"d"}) || !slices.Equal(d.removed, []string{"c"}) || !slices.Equal(d.stale, []string{"a", "x"}) {
		t.Errorf("found %+v", d)
	}
}

func TestVersions(t *testing.T) {
	for name, want := range map[string][]int{"v0.1.0.txt": {0, 1, 0}, "v1.12.3.txt": {1, 12, 3}, "broken.txt": nil, "v1.2.txt": nil, "v1.2.3-rc1.txt": nil} {
		if got := parseVersion(name); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
