// Pinion-model predicts how indexes in buckets and shards on nodes behave at sizes that nobody has at hand.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/bucket/internal/model"
)

func main() { cli.Main(command()) }

func command() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "pinion-model COMMAND",
		PersistentPreRunE: check,
		Short:             "Predict indexes in buckets, and nodes, of sizes that are not at hand",
		Long: `Pinion-model predicts how indexes in buckets and shards on nodes behave at sizes
that are not at hand: from what queries of an index of one segment read, which
trace records, and by simulation. docs/model.md says what is assumed.`,
	}
	cmd.AddCommand(traceCommand(), growCommand(), cacheCommand(), bucketCommand(), nodesCommand(), checkCommand())
	return cmd
}

func traceCommand() *cobra.Command {
	var most int
	cmd := &cobra.Command{
		Use:     "trace DIR QUERIES TRACE",
		Short:   "Record what queries read of an index of one segment",
		Long:    "Trace records what the queries in file QUERIES, lines of qid, tab and text, read\nof the index in DIR, in file TRACE.",
		Example: "  pinion-model trace kjv.idx log.tsv kjv.trace",
		Args:    cli.Want("DIR", "QUERIES", "TRACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			queries, err := readQueries(args[1], most)
			if err != nil {
				return err
			}
			t, err := model.Record(cmd.Context(), args[0], queries)
			if err != nil {
				return err
			}
			return cli.WriteFile(args[2], false, func(w io.Writer) error { return t.Write(w) })
		},
	}
	cmd.Flags().IntVar(&most, "most", 0, "at most `N` queries (default: all)")
	return cmd
}

// readQueries returns the texts of at most most queries, or all with 0.
func readQueries(name string, most int) (queries []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan() && (most == 0 || len(queries) < most); {
		_, text, ok := strings.Cut(s.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("%s: line %d is not qid, tab and text", name, len(queries)+1)
		}
		queries = append(queries, text)
	}
	return queries, nil
}

func readTrace(name string) (*model.Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer f.Close()
	t, err := model.ReadTrace(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
