// Package fuzzing executes fuzz targets in the process of the test, some ten times as often
// as go test -fuzz, which after each execution looks at the counters of every package
// compiled in, byte by byte, and starts a goroutine. A target that uses it is a fuzz target
// as any other; with the flag -executions its body is called in a loop, with mutations of
// the inputs kept:
//
//	go test -c -gcflags=github.com/...=-d=libfuzzer -gcflags=github.com/pinion-index/pinion/internal/fuzzing= ./fuzz
//	./fuzz.test -test.v -test.run '^FuzzSegment$' -executions 1000000 -corpus DIR
//
// The compiler flag makes coverage guide it, as that of libFuzzer does: an input that reaches
// a branch, or one in another order of magnitude of times, is kept and mutated further.
// Without the flag all mutations are those of the seeds, and the count says "unguided".
//
//	fuzzing.go   targets, flags
//	engine.go    the loop
//	mutate.go    mutations of inputs
//	corpus.go    inputs in files, as go test writes them
//	counters.go  coverage
package fuzzing

import (
	"flag"
	"reflect"
	"testing"
)

var (
	executions = flag.Int("executions", 0, "execute fuzz targets this often in this process")
	corpus     = flag.String("corpus", "", "folder for the inputs of -executions that reach something new, those of a target in a folder of its name")
	seed       = flag.Uint64("mutations", 1, "seed of the mutations of -executions")
)

// Target is a fuzz target. Bodies must release what they open themselves: with -executions
// the T of all calls is the same, so that its Cleanup and TempDir serve all of them at the end.
type Target struct {
	*testing.F
	seeds [][]any
}

// New returns the target that f is.
func New(f *testing.F) *Target { return &Target{F: f} }

// Add is testing.F's Add.
func (x *Target) Add(args ...any) { x.seeds = append(x.seeds, args) }

// Fuzz is testing.F's Fuzz.
func (x *Target) Fuzz(body any) {
	x.F.Helper()
	if *executions == 0 {
		for _, args := range x.seeds {
			x.F.Add(args...)
		}
		x.F.Fuzz(body)
		return
	}
	if len(x.seeds) == 0 {
		x.F.Fatal("the target has no seeds")
	}
	x.F.Add(x.seeds[0]...)
	begun := false
	typ := reflect.TypeOf(body)
	x.F.Fuzz(reflect.MakeFunc(typ, func(in []reflect.Value) []reflect.Value {
		if t := in[0].Interface().(*testing.T); !begun { // the other calls are for files in testdata
			begun = true
			newEngine(t, x.F.Name(), body, x.seeds).run(*executions)
		}
		return nil
	}).Interface())
}
