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
	"github.com/pinion-index/pinion/schema"
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
		w := mustOpen(t, fs, Options{Schema: schema.Implicit(made.Name(), made.Options(), false)})
		if err := errors.Join(w.Add(ctx, doc("a", "The dog’s")), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		w, err := OpenFS(ctx, fs, Options{Schema: schema.Implicit("english", tt.asked, false)})
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
		if got := w.Schema().Fields[0].Options; got != made.Options() {
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
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("standard", "", false)})
	if err := errors.Join(w.Add(ctx, doc("a", "b")), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFS(ctx, fs, Options{Schema: schema.Implicit("english", "", false)}); !errors.Is(err, ErrAnalyzer) {
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
		w, err := Open(ctx, dir, Options{Schema: schema.Implicit("english", options, false)})
		if err := errors.Join(err, w.Add(ctx, doc("x", "dog’s")), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		// The default options stand for those of the first source.
		alone := filepath.Join(root, "alone"+options)
		if _, err := MergeInto(ctx, alone, dirsAt(dir), Options{Schema: schema.Implicit("english", "", false)}, MergeOptions{}); err != nil {
			t.Errorf("%s merged: %v", options, err)
		} else if s, _, err := schemaAt(alone); err != nil || s.Fields[0].Options != options {
			t.Errorf("%s merged has %+v, %v", options, s, err)
		}
	}
	for _, s := range []*schema.Schema{nil, schema.Implicit("", "", false), schema.Implicit("english", "", false), schema.Implicit("english", "max=255", false)} {
		for range 2 {
			_, err := MergeInto(ctx, filepath.Join(root, "out"), dirsAt(dirs...), Options{Schema: s}, MergeOptions{})
			if !errors.Is(err, ErrAnalyzer) || !strings.HasSuffix(err.Error(), "differ in apostrophes=fold") {
				t.Errorf("merging %s with schema %+v: %v", dirs, s, err)
			}
			slices.Reverse(dirs)
		}
	}
}
