package idxbench

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/internal/synth"
	"github.com/pinion-index/pinion/writer"
)

// TestSynthInterrupted checks that a run that fails leaves nothing, so that the next one with the
// same flags succeeds.
func TestSynthInterrupted(t *testing.T) {
	f := &synthFlags{spec: synth.DefaultSpec, madeFlags: madeFlags{memory: writer.MinMemory, codec: "auto", segments: 1, threads: 1}, count: 1}
	f.spec.Docs, f.spec.Terms = 1000, 100
	parent := filepath.Join(t.TempDir(), "made")
	f.out = filepath.Join(parent, "index")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.run(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if _, err := os.Stat(parent); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is left: %v", err)
	}
	if r, err := f.run(t.Context(), io.Discard); err != nil || r.Segments != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
