package indexdir_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

func backup(from store.ReadFS, to store.FS, o indexdir.BackupOptions) (indexdir.BackupStats, error) {
	d, _ := indexdir.OpenFS(from)
	defer d.Close()
	return d.Backup(context.Background(), to, o)
}

func TestBackup(t *testing.T) {
	from := store.Dir(t.TempDir())
	for name, c := range library(t) {
		f, err := from.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteAt([]byte(c), 0)
		f.Close()
	}
	for what, to := range map[string]store.FS{"links": store.Dir(t.TempDir()), "copies": store.Dir(t.TempDir()), "memory": memfs.New()} {
		stats, err := backup(from, to, indexdir.BackupOptions{Copy: what == "copies"})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if linked := stats.Linked == 6; linked != (what == "links") || stats.Linked+stats.Copied != 6 || stats.Generation != 5 {
			t.Errorf("%s: %+v", what, stats)
		}
		if _, err := backup(from, to, indexdir.BackupOptions{}); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("%s: backup into a directory that is not empty: %v", what, err)
		}
		if err := add(to, "later", 100, 101); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		want := libraryModel()
		want["d100"] = "later 100"
		if got, err := contents(to); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v", what, err, got)
		}
	}
	if got, err := contents(from); err != nil || !maps.Equal(got, libraryModel()) {
		t.Errorf("the source: %v, %v", err, got)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	d, _ := indexdir.OpenFS(from)
	defer d.Close()
	if _, err := d.Backup(cancelled, memfs.New(), indexdir.BackupOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A backup beside a writer, of this process and of another, is a commit of it.
func TestBackupBesideWriter(t *testing.T) {
	dir := t.TempDir()
	if err := add(store.Dir(dir), "one", 0, 50); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("", "", true), Memory: writer.MinMemory, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() { // every commit replaces all documents
		for n := 1; ; n++ {
			select {
			case <-stop:
				stopped <- w.Close()
				return
			default:
			}
			for i := range 50 {
				if err := w.Add(ctx, writer.Text(fmt.Appendf(nil, "d%d", i), fmt.Appendf(nil, "text %d", n))); err != nil {
					t.Error(err)
				}
			}
			if err := w.Commit(ctx); err != nil {
				t.Error(err)
			}
		}
	}()
	for i := range 12 {
		var from store.ReadFS = store.Dir(dir)
		if i%2 == 1 {
			from = memfs.Elsewhere(store.Dir(dir))
		}
		to := filepath.Join(t.TempDir(), "backup")
		if d, err := indexdir.Create(to); err != nil {
			t.Fatal(err)
		} else {
			d.Close()
		}
		if _, err := backup(from, store.Dir(to), indexdir.BackupOptions{Copy: i%4 < 2}); err != nil {
			t.Error(err)
			continue
		}
		got, err := contents(store.Dir(to))
		if err != nil || len(got) != 50 {
			t.Errorf("%d documents, %v", len(got), err)
		}
		for id, text := range got {
			if first := got["d0"]; text != first && (text != "one "+id[1:] || first != "one 0") {
				t.Errorf("documents of two commits: %q and %q", text, first)
			}
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// A backup that crashes or fails at any operation is whole or no index.
func TestBackupAtEveryOperation(t *testing.T) {
	from := directory(t, library(t))
	for i, done := 0, false; !done; i++ {
		for mode := range 5 {
			to := memfs.New()
			to.Inject(memfs.Fault{At: i, Err: errInjected, Sticky: mode < 4, Effect: mode == 1})
			_, err := backup(from, to, indexdir.BackupOptions{})
			done = done || to.Ops() <= i
			left := to
			if mode < 4 {
				left = to.CrashKeeping(rand.New(rand.NewPCG(uint64(i), uint64(mode))))
			}
			left.Heal()
			got, e := contents(left)
			if e == nil && !maps.Equal(got, libraryModel()) || e != nil && err == nil {
				t.Fatalf("operation %d, mode %d (%v): %v, %v", i, mode, err, e, got)
			}
		}
	}
}

// A backup that fails at any operation, or is cancelled at any file, leaves nothing.
func TestBackupUndone(t *testing.T) {
	from := directory(t, library(t))
	empty := func(what string, to store.FS) {
		t.Helper()
		names, err := to.List()
		if err != nil || slices.ContainsFunc(names, func(s string) bool { return s != indexdir.LockName }) {
			t.Errorf("%s: %v, %v", what, names, err)
		}
	}
	for i := 0; ; i++ {
		to := memfs.New()
		to.Inject(memfs.Fault{At: i, Err: errInjected})
		_, err := backup(from, to, indexdir.BackupOptions{})
		if to.Ops() <= i {
			break
		}
		to.Heal()
		if err != nil {
			empty(fmt.Sprintf("operation %d (%v)", i, err), to)
		}
	}
	d, _ := indexdir.OpenFS(from)
	defer d.Close()
	for i := range 6 {
		to := memfs.New()
		ctx, cancel := context.WithCancel(context.Background())
		files := 0
		_, err := d.Backup(ctx, to, indexdir.BackupOptions{Progress: func(int64, int64) {
			if files++; files == i {
				cancel()
			}
		}})
		cancel()
		if i == 0 && err != nil || i > 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at file %d: %v", i, err)
		}
		if i > 0 {
			empty(fmt.Sprintf("cancelled at file %d", i), to)
		}
	}
}
