// Build_index makes an index of the game's corpus, which it reads from standard input:
//
//	build_index [--order bp] DIR < corpus.json
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/pinion-index/pinion/adapters/search-benchmark-game/internal/game"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/writer"
)

func main() {
	order := flag.String("order", "input", "documents in the `ORDER` of their lines (input), or like ones together (bp)")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: build_index [--order input|bp] DIR < corpus.json")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *order != string(writer.OrderInput) && *order != string(writer.OrderBisection) {
		flag.Usage()
		os.Exit(2)
	}
	if err := game.Build(context.Background(), flag.Arg(0), exchange.Stdin, writer.Order(*order)); err != nil {
		fmt.Fprintln(os.Stderr, "build_index:", err)
		os.Exit(1)
	}
}
