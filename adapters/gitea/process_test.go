package gitea_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/adapters/gitea"
	"github.com/pinion-index/pinion/store"
)

// helper is the environment variable that names the directory which the test program is to search, instead of testing.
const helper = "PINION_GITEA_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helper); dir != "" {
		if err := answer(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// answer writes the total of a search for each keyword it reads.
func answer(dir string) error {
	x, err := gitea.OpenReader(dir, gitea.Options{})
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		found, err := x.Search(context.Background(), gitea.Request{Keyword: in.Text()})
		if err != nil {
			return err
		}
		fmt.Println(found.Total)
	}
	return errors.Join(in.Err(), x.Close())
}

// Another process finds what was acknowledged, while this one goes on writing. A second writer is refused.
func TestOtherProcess(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	x := open(t, dir)
	defer x.Close()
	index(t, x, 1, "first", "none")
	other := exec.Command(os.Args[0], "-test.run=^$")
	other.Env = append(os.Environ(), helper+"="+dir)
	other.Stderr = os.Stderr
	in, err1 := other.StdinPipe()
	out, err2 := other.StdoutPipe()
	if err := errors.Join(err1, err2, other.Start()); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for i := range int64(12) {
		index(t, x, i, "a.go", "word", "b.go", "a word")
		if i == 10 {
			if err := x.Delete(ctx, 3); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintln(in, "word")
		if !answers.Scan() {
			t.Fatal("the other process has ended")
		}
		want := 2 * (i + 1)
		if i >= 10 {
			want -= 2
		}
		if got := answers.Text(); got != fmt.Sprint(want) {
			t.Errorf("after %d calls the other process finds %s", i+1, got)
		}
	}
	if err := errors.Join(in.Close(), other.Wait()); err != nil {
		t.Error(err)
	}
	if _, err := gitea.New(dir, gitea.Options{}).Init(ctx); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
}

// What calls acknowledged is there in a copy of the directory as it was then, as it is after a crash, and nothing of a call
// that has failed before its end.
func TestCrash(t *testing.T) {
	dir, at, ctx := t.TempDir(), t.TempDir(), context.Background()
	x := open(t, dir)
	index(t, x, 1, "a.go", "word", "b.go", "word")
	index(t, x, 2, "a.go", "word")
	index(t, x, 1, "a.go", "other word", "c.go", "word")
	err := x.Index(ctx, 5, "head", &gitea.Changes{Updates: []gitea.Update{git{}.put("x.go", "word"), {Filename: "y.go"}}}, git{})
	if !errors.Is(err, errNoBlob) {
		t.Errorf("a blob that is missing: %v", err)
	}
	if err := errors.Join(x.Delete(ctx, 2), os.CopyFS(at+"/copy", os.DirFS(dir)), x.Close()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, at + "/copy"} {
		x := open(t, dir)
		found, err := x.Search(ctx, gitea.Request{Keyword: "word", Take: 10})
		hits := searched(t, found, err)
		slices.Sort(hits)
		if want := []string{"1/a.go:word", "1/b.go:word", "1/c.go:word"}; !slices.Equal(hits, want) {
			t.Errorf("found %q", hits)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, err := range []error{x.Ping(ctx), x.Delete(ctx, 1), x.Index(ctx, 1, "", &gitea.Changes{}, nil), x.Close()} {
		if err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// An index without files, and one of another version, are populated anew.
func TestInit(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	init := func(want bool) *gitea.Indexer {
		t.Helper()
		t.Chdir(filepath.Dir(dir))
		x := gitea.New(filepath.Base(dir), gitea.Options{})
		t.Chdir(t.TempDir()) // the directory stays where it is
		if existed, err := x.Init(ctx); existed != want || err != nil {
			t.Fatalf("Init: %v, %v", existed, err)
		}
		if _, err := x.Init(ctx); err == nil {
			t.Error("opened twice")
		}
		return x
	}
	x := init(false)
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	x = init(false)
	index(t, x, 1, "a", "b")
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := init(true).Close(); err != nil {
		t.Error(err)
	}
	if err := os.Rename(filepath.Join(dir, "v2"), filepath.Join(dir, "v1")); err != nil {
		t.Fatal(err)
	}
	if err := init(false).Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(dir + "/*"); len(left) != 1 || err != nil {
		t.Errorf("left: %q, %v", left, err)
	}
	if _, err := gitea.OpenReader(t.TempDir(), gitea.Options{}); err == nil {
		t.Error("a directory without an index can be read")
	}
}

// Calls at the same time, of the Indexer that writes and of a Reader.
func TestConcurrent(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	x := open(t, dir)
	index(t, x, 0, "a", "b")
	r, err := gitea.OpenReader(dir, gitea.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type searcher interface {
		Search(context.Context, gitea.Request) (gitea.Found, error)
	}
	var wg sync.WaitGroup
	for w := range int64(3) {
		wg.Go(func() {
			for i := range 6 {
				repo, word := 1+w, fmt.Sprintf("word%d", i)
				index(t, x, repo, "a.go", word, "b.go", strings.Repeat("more ", i)+word)
				for _, s := range []searcher{x, r} {
					found, err := s.Search(ctx, gitea.Request{Keyword: word, RepoIDs: []int64{repo}, Take: 1})
					if err != nil || found.Total != 2 || len(found.Results) != 1 {
						t.Errorf("%s is not found once it was indexed: %v, %v", word, found, err)
					}
				}
				if i == 3 {
					if err := x.Delete(ctx, repo); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(x.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if _, err := r.Search(ctx, gitea.Request{Keyword: "a"}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
