package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// add commits documents to the index in dir and merges it to one segment, so that files
// of the commit before are removed.
func add(t *testing.T, dir string, ids ...string) {
	t.Helper()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: schema.Implicit("", "", true)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, id := range ids {
		if err := w.Add(t.Context(), writer.Text([]byte(id), []byte("every fresh "+id))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Merge(t.Context(), writer.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// recheckNow makes the next request look for a newer commit.
func (c *current) recheckNow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked = time.Time{}
}

func TestFollow(t *testing.T) {
	dir, other := build(t), build(t)
	s, err := New(Options{Index: dir, With: other, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	shows := func(path string, status int, want string) {
		t.Helper()
		got, body := get(t, h.URL+"/secret/"+path)
		if got != status || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, no %q", path, got, want)
		}
	}

	old, _ := s.main.use()
	add(t, dir, "late")
	s.main.checked = time.Now().Add(time.Hour)
	shows("doc?id=late", 404, "no document has the id")
	s.main.recheckNow()
	shows("doc?id=late", 200, "every fresh late")
	shows("search?q=fresh", 200, "late")
	shows("", 200, fmt.Sprintf("Commit %d.", s.main.source.Manifest.Generation))

	// A request that began before goes on with what it has.
	if g, doc, err := old.FindID("id-700"); err != nil || g.Base+doc != 700 {
		t.Errorf("the replaced commit: docID %d, %v", doc, err)
	}
	w, err := old.Weigh([]query.Term{{Text: "number7"}}, query.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if terms, _, err := w.Scores(old.Segs[0], 7); err != nil || terms[0].TF != 1 {
		t.Errorf("the replaced commit: %v, %v", terms, err)
	}
	s.main.done(old)
	if err := old.dir.Close(); err == nil {
		t.Error("the replaced commit is not closed")
	}

	add(t, other, "elsewhere")
	s.other.recheckNow()
	shows("compare?q=fresh", 200, "elsewhere")

	// Another index in the same place, with the same number of commits.
	generation := s.main.source.Manifest.Generation
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.main.recheckNow()
	shows("doc?id=late", 200, "what is newer does not open")
	for i := uint64(1); i < generation; i++ { // the first commit of a new index has number 2
		add(t, dir, fmt.Sprint("anew", i))
	}
	s.main.recheckNow()
	shows("doc?id=anew1", 200, "every fresh anew1")
	if got := s.main.source.Manifest.Generation; got != generation {
		t.Errorf("generation %d, want %d again", got, generation)
	}

	for _, name := range []string{indexdir.ManifestName(generation), indexdir.MirrorName(generation)} {
		flip(t, dir, name, 132)
	}
	s.main.recheckNow()
	shows("", 200, "This index is damaged")
}

// TestReplacedWhileOpening lets another index take the place of one whose files are open.
func TestReplacedWhileOpening(t *testing.T) {
	dir, other := build(t), build(t)
	x := &source{path: dir}
	defer x.close()
	var err error
	if x.Index, err = inspect.Open(dir, inspect.All); err != nil {
		t.Fatal(err)
	}
	defer x.Index.Close()
	if err := os.RemoveAll(dir); err != nil {
		t.Skip(err) // Windows
	}
	if err := os.Rename(other, dir); err != nil {
		t.Fatal(err)
	}
	if err := x.openSearcher(); !errors.Is(err, errOvertaken) {
		t.Errorf("%v, want %v", err, errOvertaken)
	}
}

// TestShownFilesRemain reads the pages of a commit whose files are gone.
func TestShownFilesRemain(t *testing.T) {
	dir := build(t)
	s, err := New(Options{Index: dir, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.main.checked = time.Now().Add(time.Hour)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	paths := []string{"", "search?q=every+number7", "list?term=every", "docs?from=600", "doc?id=id-700"}
	for _, f := range s.main.source.Files {
		paths = append(paths, "bytes?file="+f.Name, "bytes?off=0&file="+f.Name)
	}
	if len(s.main.source.Files) != 5 {
		t.Errorf("files: %+v", s.main.source.Files)
	}
	for _, path := range paths {
		if status, body := get(t, h.URL+"/secret/"+path); status != 200 {
			t.Errorf("%s: status %d: %s", path, status, body)
		}
	}
}

// TestFollowBusy reads pages while commits replace each other.
func TestFollowBusy(t *testing.T) {
	dir := build(t)
	s, err := New(Options{Index: dir, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s.main.recheckNow()
				for _, path := range []string{"search?q=every+number7", "list?term=every", "docs?from=600", "bytes"} {
					if status, body := get(t, h.URL+"/secret/"+path); status != 200 || strings.Contains(body, `role="alert"`) {
						t.Errorf("%s: status %d: %s", path, status, body)
					}
				}
			}
		})
	}
	for i := range 10 {
		add(t, dir, fmt.Sprint("late", i))
	}
	close(stop)
	wg.Wait()
	s.main.recheckNow()
	if status, _ := get(t, h.URL+"/secret/doc?id=late9"); status != 200 {
		t.Error("the last commit is not shown")
	}
	if s.main.source.users != 1 {
		t.Errorf("%d users are left", s.main.source.users)
	}
}

// TestWritesNothing checks that looking at an index leaves its files as they are.
func TestWritesNothing(t *testing.T) {
	dir := build(t)
	files := func() map[string]string {
		all := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			info, err2 := d.Info()
			if err = errors.Join(err, err2); err == nil {
				all[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := files()
	s, err := New(Options{Index: dir, With: dir, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	for _, path := range []string{"", "search?q=every", "terms", "list?term=every", "docs", "bytes", "compare?q=every", "verify"} {
		s.main.recheckNow()
		if status, _ := get(t, h.URL+"/secret/"+path); status != 200 {
			t.Errorf("%s: status %d", path, status)
		}
	}
	verifyAll(t, h)
	h.Close()
	s.Close()
	if after := files(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("files changed from\n%v\nto\n%v", before, after)
	}
}
