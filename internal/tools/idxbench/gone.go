package idxbench

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
)

// paperProgram draws the papers' tables and figures.
const paperProgram = "go run ./papers/cmd/paper"

// goneCommands name the commands that took the place of others, which drew and measured what the papers describe.
func goneCommands() []*cobra.Command {
	return []*cobra.Command{
		goneCommand("paper", "draws the papers' tables and figures", ""),
		goneCommand("calibrate", "fits the times of queries as Ding 2009 does, and simulates a schedule by them", " ding-fig7"),
		goneCommand("steps", "measures single queries step by step on two processors, as Griffin 2018 does", " gpu --part steps"),
	}
}

// goneCommand names the program that does what a command did, and which of its figures. Arguments of paper are those
// of the program, too.
func goneCommand(name, does, figure string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "Name the program that " + does,
		Long:               "A program of its own, in Pinion's sources, " + does + ":\n" + paperProgram + figure,
		Hidden:             true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(_ *cobra.Command, args []string) error {
			now := paperProgram + figure
			if figure == "" {
				now = strings.Join(append([]string{now}, args...), " ")
			}
			return moved(name, now)
		},
	}
}

// goneFlags adds hidden flags that are not there any more, and returns their values.
func goneFlags(fl *pflag.FlagSet, names ...string) map[string]*string {
	values := map[string]*string{}
	for _, name := range names {
		values[name] = fl.String(name, "", "removed")
		_ = fl.MarkHidden(name) // it is there
	}
	return values
}

// moved is the error for what another program does now.
func moved(what, now string) error {
	return cli.Usage("idxbench %s is not there any more; in the root of Pinion's sources: %s", what, now)
}
