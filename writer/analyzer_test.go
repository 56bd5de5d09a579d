package writer

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
)

func newAnalyzer(t *testing.T, name, options string) analysis.Analyzer {
	t.Helper()
	a, err := analysis.New(name, options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// An analyzer without options opens an index with any; one with options only its own.
func TestDefaultAnalyzerAdopts(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		made, asked string // options
		differ      string // "" if the index opens
	}{
		{"", "", ""},
		{"max=255,stop=english", "", ""},
		{"stop=none", "", ""},
		{"stop=none,apostrophes=fold", "", ""},
		{"stop=none", "stop=none", ""},
		{"max=255,stop=english,apostrophes=fold", "", ""},
		{"max=255,stop=english,apostrophes=fold", "stop=english", "differ in apostrophes=fold"},
		{"", "stop=english", "differ in apostrophes=fold and unicode=nfkc and fold=accents+case and ignorable=drop and scripts=cut"},
		{"max=9", "max=9,apostrophes=fold", "differ in apostrophes=fold"},
		{"stop=none", "stop=english", "differ in stop=none and stop=english"},
		{"max=9,apostrophes=fold", "stop=none,apostrophes=fold", "differ in max=9 and stop=english and max=255 and stop=none"},
	} {
		fs := memfs.New()
		made := newAnalyzer(t, "english", tt.made)
		w := mustOpen(t, fs, Options{Analyzer: made})
		if err := errors.Join(w.Add(ctx, doc("a", "The dog’s")), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		w, err := OpenFS(ctx, fs, Options{Analyzer: newAnalyzer(t, "english", tt.asked)})
		if tt.differ != "" {
			if !errors.Is(err, ErrAnalyzer) || !strings.HasSuffix(err.Error(), tt.differ) {
				t.Errorf("%s opened with %q: %v, want %q", made, tt.asked, err, tt.differ)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s opened with %q: %v", made, tt.asked, err)
			continue
		}
		if got := w.Analyzer().Options(); got != made.Options() {
			t.Errorf("%s opened with %q: it has %s", made, tt.asked, got)
		}
		if err := errors.Join(w.Add(ctx, doc("b", "The dog’s")), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		got := dump(t, fs)
		if len(got) != 2 {
			t.Fatalf("%d documents", len(got))
		}
		if a, b := got[0], got[1]; a.len != b.len || !maps.Equal(a.terms, b.terms) {
			t.Errorf("%s opened with %q: documents %+v", made, tt.asked, got)
		}
	}
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Analyzer: newAnalyzer(t, "standard", "")})
	if err := errors.Join(w.Add(ctx, doc("a", "b")), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFS(ctx, fs, Options{Analyzer: newAnalyzer(t, "english", "")}); !errors.Is(err, ErrAnalyzer) {
		t.Errorf("an analyzer of another name: %v", err)
	}
}

// Indexes with and without an option are not merged, whichever is first and whatever is
// asked for.
func TestMergeRefusesOtherOptions(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	var dirs []string
	for _, options := range []string{"max=255,stop=english", "max=255,stop=english,apostrophes=fold"} {
		dir := filepath.Join(root, options)
		dirs = append(dirs, dir)
		w, err := Open(ctx, dir, Options{Analyzer: newAnalyzer(t, "english", options)})
		if err := errors.Join(err, w.Add(ctx, doc("x", "dog’s")), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		// The default options stand for those of the first source.
		alone := filepath.Join(root, "alone"+options)
		if _, err := MergeInto(ctx, alone, dirsAt(dir), Options{Analyzer: newAnalyzer(t, "english", "")}, MergeOptions{}); err != nil {
			t.Errorf("%s merged: %v", options, err)
		} else if s, _, err := schemaAt(alone); err != nil || s.Fields[0].Options != options {
			t.Errorf("%s merged has %+v, %v", options, s, err)
		}
	}
	for _, a := range []analysis.Analyzer{nil, newAnalyzer(t, "english", ""), newAnalyzer(t, "english", "max=255")} {
		for range 2 {
			_, err := MergeInto(ctx, filepath.Join(root, "out"), dirsAt(dirs...), Options{Analyzer: a}, MergeOptions{})
			if !errors.Is(err, ErrAnalyzer) || !strings.HasSuffix(err.Error(), "differ in apostrophes=fold") {
				t.Errorf("merging %s with analyzer %v: %v", dirs, a, err)
			}
			slices.Reverse(dirs)
		}
	}
}
