package idxinspect

import (
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/indexstats"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// fieldFlag adds the flag that names a field.
func fieldFlag(cmd *cobra.Command, field *string) {
	cmd.Flags().StringVar(field, "field", "", "`NAME` of the field whose terms these are, in an index with a schema")
}

// choose makes the field of that name the one that terms are of: "" without a schema.
func (x *index) choose(name string) (err error) {
	x.field, err = indexstats.ChooseField(x.fields(), name)
	return err
}

// fields returns the fields of the schema, or of a file by itself: none without a schema.
func (x *index) fields() []schema.Field { return indexstats.Fields(x.manifest, x.segments()) }

// lookup returns the entry of a term in the field that was chosen.
func (x *index) lookup(g *seg, term []byte) (e segment.Entry, ok bool, err error) {
	return indexstats.LookupIn(g.Segment, x.field, term)
}

// inField returns a term for a text, with the name of its field, which is "" without a schema.
func inField(name, term string) string {
	if name == "" {
		return cli.Quote(term)
	}
	return cli.Printable(name) + ": " + cli.Quote(term)
}
