package build

import (
	"io"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/segment/sections"
)

// optional is a row of optional sections that the segment is to have.
type optional struct {
	row *section.Section
	b   section.Builder
	out map[format.SectionID]*stream // what is not written straight
}

// beginOptional begins the optional sections.
func (b *Builder) beginOptional(o section.Options) {
	for row := range sections.All() {
		if row.Build == nil {
			continue
		}
		x := &optional{row: row, out: map[format.SectionID]*stream{}}
		x.b = row.Build(o, func(id format.SectionID) io.Writer {
			if row.Straight && id == row.IDs[0] {
				return b.buf
			}
			s := b.newStream()
			x.out[id] = &s
			return &s
		})
		if x.b != nil {
			b.optional = append(b.optional, x)
		}
	}
}

// straight returns the section that is written while documents are added, or 0.
func (b *Builder) straight() format.SectionID {
	for _, x := range b.optional {
		if x.row.Straight {
			return x.row.IDs[0]
		}
	}
	return 0
}

// endOptional ends the optional sections and returns those that are still to be written.
func (b ending) endOptional() (parts []part, err error) {
	for _, x := range b.optional {
		has, err := x.b.Finish()
		if err != nil {
			return nil, err
		}
		for _, id := range x.row.IDs {
			if s := x.out[id]; s != nil && has {
				parts = append(parts, part{id, b.copies(s)})
			}
		}
	}
	if b.straight() != 0 {
		err = b.endSection()
	}
	return parts, err
}
