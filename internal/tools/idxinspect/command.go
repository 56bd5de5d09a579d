// Package idxinspect is the command idxinspect.
package idxinspect

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
)

// Command returns the command.
func Command() *cobra.Command {
	cli.ShowGPU(idxquery.GPUName)
	root := &cobra.Command{
		Use:   "idxinspect COMMAND INDEX",
		Short: "Show and check what an index holds",
		Long: `Idxinspect shows what a Pinion index holds, down to its bytes, and checks it.

INDEX is an index directory, or one of its segment files for all commands but
backup, explain --trace, export, repair and serve. Terms are not analyzed: give
them as the dictionary has them.

On a terminal no line is wider than that: heads and cells are wrapped or, marked
by …, shortened. In a pipe or a file everything is whole.`,
		Example: `  idxinspect summary kjv.idx
  idxinspect verify kjv.idx
  idxinspect terms --prefix shep kjv.idx
  idxinspect list kjv.idx shepherd
  idxinspect hexdump --term shepherd kjv.idx`,
	}
	root.AddCommand(summaryCommand(), verifyCommand(), reportCommand(), sectionsCommand(), sizesCommand(),
		columnsCommand(), termsCommand(), listCommand(), blocksCommand(), postingsCommand(), positionsCommand(), docsCommand(), statsCommand(),
		hexdumpCommand(), diffCommand(), explainCommand(), exportCommand(), gpuPlanCommand(), residencyCommand(),
		repairCommand(), backupCommand(), serveCommand())
	return root
}

// report is what a command prints: its text, or with --json its JSON form.
type report interface{ text(w io.Writer) }

// command returns a subcommand that prints the report of run.
func command(use, short, long, example string, args []string, run func(cmd *cobra.Command, args []string) (report, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: use, Short: short, Long: short + ".\n\n" + long, Example: example, Args: cli.Want(args...)}
	if long == "" {
		cmd.Long = short + "."
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := run(cmd, args)
		if r != nil {
			if perr := show(cmd.OutOrStdout(), r, asJSON); perr != nil {
				return perr
			}
		}
		return err
	}
	cmd.ValidArgsFunction = complete(use)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of a table")
	return cmd
}

func show(w io.Writer, r report, asJSON bool) error {
	if asJSON {
		return cli.JSON(w, r)
	}
	f := cli.NewFolder(w)
	r.text(f)
	return f.Flush()
}
