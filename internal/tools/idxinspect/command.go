// Package idxinspect is the command idxinspect.
package idxinspect

import (
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
	"github.com/pinion-index/pinion/internal/tools/inspect"
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

// report is what a command prints.
type report = cli.Report

// command returns a subcommand that prints the report of run.
func command(use, short, long, example string, args []string, run func(cmd *cobra.Command, args []string) (report, error)) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: short + ".\n\n" + long, Example: example, Args: cli.Want(args...)}
	if long == "" {
		cmd.Long = short + "."
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := run(cmd, args)
		if r != nil {
			if perr := cli.Show(cmd, r); perr != nil {
				return perr
			}
		}
		return err
	}
	cmd.ValidArgsFunction = complete(use)
	cli.JSONFlag(cmd.Flags())
	return cmd
}

// reported returns a report, unless there is an error.
func reported[R report](r R, err error) (report, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// opened returns what f finds in the index at path.
func opened[R report](path string, f func(x *inspect.Index) (R, error)) (report, error) {
	var r R
	err := inspect.With(path, func(x *inspect.Index) (err error) {
		r, err = f(x)
		return err
	})
	return reported(r, err)
}

// withField is inspect.With for the terms of a field.
func withField(path, field string, f func(x *inspect.Index) error) error {
	return inspect.With(path, func(x *inspect.Index) error {
		if err := x.Choose(field); err != nil {
			return err
		}
		return f(x)
	})
}

// ofField is opened for the terms of a field.
func ofField[R report](path, field string, f func(x *inspect.Index) (R, error)) (report, error) {
	return opened(path, func(x *inspect.Index) (r R, err error) {
		if err = x.Choose(field); err == nil {
			r, err = f(x)
		}
		return r, err
	})
}
