// Package check verifies that segments obey format/FORMAT.md and that their parts agree with
// each other.
//
//	check.go      Segment: the order of the checks
//	options.go    levels, parts, options; what checks cost
//	damage.go     what is reported, and single flipped bits
//	verifier.go   a run: ranges checked by several goroutines, progress
//	checksums.go  checksums of pages and sections
//	fields.go     lengths; what FIELDS says of each field
//	documents.go  ids
//	optional.go   the sections of package internal/segment/sections
//	lists.go      the dictionary
//	extents.go    extents and their postings
//	changes.go    values that were changed in place
package check

import (
	"context"

	"github.com/pinion-index/pinion/segment"
)

// Segment checks s: its file, and the values that were changed in place. It returns the first fault in the order of Options.Report, an error of
// kind format.ErrCorrupt, or an error of reading or of ctx, which ends it.
func Segment(ctx context.Context, s *segment.Segment, o Options) error {
	m := s.Meta()
	v := &verifier{ctx: ctx, s: s.Original(), given: s, o: o, total: s.Header().FileLen}
	if v.o.Level == 0 {
		v.o.Level = Postings
	}
	checks := []func() error{v.checksums}
	if v.o.Level >= Structure {
		v.perPosting = postingWork
		if v.o.Level == Postings {
			v.perPosting = decodedWork
		}
		v.total += v.perPosting*int64(m.Postings) + docWork*int64(m.Docs) + v.optionalWork()
		checks = append(checks, v.padding)
		for i, check := range []func() error{v.lengths, v.lists, v.ids, v.optional} {
			if o.Parts == 0 || o.Parts&(1<<i) != 0 {
				checks = append(checks, check)
			}
		}
	}
	for _, check := range append(checks, v.changes) {
		if err := v.guard(check); err != nil {
			return err
		}
		v.flush()
	}
	if err := v.Step(v.total - v.done.Load()); err != nil {
		return err
	}
	return v.first
}
