// Package sections lists the optional sections of segments: a new one is a row here, one in
// format.Sections, and a package.
package sections

import (
	"iter"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment/internal/lists"
	"github.com/pinion-index/pinion/segment/internal/section"
	"github.com/pinion-index/pinion/segment/internal/stored"
)

// table has the rows in the order in which builders write those of a side.
var table = []*section.Section{
	&stored.Section,
	&lists.Section,
}

// All returns the rows, in the order in which builders write those of a side.
func All() iter.Seq[*section.Section] { return slices.Values(table) }

// Of returns the row that has section id, or nil.
func Of(id format.SectionID) *section.Section {
	for _, x := range table {
		if slices.Contains(x.IDs, id) {
			return x
		}
	}
	return nil
}
