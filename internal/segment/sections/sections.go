// Package sections lists the optional sections of segments: a new one is a row here, one in
// format.Sections, and a package.
package sections

import (
	"iter"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/columns"
	"github.com/pinion-index/pinion/internal/segment/frequent"
	"github.com/pinion-index/pinion/internal/segment/lists"
	"github.com/pinion-index/pinion/internal/segment/positions"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/segment/stored"
	"github.com/pinion-index/pinion/internal/segment/vectors"
)

// table has the rows in the order in which builders write those of a side.
var table = []*section.Section{
	&stored.Section,
	&lists.Section,
	&positions.Section,
	&frequent.Section,
	&columns.Section,
	&vectors.Section,
}

// tools has those of the rows of table.
var tools = []*section.Tools{
	&stored.Tools,
	&lists.Tools,
	&positions.Tools,
	&frequent.Tools,
	&columns.Tools,
	&vectors.Tools,
}

// Tools returns the tools of all rows, in the order of All.
func Tools() iter.Seq[*section.Tools] { return slices.Values(tools) }

// ToolsOf returns the tools of section id, or nil if it is not optional.
func ToolsOf(id format.SectionID) *section.Tools {
	for _, x := range tools {
		if slices.Contains(x.IDs, id) {
			return x
		}
	}
	return nil
}

// All returns the rows, in the order in which builders write those of a side.
func All() iter.Seq[*section.Section] { return slices.Values(table) }
