package ocis_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/adapters/ocis"
	"github.com/pinion-index/pinion/store"
)

// helper is the environment variable that names the directory which the test program is to search, instead of testing.
const helper = "PINION_OCIS_HELPER"

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

// answer writes the total of a search for each pattern it reads.
func answer(dir string) error {
	e, err := ocis.OpenReader(dir)
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		r, err := e.Search(context.Background(), ocis.Request{Query: []ocis.Node{name(in.Text())}})
		if err != nil {
			return err
		}
		fmt.Println(r.Total)
	}
	return errors.Join(in.Err(), e.Close())
}

func put(t *testing.T, e *ocis.Engine, i int) {
	t.Helper()
	if err := e.Upsert(fmt.Sprint(i), ocis.Resource{RootID: space, Path: "./x", Name: fmt.Sprintf("file%d.txt", i)}); err != nil {
		t.Error(err)
	}
}

// Another process finds what was acknowledged, while this one goes on writing. A second writer is refused.
func TestOtherProcess(t *testing.T) {
	dir := t.TempDir()
	e, err := ocis.Open(dir, ocis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	other := exec.Command(os.Args[0], "-test.run=^$")
	other.Env = append(os.Environ(), helper+"="+dir)
	other.Stderr = os.Stderr
	in, err1 := other.StdinPipe()
	out, err2 := other.StdoutPipe()
	if err := errors.Join(err1, err2, other.Start()); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for i := range 20 {
		put(t, e, i)
		if i == 10 {
			if err := e.Delete("3"); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintln(in, "file*")
		if !answers.Scan() {
			t.Fatal("the other process has ended")
		}
		want := i + 1
		if i >= 10 {
			want--
		}
		if got := answers.Text(); got != fmt.Sprint(want) {
			t.Errorf("after %d calls the other process finds %s", i+1, got)
		}
	}
	if err := errors.Join(in.Close(), other.Wait()); err != nil {
		t.Error(err)
	}
	if second, err := ocis.Open(dir, ocis.Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a second writer: %v, %v", second, err)
	}
}

// What calls acknowledged is there in a copy of the directory as it was then, as it is after a crash.
func TestCrash(t *testing.T) {
	dir, at := t.TempDir(), t.TempDir()
	e, err := ocis.Open(dir, ocis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		put(t, e, i)
	}
	if err := errors.Join(e.Delete("1"), e.Move("2", "", "./moved"), e.Purge("4"), os.CopyFS(at+"/copy", os.DirFS(dir))); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, at + "/copy"} {
		e, err := ocis.Open(dir, ocis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, dir, names(t, e, "*"), "file0.txt", "moved", "file3.txt")
		if n, err := e.DocCount(); n != 4 || err != nil {
			t.Errorf("%d resources, %v", n, err)
		}
		if err := errors.Join(e.Restore("1"), e.Close()); err != nil {
			t.Error(err)
		}
	}
	for _, err := range []error{e.Upsert("a", ocis.Resource{}), e.Purge("a"), e.Delete("a")} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// names returns the names that match a pattern, in the order of ids.
func names(t *testing.T, e *ocis.Engine, pattern string) (all []string) {
	t.Helper()
	r, err := e.Search(context.Background(), ocis.Request{Query: []ocis.Node{name(pattern)}})
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]string{}
	for _, m := range r.Matches {
		byID[m.ID] = m.Name
	}
	for i := range 100 {
		if n, ok := byID[fmt.Sprint(i)]; ok {
			all = append(all, n)
		}
	}
	return all
}

// Calls at the same time, of the Engine that writes and one that reads.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	e, err := ocis.Open(dir, ocis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ocis.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Upsert("top", ocis.Resource{RootID: space, Path: "./top", Name: "top", Type: ocis.Container}); err != nil {
		t.Fatal(err)
	}
	const each, writers = 8, 4
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				id := fmt.Sprint(w*each + i)
				if err := e.Upsert(id, ocis.Resource{RootID: space, Path: "./top/" + id, Name: id}); err != nil {
					t.Error(err)
				}
				for _, x := range []*ocis.Engine{e, r} {
					f, err := x.Search(context.Background(), ocis.Request{Query: []ocis.Node{is("id", id)}, RootID: space})
					if err != nil || f.Total != 1 {
						t.Errorf("%s is not found once it was added: %v, %v", id, f, err)
					}
				}
			}
		})
	}
	wg.Go(func() {
		for i := range each {
			if err := e.Move("top", "", fmt.Sprintf("./%d", i)); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if err := errors.Join(r.Upsert("a", ocis.Resource{}), r.Purge("a"), r.Move("a", "", ""), r.Load(nil)); !errors.Is(err, ocis.ErrReadOnly) || len(strings.Split(err.Error(), "\n")) != 4 {
		t.Errorf("the reader writes: %v", err)
	}
	if n, err := r.DocCount(); n != each*writers+1 || err != nil {
		t.Errorf("%d resources, %v", n, err)
	}
	if err := errors.Join(e.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if _, err := r.DocCount(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := ocis.OpenReader(t.TempDir()); err == nil {
		t.Error("a directory without an index can be read")
	}
}
