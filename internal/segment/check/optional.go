package check

import (
	"github.com/pinion-index/pinion/internal/segment/sections"
	"github.com/pinion-index/pinion/segment"
)

// optional checks the optional sections that the segment has.
func (v *verifier) optional() error {
	for row := range sections.All() {
		if _, ok := v.s.Header().Section(row.IDs[0]); !ok {
			continue
		}
		if err := row.Check(v); err != nil {
			return err
		}
	}
	return nil
}

// optionalWork returns what optional costs.
func (v *verifier) optionalWork() (n int64) {
	for row := range sections.All() {
		sec, _ := v.s.Header().Section(row.IDs[0])
		n += row.Work * sec.Length
	}
	return n
}

// Segment implements section.Verifier.
func (v *verifier) Segment() *segment.Segment { return v.s }

// Postings implements section.Verifier.
func (v *verifier) Postings() bool { return v.o.Level == Postings }

// Report implements section.Verifier.
func (v *verifier) Report(err error, length int64, docs [2]uint32) error {
	return v.report(err, Damage{Length: length, Docs: docs})
}
