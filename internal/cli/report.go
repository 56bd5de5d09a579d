package cli

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Report is what a command prints: its text, or with --json itself as JSON.
type Report interface{ Text(w io.Writer) }

// JSONFlag adds the flag --json, which Show and AsJSON follow.
func JSONFlag(fl *pflag.FlagSet) { fl.Bool("json", false, "print JSON instead of a table") }

// AsJSON reports whether --json is set.
func AsJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json")
	return on
}

// Show prints a report. On a terminal no line of its text is wider than that.
func Show(cmd *cobra.Command, r Report) error {
	if AsJSON(cmd) {
		return JSON(cmd.OutOrStdout(), r)
	}
	f := NewFolder(cmd.OutOrStdout())
	r.Text(f)
	return f.Flush()
}

// Shows returns a cobra.Command.RunE that prints the report of run.
func Shows[R Report](run func(cmd *cobra.Command, args []string) (R, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		r, err := run(cmd, args)
		if err != nil {
			return err
		}
		return Show(cmd, r)
	}
}
