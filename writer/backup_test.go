package writer

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// A backup has the newest commit, in a directory or elsewhere, and nothing that comes later.
func TestBackup(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	from, m := filepath.Join(dir, "idx"), model{stored: true}
	w, err := Open(ctx, from, Options{Schema: schema.Implicit("whitespace", "", true)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	m.docs = append(m.docs, show("a", "a rose", true))
	if err := errors.Join(w.Add(ctx, doc("a", "a rose")), w.Commit(ctx), w.Add(ctx, doc("b", "not committed"))); err != nil {
		t.Fatal(err)
	}
	for _, to := range []store.FS{store.Dir(filepath.Join(dir, "copy")), memfs.New()} {
		if err := Backup(ctx, to, store.Dir(from)); err != nil {
			t.Fatal(err)
		}
		m.check(t, to)
		if err := Backup(ctx, to, store.Dir(from)); err == nil {
			t.Errorf("%s: a second backup at the same place", to)
		}
	}
	for _, err := range []error{Backup(ctx, nil, store.Dir(from)), Backup(ctx, memfs.New(), nil)} {
		if !errors.Is(err, store.ErrInvalid) {
			t.Error(err)
		}
	}
	if err := Backup(ctx, memfs.New(), store.Dir(filepath.Join(dir, "none"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no index: %v", err)
	}
}
