package idxbench

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
)

// paperProgram draws the papers' tables and figures.
const paperProgram = "go run ./papers/cmd/paper"

// paperCommand names the program that took the place of idxbench paper.
func paperCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "paper [NAME...]",
		Short: "Name the program that draws the papers' tables and figures",
		Long: `The tables and figures of the papers are drawn by a program of its own, in
Pinion's sources: ` + paperProgram,
		Hidden:             true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(_ *cobra.Command, names []string) error {
			return moved("paper", strings.Join(append([]string{paperProgram}, names...), " "))
		},
	}
}

// moved is the error for what another program does now.
func moved(what, now string) error {
	return cli.Usage("idxbench %s is not there any more; in the root of Pinion's sources: %s", what, now)
}
