package urls

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/tools/command"
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
	Register()
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
	y, err := reader.Open(local)
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

// TestQueriesOnDemand compares idxquery over a bucket with idxquery over the directory that is there: segments too
// long to be read whole when they are opened.
func TestQueriesOnDemand(t *testing.T) {
	Register()
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
