package lists

import (
	"context"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Columns adds the columns and vectors of fields, those of the output, to b, when its documents and lists are
// there. docs yields the documents in their new order. set says more of each source.
func Columns(ctx context.Context, b *build.Builder, fields []Field, segments []*segment.Segment, docs iter.Seq[build.ColumnRun], set func(source int, s *build.ColumnSource)) error {
	if !slices.ContainsFunc(fields, func(f Field) bool { return f.Column || f.Kind == schema.Vector }) {
		return nil
	}
	sources := make([]build.ColumnSource, len(segments))
	for i, s := range segments {
		of := make([]int, len(fields))
		for j := range fields {
			of[j] = -1
			if number, ok := fields[j].Number(i); ok {
				of[j] = number
			}
		}
		sources[i] = build.ColumnSource{Segment: s, Fields: of}
		set(i, &sources[i])
	}
	if err := build.CopyColumns(ctx, b, sources, docs); err != nil {
		return err
	}
	return build.CopyVectors(ctx, b, sources, docs)
}
