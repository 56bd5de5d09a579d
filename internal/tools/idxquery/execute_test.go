package idxquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/pinion-index/pinion/writer"
)

// TestInterrupted checks that a run whose queries come from a pipe ends with its context,
// whatever else comes, and leaves the file of an earlier run.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes have no names")
	}
	dir := t.TempDir()
	index, run := filepath.Join(dir, "index"), filepath.Join(dir, "runs", "out.run")
	w, err := writer.Open(t.Context(), index, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(t.Context(), writer.Text([]byte("a"), []byte("word"))), w.Commit(t.Context()), w.Close(),
		os.Mkdir(filepath.Dir(run), 0o777), os.WriteFile(run, []byte("earlier"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for i, flags := range [][]string{{"--run", run}, {"--run", run, "--threads", "3"}, {"--run", run, "--device", "hybrid"}, {"--json"}, {}, {}} {
		text, format := "1\tword\n", "tsv"
		if i == 5 {
			text, format = "", "auto" // the first bytes, which tell the format, never come
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cmd := Command()
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		cmd.SetArgs(append(flags, "--index", index, "--queries", fmt.Sprintf("/dev/fd/%d", r.Fd()), "--queries-format", format))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		done := make(chan error, 1)
		go func() { done <- cmd.ExecuteContext(ctx) }()
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%q: error %v", flags, err)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%q: does not end", flags)
		}
		w.Close()
		r.Close()
		got, err := os.ReadFile(run)
		files, _ := os.ReadDir(filepath.Dir(run))
		if err != nil || string(got) != "earlier" || len(files) != 1 {
			t.Errorf("%q: %q, %v, files %v", flags, got, err, files)
		}
	}
}
