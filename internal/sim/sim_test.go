package sim

import (
	"flag"
	"os"
	"testing"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first world")
	seeds     = flag.Int("seeds", 10, "worlds to run")
	ops       = flag.Int("ops", 2000, "operations of a world")
	trace     = flag.Bool("trace", false, "write what happens to standard output")
)

// TestWorld runs worlds in a native build.
func TestWorld(t *testing.T) {
	var sum Result
	dense := 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*seeds); seed++ {
		c := Config{Seed: seed, Ops: *ops}
		if *trace {
			c.Trace = os.Stdout
		}
		res, err := Run(c)
		if err != nil {
			t.Fatal(err)
		}
		if res.Vectors > 0 {
			dense++
		}
		sum.Vectors += res.Vectors
		sum.Ops, sum.Lives, sum.Crashes = sum.Ops+res.Ops, sum.Lives+res.Lives, sum.Crashes+res.Crashes
	}
	t.Logf("%d operations, %d lives, %d crashes, %d vectors compared in %d worlds", sum.Ops, sum.Lives, sum.Crashes, sum.Vectors, dense)
}
