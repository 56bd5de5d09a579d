// Package stored has what builds, checks, shows and finds stored text: blocks of compressed
// text in section STORED, and STOREDINDEX, which locates them. Package segment reads it, and
// package chunks has the content of blocks with dictionaries.
package stored

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/section"
)

// Section is the row of stored text.
var Section = section.Section{
	IDs:      []format.SectionID{format.SectionStored, format.SectionStoredIndex},
	Straight: true,
	Build:    build,
	Check:    check,
	Work:     work,
}

// Tools is what dumps and salvage do with it.
var Tools = section.Tools{
	Section: &Section,
	Dump:    dump,
	Find:    find,
}
