package idxinspect

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/writer"
)

// add writes an index with a document.
func add(t *testing.T, dir string) {
	t.Helper()
	w, err := writer.Open(t.Context(), dir, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(t.Context(), writer.Text([]byte("1"), []byte("one"))), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestReportReplaced answers queries for a page when another index, whose commits have the
// same numbers, has taken the place of the one that the page shows.
func TestReportReplaced(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	add(t, dir)
	add(t, other)
	x, err := inspect.Open(dir, inspect.Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := errors.Join(os.Rename(dir, dir+".old"), os.Rename(other, dir)); err != nil {
		t.Skip(err) // Windows
	}
	b := &pageBuilder{path: dir}
	if err := b.trace(t.Context(), nil, x, nil); err == nil || !strings.Contains(err.Error(), "another index has taken the place") {
		t.Error(err)
	}
}
