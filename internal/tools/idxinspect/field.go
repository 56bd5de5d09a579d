package idxinspect

import (
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
)

// fieldFlag adds the flag that names a field.
func fieldFlag(cmd *cobra.Command, field *string) {
	cmd.Flags().StringVar(field, "field", "", "`NAME` of the field whose terms these are, in an index with a schema")
}

// inField returns a term for a text, with the name of its field, which is "" without a schema.
func inField(name, term string) string {
	if name == "" {
		return cli.Quote(term)
	}
	return cli.Printable(name) + ": " + cli.Quote(term)
}
