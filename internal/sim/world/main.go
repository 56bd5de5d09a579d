// World runs one world of package sim: world SEED OPERATIONS [trace]. It is built for
// wasip1 and run by internal/simhost.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/pinion-index/pinion/internal/sim"
)

func main() {
	seed, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	ops, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	var trace io.Writer
	if len(os.Args) > 3 {
		trace = os.Stdout
	}
	res, err := sim.Run(sim.Config{Seed: seed, Ops: ops, Trace: trace})
	fmt.Printf("%d operations, %d lives, %d crashes, trace %016x of %d events\n", res.Ops, res.Lives, res.Crashes, res.Hash, res.Events)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
