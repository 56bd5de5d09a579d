package idxquery

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/writer"
)

// run runs idxquery.
func run(t *testing.T, args ...string) (code int, out, stderr string) {
	t.Helper()
	cmd := Command()
	var stdout, errs bytes.Buffer
	cmd.SetOut(&stdout)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	code = cli.ExitCode(cli.Execute(context.Background(), cmd))
	return code, stdout.String(), errs.String()
}

// TestFirstBuild asks while the first build of an index has not committed, and after that.
func TestFirstBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "i.idx")
	w, err := writer.Open(t.Context(), dir, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(t.Context(), writer.Text([]byte("a"), []byte("one two"))); err != nil {
		t.Fatal(err)
	}
	code, out, stderr := run(t, dir, "one")
	if code != cli.ExitOpen || out != "" || !strings.Contains(stderr, "i.idx: nothing has been committed yet: its first build is at work") {
		t.Errorf("before: exit code %d, %q, %q", code, out, stderr)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, out, stderr = run(t, dir, "one"); code != 0 || !strings.Contains(out, " a\n") {
		t.Errorf("after: exit code %d, %q, %q", code, out, stderr)
	}
	if code, out, stderr = run(t, dir, "three"); code != 0 || !strings.Contains(out, "the index does not have three") {
		t.Errorf("absent: exit code %d, %q, %q", code, out, stderr)
	}
}

// TestIsPiped: queries come from standard input without a flag if that is a pipe or a file.
func TestIsPiped(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if !isPiped(r) || !isPiped(file) || isPiped(null) {
		t.Errorf("pipe %v, file %v, null device %v", isPiped(r), isPiped(file), isPiped(null))
	}
}
