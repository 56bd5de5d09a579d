// Package idxbench is the command idxbench.
package idxbench

import (
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
)

// Command returns the command.
func Command() *cobra.Command {
	cli.ShowGPU(idxquery.GPUName)
	root := &cobra.Command{
		Use:   "idxbench COMMAND",
		Short: "Measure codecs, indexes and queries",
		Long: `Idxbench measures the parts of the engine on this machine. Figures are for
one thread unless they say otherwise. Run it on an idle machine.`,
		Example: `  idxbench decode
  idxbench decode --index kjv.idx --codec bp128,ef
  idxbench query --index kjv.idx --queries topics.tsv
  idxbench build testdata/kjv.jsonl.gz
  idxbench open --index kjv.idx
  idxbench load --index kjv.idx --queries topics.tsv --rate 0,1000`,
	}
	root.AddCommand(decodeCommand(), intersectCommand(), queryCommand(), buildCommand(), openCommand(), loadCommand(), evalCommand(), synthCommand(), vectorsCommand(), recordsCommand(), gpuCommand())
	root.AddCommand(goneCommands()...)
	return root
}

// report prints text, or itself as JSON.
type report interface{ text(w io.Writer) }

// show prints r, as JSON if the flag --json is set.
func show(cmd *cobra.Command, r report) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		return cli.JSON(cmd.OutOrStdout(), r)
	}
	r.text(cmd.OutOrStdout())
	return nil
}

func jsonFlag(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().Bool("json", false, "print JSON instead of a table")
}

// times are measured durations.
type times []time.Duration

// at returns the duration that the given share of t does not exceed.
func (t times) at(share float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(int(share*float64(len(t))), len(t)-1)]
}

func (t times) mean() time.Duration {
	if len(t) == 0 {
		return 0
	}
	sum := time.Duration(0)
	for _, d := range t {
		sum += d
	}
	return sum / time.Duration(len(t))
}

func (t times) sort() { slices.Sort(t) }
