// Slog indexes the lines of its input, each a document, and logs as JSON what the index tells of
// meanwhile: publications, commits, merges, newer states, slow searches, damage.
//
//	GOWORK=off go run . new.idx <lines.txt
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"

	"github.com/pinion-index/pinion"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: slog DIR <LINES")
		os.Exit(2)
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if err := run(log, os.Args[1], os.Stdin); err != nil {
		log.Error("failed", "err", err)
		os.Exit(1)
	}
}

func run(log *slog.Logger, dir string, lines io.Reader) error {
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{Observe: observe(log)})
	if err != nil {
		return err
	}
	defer index.Close()
	in := bufio.NewScanner(lines)
	for n := 1; in.Scan(); n++ {
		if err := index.Add(ctx, pinion.Text(strconv.Itoa(n), in.Text())); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	return index.Close()
}
