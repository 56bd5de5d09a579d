package idxinspect

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
)

// TestExportInterrupted checks that an interrupted export ends and leaves nothing.
func TestExportInterrupted(t *testing.T) {
	dir := t.TempDir()
	add(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{}, {"--gzip"}} {
		out := t.TempDir()
		cmd := Command()
		cmd.SetArgs(append([]string{"export", dir, "--out", filepath.Join(out, "file")}, args...))
		cmd.SetErr(io.Discard)
		if err := cli.Execute(ctx, cmd); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", args, err)
		}
		if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
			t.Errorf("%v: %v, %v", args, left, err)
		}
	}
}
