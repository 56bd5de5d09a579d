//go:build emu && cgo && !cuda

package gpubench

import (
	"context"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/gpuload"
)

// TestDamage runs Damage on the emulator, 500 times or as often as PINION_DAMAGE says.
// PINION_SEED gives other trials.
func TestDamage(t *testing.T) {
	n := 500
	if testing.Short() {
		n = 52
	}
	if v, err := strconv.Atoi(os.Getenv("PINION_DAMAGE")); err == nil {
		n = v
	}
	dev, err := gpuload.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	b := &Bench{Device: dev, Log: io.Discard, Small: true, Seed: 5}
	if v, err := strconv.ParseUint(os.Getenv("PINION_SEED"), 10, 64); err == nil {
		b.Seed = v
	}
	if err := b.Damage(context.Background(), t.TempDir(), n); err != nil {
		t.Fatal(err)
	}
	t.Log(b.Rows())
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestCheck runs Check with a few random queries on the emulator.
func TestCheck(t *testing.T) {
	dev, err := gpuload.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	b := &Bench{Device: dev, Log: io.Discard, Small: true, Seed: 5}
	if err := b.Check(context.Background(), t.TempDir(), 40); err != nil {
		t.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
