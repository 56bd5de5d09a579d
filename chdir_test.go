package pinion

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// An index that was opened by a relative path stays where it is when the process changes its working directory: for
// commits, merges, searches and backups, and for others that open the same directory.
func TestChdir(t *testing.T) {
	home, away := t.TempDir(), t.TempDir()
	t.Chdir(home)
	x := must(Open(ctx, "x.idx", Options{}))(t)
	watch := must(reader.Open(t.Context(), reader.Dir("x.idx"), reader.Options{}))(t)
	defer watch.Close()
	t.Chdir(away)
	for _, text := range []string{"a", "b", "c"} {
		if err := errors.Join(x.Add(ctx, Text(text, text+" rose")), x.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if err := x.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	if got := hits(t, x, "rose"); len(got) != 2 {
		t.Errorf("%d hits", len(got))
	}
	if err := x.Backup(ctx, "copy.idx"); err != nil {
		t.Fatal(err)
	}
	must(watch.Refresh(t.Context()))(t)
	if s := must(watch.Snapshot())(t); s.Stats().Live != 2 {
		t.Errorf("a reader sees %d documents", s.Stats().Live)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	there := must(Open(ctx, "copy.idx", Options{}))(t) // the same process, another place
	t.Chdir(home)
	if err := errors.Join(there.Add(ctx, Text("d", "rose")), there.Close(), x.Close()); err != nil {
		t.Fatal(err)
	}
	w := must(writer.Open(ctx, "x.idx", writer.Options{}))(t)
	t.Chdir(away)
	if err := w.Add(ctx, writer.Text([]byte("e"), []byte("rose"))); err != nil {
		t.Fatal(err)
	}
	_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
	if err = errors.Join(err, w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]uint64{filepath.Join(home, "x.idx"): 3, "copy.idx": 3} {
		r := must(reader.Open(t.Context(), reader.Dir(path), reader.Options{}))(t)
		s := must(r.Snapshot())(t)
		if n := s.Stats().Live; n != want {
			t.Errorf("%s has %d documents, want %d", path, n, want)
		}
		if err := errors.Join(s.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{home, away} {
		if entries := must(os.ReadDir(dir))(t); len(entries) != 1 {
			t.Errorf("%s has %v", dir, entries)
		}
	}
}
