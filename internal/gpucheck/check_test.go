//go:build emu && cgo && !cuda

package main

import (
	"context"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/internal/gpu"
)

// TestDamage runs damages on the emulator, 500 times or as often as PINION_DAMAGE says.
// PINION_SEED gives other trials.
func TestDamage(t *testing.T) {
	n := 500
	if testing.Short() {
		n = 52
	}
	if v, err := strconv.Atoi(os.Getenv("PINION_DAMAGE")); err == nil {
		n = v
	}
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{device: dev, log: io.Discard, small: true, seed: 5}
	if v, err := strconv.ParseUint(os.Getenv("PINION_SEED"), 10, 64); err == nil {
		b.seed = v
	}
	if err := b.damages(context.Background(), t.TempDir(), n); err != nil {
		t.Fatal(err)
	}
	t.Log(b.rows)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestCheck runs checks with a few random queries on the emulator.
func TestCheck(t *testing.T) {
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{device: dev, log: io.Discard, small: true, seed: 5}
	if err := b.checks(context.Background(), t.TempDir(), 40); err != nil {
		t.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
