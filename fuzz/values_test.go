package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// FuzzValues reads any bytes as values of a segment that were changed in place: they are refused, or all that reads them ends with an error or
// a value.
func FuzzValues(x *testing.F) {
	f := fuzzing.New(x)
	s := changeable(x)
	good, err := build.AppendChanges(nil, s, []build.Change{{Field: 0, Doc: 5, Values: []int64{7, 9}}, {Field: 0, Doc: 4099}, {Field: 1, Doc: 3, Values: []int64{-4}}})
	if err != nil {
		x.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := segment.ParseChanges("v", b, 0, s)
		if err != nil {
			if !errors.Is(err, format.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		s := s.WithChanges(func(context.Context) (*segment.Changes, error) { return c, nil })
		sound := check.Changes(s)
		if sound != nil && !errors.Is(sound, format.ErrCorrupt) {
			t.Fatal(sound)
		}
		var values segment.ColumnValues
		for _, x := range c.Columns() {
			column, _, err := s.Field(x.Field()).Column()
			if err != nil {
				t.Fatal(err)
			}
			for _, number := range x.Blocks() {
				if err := column.Read(number, &values); sound == nil && err != nil {
					t.Fatal(err)
				}
			}
			for doc := range x.Docs() {
				if _, err := column.Append(nil, doc); sound == nil && err != nil {
					t.Fatal(err)
				}
			}
			if sound != nil {
				continue
			}
			// What is sound is what is written.
			again, err := build.AppendChanges(nil, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := segment.ParseChanges("v", again, 0, s.Original()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// changeable returns a segment of 5,000 documents with two columns of numbers.
func changeable(t segtest.TB) *segment.Segment {
	const docs = 5000
	r := rand.New(rand.NewPCG(1, 54))
	m := &segtest.Fields{}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	for i, name := range []string{"a", "b"} {
		f := segtest.FieldModel{Field: schema.Field{ID: uint32(i + 1), Name: name, Kind: schema.Integer}, Lens: make([]uint32, docs)}
		f.RandomColumn(r, docs)
		m.Fields = append(m.Fields, f)
	}
	return segtest.Open(t, m.Build(t, segtest.Default()))
}
