package idxinspect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/segment"
)

// fieldFlag adds the flag that names a field.
func fieldFlag(cmd *cobra.Command, field *string) {
	cmd.Flags().StringVar(field, "field", "", "`NAME` of the field whose terms these are, in an index with a schema")
}

// errField ends a command that needs a field.
var errField = errors.New("the terms of an index with a schema are those of its fields")

// choose makes the field of that name the one that terms are of: "" without a schema.
func (x *index) choose(name string) error {
	if !x.hasSchema() {
		if name != "" {
			return fmt.Errorf("no field %s: the index has no schema", cli.Quote(name))
		}
		return nil
	}
	var names []string
	for _, f := range x.fields() {
		if f.name == name {
			x.field = f.id
			return nil
		}
		names = append(names, cli.Quote(f.name))
	}
	if name == "" {
		return fmt.Errorf("%w; name one with --field: %s", errField, strings.Join(names, ", "))
	}
	return fmt.Errorf("no field %s; there are %s", cli.Quote(name), strings.Join(names, ", "))
}

// hasSchema reports whether there are fields to choose from.
func (x *index) hasSchema() bool {
	if x.manifest != nil {
		return x.manifest.Schema != nil
	}
	return len(x.segs) > 0 && x.segs[0].Meta().Fields > 0
}

// namedField is a field of an index.
type namedField struct {
	name string
	id   uint32
}

// fields returns the fields of the schema, or of a file by itself.
func (x *index) fields() (all []namedField) {
	if x.manifest != nil {
		for _, f := range x.manifest.Schema.Fields {
			all = append(all, namedField{f.Name, f.ID})
		}
		return all
	}
	for _, f := range x.segs[0].Fields() {
		all = append(all, namedField{f.Name, f.ID})
	}
	return all
}

// lookup returns the entry of a term in the field that was chosen.
func (x *index) lookup(g *seg, term []byte) (e segment.Entry, ok bool, err error) {
	f, ok := g.FieldByID(x.field)
	switch {
	case !ok && x.field == 0:
		return e, false, errField
	case !ok:
		return e, false, nil
	}
	return g.Field(f).Lookup(term)
}
