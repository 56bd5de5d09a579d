// Do_query answers the game's questions, which it reads from standard input, on standard output:
//
//	do_query DIR
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pinion-index/pinion/adapters/search-benchmark-game/internal/game"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: do_query DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "do_query:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	e, err := game.Open(dir)
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Serve(context.Background(), os.Stdin, os.Stdout, os.Stderr)
}
