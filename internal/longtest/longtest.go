// Package longtest says which tests, and which of their cases, run where.
//
// Plain go test takes at most 45 seconds of a processor for a package. What takes longer runs
// if PINION_LONG is set, as .ci/run sets it once.
package longtest

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// Enabled reports whether tests run in full.
func Enabled() bool { return os.Getenv("PINION_LONG") != "" }

// Only skips a test that takes long, unless tests run in full.
func Only(tb testing.TB) {
	tb.Helper()
	if !Enabled() {
		tb.Skip("takes long: PINION_LONG=1 runs it")
	}
}

// Count returns how many cases a test tries: long if tests run in full, otherwise usual.
func Count(usual, long int) int {
	if Enabled() {
		return long
	}
	return usual
}

// Checks has rapid.Check try usual random cases in this test instead of its 100, unless tests run in full or somebody
// has said how many. With -short, rapid tries a fifth: of 100, or of usual where Emulated.
func Checks(tb testing.TB, usual int) {
	tb.Helper()
	f := flag.Lookup("rapid.checks")
	if f == nil {
		tb.Fatal("the test does not use rapid")
	}
	given := f.Value.String()
	if Enabled() || testing.Short() && !Emulated() || given != "100" {
		return
	}
	set := func(n string) {
		if err := f.Value.Set(n); err != nil {
			tb.Error(err)
		}
	}
	set(strconv.Itoa(usual))
	tb.Cleanup(func() { set(given) })
}

// Once skips a test that takes seconds and finds nothing more under the race detector, since it keeps to
// one goroutine, or on another platform, since its code is the same on all.
func Once(tb testing.TB) {
	tb.Helper()
	if raced || Emulated() {
		tb.Skip("runs without the race detector on the platform of the build")
	}
}

// Slow reports whether programs are slow here, so that fewer cases have to do: under the race
// detector, with the tag invariants, and where Emulated.
func Slow() bool { return raced || checked || Emulated() }

// Emulated reports whether the processor is: this is WebAssembly, or PINION_EMULATED is set.
func Emulated() bool { return runtime.GOARCH == "wasm" || os.Getenv("PINION_EMULATED") != "" }

// NoEmulator skips a test that an emulator cannot run, and says why.
func NoEmulator(tb testing.TB, why string) {
	tb.Helper()
	if Emulated() {
		tb.Skip(why)
	}
}
