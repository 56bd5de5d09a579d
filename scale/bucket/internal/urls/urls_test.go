package urls

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/tools/command"
)

// TestCommands builds, changes and merges an index in a bucket with the commands.
func TestCommands(t *testing.T) {
	Register()
	dir := t.TempDir()
	url := "file:///" + filepath.ToSlash(dir) + "?prefix=index/"
	run := func(cmd *cobra.Command, args ...string) string {
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
	docs := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := docs("first.jsonl", `{"id":"1","contents":"one word"}`+"\n"+`{"id":"2","contents":"two words"}`+"\n")
	if out := run(command.Build(), "--out", url, first); !strings.Contains(out, url) {
		t.Errorf("the report does not name the URL: %s", out)
	}
	run(command.Build(), "--out", url, docs("second.jsonl", `{"id":"3","contents":"three words"}`+"\n"))
	run(command.Build(), "--out", url, "--delete", docs("ids", "1\n"))
	run(command.Build(), "--out", url, "--delete", docs("more", "2\n"), "--dry-run")
	run(command.Merge(), "--in-place", url)
	local := filepath.Join(dir, "local.idx")
	run(command.Merge(), "--out", local, url)

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
