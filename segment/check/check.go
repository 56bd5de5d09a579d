// Package check verifies that segments obey format/FORMAT.md and that their parts agree with
// each other.
//
//	check.go      levels, checksums, the order of the checks
//	documents.go  lengths, ids and stored text
//	lists.go      the dictionary
//	extents.go    extents and their postings
package check

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// Level is how much Segment checks. Each level includes those below it.
type Level uint8

// The levels, from the most to the least thorough. The zero value checks everything.
const (
	// Postings decodes every posting and compares it with the metadata of its list.
	Postings Level = iota
	// Structure reads the dictionary, ids, lengths, stored text and the headers of
	// extents; it does not decode extents.
	Structure
	// Checksums compares the sections with their checksums.
	Checksums
)

// Options configure Segment. The zero value checks everything.
type Options struct {
	Level Level
	// Progress, if not nil, is called with increasing values of done, in arbitrary units.
	Progress func(done, total int64)
}

// Segment checks s and returns the first fault found, an error of kind format.ErrCorrupt,
// or an error of reading or of ctx.
func Segment(ctx context.Context, s *segment.Segment, o Options) error {
	m := s.Meta()
	v := &verifier{ctx: ctx, s: s, o: o, total: s.Header().FileLen}
	checks := []func() error{v.checksums}
	if o.Level <= Structure {
		v.total += int64(m.Postings) + 2*int64(m.Docs)
		checks = append(checks, v.padding, v.lengths, v.lists, v.ids, v.idHash, v.stored)
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return v.step(v.total - v.done)
}

type verifier struct {
	ctx         context.Context
	s           *segment.Segment
	o           Options
	done, total int64
	lens        segment.LengthTable
}

// step reports n more units done and returns the context's error.
func (v *verifier) step(n int64) error {
	v.done += n
	if v.o.Progress != nil {
		v.o.Progress(min(v.done, v.total), v.total)
	}
	return v.ctx.Err()
}

// checksums verifies the checksum of every section of the table, known or not.
func (v *verifier) checksums() error {
	for _, sec := range v.s.Header().Sections {
		if err := checksum(v.s, sec, v.step); err != nil {
			return err
		}
	}
	return nil
}

// padding checks that every section ends in zeros.
func (v *verifier) padding() error {
	for _, sec := range v.s.Header().Sections {
		b, err := v.s.Data().Range(sec.Offset+sec.Length, sec.PaddedLength()-sec.Length)
		if err != nil {
			return format.Locate(err, format.Place{File: v.s.Name(), Section: sec.ID.String(), Block: format.NoBlock})
		}
		if i := nonZero(b); i >= 0 {
			return v.s.Raw().Corrupt(sec.ID, sec.Length+int64(i), "padding is not zero")
		}
	}
	return nil
}

// Sections verifies the checksums of the sections that want accepts. Merges use it: their
// output has new checksums, which must not hide damage of the input.
func Sections(ctx context.Context, s *segment.Segment, want func(format.SectionID) bool) error {
	for _, sec := range s.Header().Sections {
		if !want(sec.ID) {
			continue
		}
		if err := checksum(s, sec, func(int64) error { return ctx.Err() }); err != nil {
			return err
		}
	}
	return nil
}

// chunk is how many bytes are checksummed between calls of step.
const chunk = 4 << 20

// checksum verifies the checksum of a section, and those of its pages first, which say
// where the damage is.
func checksum(s *segment.Segment, sec format.Section, step func(n int64) error) error {
	sum := xxhash.New()
	for off, left := sec.Offset, sec.PaddedLength(); left > 0; {
		n := min(left, chunk)
		b, err := s.Data().Range(off, n)
		if err != nil {
			return format.Locate(err, format.Place{File: s.Name(), Section: sec.ID.String(), Block: format.NoBlock})
		}
		if err := s.Raw().CheckPages(sec, off, b); err != nil {
			return err
		}
		sum.Write(b)
		off, left = off+n, left-n
		if err := step(n); err != nil {
			return err
		}
	}
	if sum.Sum64() != sec.Checksum {
		return s.Raw().Corrupt(sec.ID, 0, "section checksum does not match")
	}
	return nil
}
