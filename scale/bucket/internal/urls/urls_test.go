package urls

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/command"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket"
)

// run runs a command and returns what it prints.
func run(t *testing.T, cmd *cobra.Command, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%q: %v: %s", args, err, out.String())
	}
	return out.String()
}

// TestCommands builds, changes and merges an index in a bucket with the commands.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	url := "file:///" + filepath.ToSlash(dir) + "?prefix=index/"
	docs := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := docs("first.jsonl", `{"id":"1","contents":"one word"}`+"\n"+`{"id":"2","contents":"two words"}`+"\n")
	if out := run(t, command.Build(), "--out", url, first); !strings.Contains(out, url) {
		t.Errorf("the report does not name the URL: %s", out)
	}
	run(t, command.Build(), "--out", url, docs("second.jsonl", `{"id":"3","contents":"three words"}`+"\n"))
	run(t, command.Build(), "--out", url, "--delete", docs("ids", "1\n"))
	run(t, command.Build(), "--out", url, "--delete", docs("more", "2\n"), "--dry-run")
	run(t, command.Merge(), "--in-place", url)
	local := filepath.Join(dir, "local.idx")
	run(t, command.Merge(), "--out", local, url)

	x, err := bucket.OpenIndex(t.Context(), url, bucket.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	y, err := reader.Open(t.Context(), reader.Dir(local), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	for name, index := range map[string]*reader.Index{"bucket": x.Index, "directory": y} {
		s, err := index.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if st := s.Stats(); len(s.Segments()) != 1 || st.Docs != 2 {
			t.Errorf("%s: %d segments, %+v", name, len(s.Segments()), st)
		}
		for id, want := range map[string]bool{"1": false, "2": true, "3": true} {
			if _, ok, err := s.FindID([]byte(id)); err != nil || ok != want {
				t.Errorf("%s: document %s: %v, %v", name, id, ok, err)
			}
		}
		s.Close()
	}
}

// tree returns the names and contents of all files below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path] = ""
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What only reads an index at a URL writes nothing there: a dry run, of an index that is there or is not, and a merge of it into
// another one.
func TestReadsOnly(t *testing.T) {
	dir, here := t.TempDir(), t.TempDir()
	docs := filepath.Join(here, "docs.jsonl")
	if err := os.WriteFile(docs, []byte(`{"id":"1","contents":"one word"}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	url := func(name string) string { return "file:///" + filepath.ToSlash(filepath.Join(dir, name)) }
	none := tree(t, dir)
	if out := run(t, command.Build(), "--out", url("absent/index"), docs, "--dry-run"); !strings.Contains(out, "1 document") {
		t.Errorf("a dry run: %s", out)
	}
	if got := tree(t, dir); !maps.Equal(got, none) {
		t.Errorf("a dry run has written %q", slices.Sorted(maps.Keys(got)))
	}
	run(t, command.Build(), "--out", url("index"), docs)
	if err := os.RemoveAll(filepath.Join(dir, "index", "condition")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	run(t, command.Build(), "--out", url("index"), docs, "--dry-run")
	run(t, command.Merge(), "--out", filepath.Join(here, "local.idx"), url("index"))
	run(t, command.Query(), url("index"), "word")
	if got := tree(t, dir); !maps.Equal(got, before) {
		t.Errorf("there are %q, before %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(before)))
	}
	if _, err := reader.Open(t.Context(), reader.Dir(filepath.Join(here, "local.idx")), reader.Options{}); err != nil {
		t.Error(err)
	}
}

// commandIn makes a process of this test run a command: build or merge.
const commandIn = "PINION_URLS_COMMAND"

func TestMain(m *testing.M) {
	Register()
	switch os.Getenv(commandIn) {
	case "build":
		cli.Main(command.Build())
	case "merge":
		cli.Main(command.Merge())
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

// TestRace lets processes of idxbuild, with documents and deletes, and of idxmerge change one index at the same time. Each
// starts again after another one was first, and nothing is lost.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	url := "file:///" + filepath.ToSlash(dir) + "?prefix=index/"
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	doc := func(id string) string { return fmt.Sprintf(`{"id":%q,"contents":"a word of %s"}`+"\n", id, id) }
	first := doc("kept")
	for x := range 4 {
		first += doc(fmt.Sprint("old-", x))
	}
	run(t, command.Build(), "--out", url, file("first.jsonl", first))
	var all sync.WaitGroup
	start := func(which string, args ...string) {
		all.Go(func() {
			c := exec.Command(os.Args[0], args...)
			c.Env = append(os.Environ(), commandIn+"="+which)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%q: %v: %s", args, err, out)
			}
		})
	}
	for x := range 4 {
		docs := file(fmt.Sprintf("new-%d.jsonl", x), doc(fmt.Sprint("new-", x))+doc("shared"))
		start("build", "--out", url, "--delete", file(fmt.Sprint("ids-", x), fmt.Sprintf("old-%d\n", x)), docs)
	}
	start("merge", "--in-place", url)
	all.Wait()

	x, err := bucket.OpenIndex(t.Context(), url, bucket.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.Stats().Live; n != 6 {
		t.Errorf("%d documents, want 6", n)
	}
	for _, id := range []string{"kept", "shared", "new-0", "new-1", "new-2", "new-3"} {
		if _, ok, err := s.FindID([]byte(id)); err != nil || !ok {
			t.Errorf("%s: %v, %v", id, ok, err)
		}
	}
}

// TestQueriesOnDemand compares idxquery over a bucket with idxquery over the directory that is there: segments too
// long to be read whole when they are opened.
func TestQueriesOnDemand(t *testing.T) {
	dir := t.TempDir()
	url := "file:///" + filepath.ToSlash(filepath.Join(dir, "new", "bucket")) // which Checkout makes
	var docs, queries bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&docs, `{"id":"%d","contents":"w%d w%d w%d w%d of x%d"}`+"\n", i, i%7, i%1000, i*7919%5003, i*104_729%9001, i)
	}
	for i := range 20 {
		fmt.Fprintf(&queries, "%d\tw%d w%d of\n", i, i*31, i*4001%5003)
	}
	in, log, local := filepath.Join(dir, "docs.jsonl"), filepath.Join(dir, "log.tsv"), filepath.Join(dir, "local.idx")
	if err := errors.Join(os.WriteFile(in, docs.Bytes(), 0o666), os.WriteFile(log, queries.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	run(t, command.Build(), "--out", local, in)
	run(t, command.Build(), "--out", url, in)
	lines := func(index string) string {
		out := filepath.Join(dir, "run")
		run(t, command.Query(), index, "--queries", log, "--run", out)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want := lines(local)
	if got := lines(url); got != want || strings.Count(got, "\n") < 150 {
		t.Errorf("got %d bytes of hits, want %d", len(got), len(want))
	}
	if out := run(t, command.Query(), url, "--trace", "w1 of"); !strings.Contains(out, "request") {
		t.Errorf("no requests are traced: %s", out)
	}
	if out := run(t, command.Inspect(), "summary", "--json", url); strings.Contains(out, `"bytes": 0`) {
		t.Errorf("something has no bytes: %s", out)
	}
}
