package serve

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/indexdir"
)

// TestReplaced lets another index take the place of the one shown. Its commit has the same number
// and its manifest the same time, so that only the commit's id tells them apart.
func TestReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mapped files cannot be removed")
	}
	for name, replace := range map[string]func(at, by string) error{
		"rename": func(at, by string) error { return errors.Join(os.RemoveAll(at), os.Rename(by, at)) },
		"link":   func(at, by string) error { return errors.Join(os.Remove(at), os.Symlink(by, at)) },
		"copy":   func(at, by string) error { return errors.Join(os.RemoveAll(at), os.CopyFS(at, os.DirFS(by))) },
	} {
		dir, made := t.TempDir(), time.Now().Truncate(time.Second)
		at, first, second := filepath.Join(dir, "at"), filepath.Join(dir, "first"), filepath.Join(dir, "second")
		sameTime := func(dir string) {
			t.Helper()
			for _, name := range []string{indexdir.ManifestName(2), indexdir.MirrorName(2)} {
				if err := os.Chtimes(filepath.Join(dir, name), made, made); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, index := range []string{first, second} {
			add(t, index, filepath.Base(index))
			sameTime(index)
		}
		if err := os.Symlink(first, at); err != nil {
			t.Fatal(err)
		}
		s, err := New(Options{Index: at, Token: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		h := httptest.NewServer(s)
		shows := func(id string, status int) {
			t.Helper()
			s.main.recheckNow()
			got, body := get(t, h.URL+"/secret/doc?id="+id)
			if found := strings.Contains(body, "every fresh "+id); got != status || found != (status == 200) {
				t.Errorf("%s: document %s: status %d, want %d; its text is shown: %v", name, id, got, status, found)
			}
		}
		shows("first", 200)
		shows("second", 404)
		before := s.main.source.stamp
		if err := replace(at, second); err != nil {
			t.Fatal(err)
		}
		sameTime(at) // a copy's is its own
		shows("first", 404)
		shows("second", 200)
		if now := s.main.source.stamp; now.generation != before.generation || !now.changed.Equal(before.changed) || now.commit == before.commit {
			t.Errorf("%s: stamp %+v, before %+v: a test of something else", name, now, before)
		}
		h.Close()
		s.Close()
	}
}
