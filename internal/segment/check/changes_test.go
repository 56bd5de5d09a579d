package check_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Verification finds blocks that are no blocks of their values, and values of documents that were not changed.
func TestChanges(t *testing.T) {
	const docs = 9000
	r := rand.New(rand.NewPCG(5, 55))
	m := &segtest.Fields{}
	for i := range docs {
		m.IDs = append(m.IDs, string(rune(0x4000+i)))
	}
	f := segtest.FieldModel{Field: schema.Field{ID: 3, Name: "n", Kind: schema.Integer}, Lens: make([]uint32, docs)}
	f.RandomColumn(r, docs)
	m.Fields = append(m.Fields, f)
	s := segtest.Open(t, m.Build(t, segtest.Default()))
	with := func(content []byte) *segment.Segment {
		c, err := segment.ParseChanges("v", content, 0, s)
		if err != nil {
			t.Fatal(err)
		}
		return s.WithChanges(func(context.Context) (*segment.Changes, error) { return c, nil })
	}
	content, err := build.AppendChanges(nil, s, []build.Change{{Doc: 5, Values: []int64{-1, 1 << 40}}, {Doc: 8999}})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []check.Level{check.Checksums, check.Postings} {
		if err := check.Segment(t.Context(), with(content), check.Options{Level: level}); err != nil {
			t.Fatal(err)
		}
	}
	// Document 6 in the place of document 5, in the bitmap alone.
	other, err := build.AppendChanges(nil, s, []build.Change{{Doc: 6, Values: []int64{-1, 1 << 40}}, {Doc: 8999}})
	if err != nil {
		t.Fatal(err)
	}
	swapped := slices.Clone(content)
	bitmap := 3 + int(other[2]) // behind the number of columns, the field and a length
	copy(swapped[:bitmap], other[:bitmap])
	last := slices.Clone(content)
	last[len(last)-1] ^= 0x80
	for want, content := range map[string][]byte{"document 5 has other values": swapped, "not the bytes": last} {
		err := check.Segment(t.Context(), with(content), check.Options{})
		var e *format.Error
		if !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File != "v" || e.Section != "values" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
