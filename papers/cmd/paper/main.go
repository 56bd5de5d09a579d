// Paper draws the tables and figures of five papers with this machine's numbers beside the papers'.
package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
)

func main() { cli.Main(command()) }

type flags struct {
	out    string
	scale  string
	device *cli.Choice
	which  *cli.Choice
	record bool
	failed int // halves that could not be measured
	time   time.Duration
	json   bool
}

func command() *cobra.Command {
	f := &flags{device: cli.NewChoice("DEVICE", "auto", "cpu", "gpu", "emu", "recorded"), which: cli.NewChoice("HALF", "all", "cpu", "gpu", "own")}
	cmd := &cobra.Command{
		Use:   "paper [NAME...]",
		Short: "Draw the tables and figures of the papers",
		Long: `Draw tables and figures of the five papers with this machine's numbers beside the
papers', and judge the papers' claims. Without a NAME, list them; all draws all of
them, and a paper's name all of its own. Rows that this machine cannot measure come
from recorded runs, and say so.`,
		Example: `  go run ./papers/cmd/paper
  go run ./papers/cmd/paper ao-tab1 --scale 1/4
  go run ./papers/cmd/paper all --out figures
  go run ./papers/cmd/paper gpu`,
		Args: cli.Want("[NAME...]"),
		RunE: func(cmd *cobra.Command, names []string) error {
			f.json, _ = cmd.Flags().GetBool("json")
			if len(names) == 0 {
				return f.list(cmd)
			}
			return f.draw(cmd, names)
		},
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions(paperNames(), cobra.ShellCompDirectiveNoFileComp)
	cmd.Flags().SortFlags = false
	cmd.Flags().Bool("json", false, "print JSON instead of a table")
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "write NAME.svg, NAME.csv and NAME.json into `DIR`, and results.md if all are drawn")
	fl.StringVar(&f.scale, "scale", "auto", "`SHARE` of the papers' documents, as 1, 1/N or auto")
	fl.Var(f.device, "device", "what to measure: "+f.device.Words())
	fl.Var(f.which, "half", "which rows to measure: "+f.which.Words()+"; own: with the papers' own kernels")
	fl.BoolVar(&f.record, "record", false, "keep the runs in recorded below --out")
	fl.DurationVar(&f.time, "time", 200*time.Millisecond, "measure each figure for this `TIME`")
	cmd.AddCommand(gpuCommand())
	return cmd
}
