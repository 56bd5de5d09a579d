package idxmerge

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// change lets another process change the index in dir, and commit.
func change(t *testing.T, dir string, f func(w *writer.Writer) error) {
	t.Helper()
	w, err := writer.OpenFS(t.Context(), memfs.Elsewhere(store.Dir(dir)), writer.Options{MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f(w), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestOvertaken opens an index to be salvaged while another process replaces its files, and
// one of which a file is missing.
func TestOvertaken(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"one", "two"} {
		change(t, dir, func(w *writer.Writer) error {
			return w.Add(t.Context(), writer.Text([]byte(id), []byte(id)))
		})
	}
	d, err := indexdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s := &damaged{dir: d}
	defer s.closeParts()
	attempts := 0
	c, err := d.OpenLatest(func(c *indexdir.Commit) error {
		if attempts++; attempts == 1 {
			change(t, dir, func(w *writer.Writer) error {
				_, err := w.Merge(t.Context(), writer.MergeOptions{})
				return err
			})
		}
		return s.open(c)
	})
	if err != nil || attempts != 2 || len(s.parts) != 1 || s.parts[0].err != nil {
		t.Fatalf("attempt %d: %v, %+v", attempts, err, s.parts)
	}
	defer c.Release()

	// What a commit loses after it was opened is still there.
	name := indexdir.SegmentName(c.Segments[0].File)
	if err := store.Dir(dir).Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := indexdir.Guard(func() error { _, err := s.parts[0].seg.Documents().Length(1); return err }); err != nil {
		t.Error(err)
	}

	// Without a newer commit, the file is lost.
	if err := s.open(c); err != nil || !errors.Is(s.parts[0].err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, %+v", err, s.parts)
	}
}

// TestLaterSource copies two indexes of which the second cannot be copied.
func TestLaterSource(t *testing.T) {
	dir := t.TempDir()
	change(t, dir, func(w *writer.Writer) error {
		return w.Add(t.Context(), writer.Text([]byte("one"), []byte("one")))
	})
	opened, err := openDamaged([]string{dir, dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range opened {
		defer s.close()
	}
	opened[1].commit.Schema.Fields[0].Analyzer = "unheard-of"
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	cmd.SetOut(&out)
	f := &flags{out: filepath.Join(t.TempDir(), "out")}
	if err := f.copyAll(cmd, opened, writer.Options{}); !errors.Is(err, analysis.ErrUnknown) {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "documents  1\n") || !strings.Contains(out.String(), "nothing is lost") {
		t.Errorf("the report: %s", &out)
	}
	if err := exists(f.out); err != nil {
		t.Error(err)
	}
}
