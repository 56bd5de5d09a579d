// Package idxbench is the command idxbench.
package idxbench

import (
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
	root.AddCommand(decodeCommand(), intersectCommand(), queryCommand(), buildCommand(), openCommand(), loadCommand(), evalCommand(), synthCommand(), vectorsCommand(), nearestCommand(), recordsCommand(), gpuCommand())
	root.AddCommand(goneCommands()...)
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false
	}
	return root
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
