//go:build emu && cgo && !cuda

package gpubench

import (
	"context"
	"io"
	"testing"

	"github.com/pinion-index/pinion/gpuload"
)

// TestCheck runs Check with a few random queries on the emulator.
func TestCheck(t *testing.T) {
	dev, err := gpuload.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	b := &Bench{Device: dev, Log: io.Discard, Small: true, Seed: 5}
	m := checked
	defer func() { checked = m }()
	checked.Docs, checked.Terms, checked.RareHi, checked.CommonLo, checked.CommonHi = 4000, 60, 300, 300, 2500
	if err := b.Check(context.Background(), t.TempDir(), 40); err != nil {
		t.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
