package indexdir

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/schema"
)

// everyBit flips each bit of the content of a section and reads it. None may be passed over.
func everyBit(t *testing.T, what string, b []byte, same func(b []byte) bool) {
	t.Helper()
	if !same(b) {
		t.Fatalf("%s: not what was written", what)
	}
	for i := range 8 * len(b) {
		c := bytes.Clone(b)
		c[i/8] ^= 1 << (i % 8)
		if same(c) {
			t.Errorf("%s: bit %d of byte %d of %d is passed over", what, i%8, i/8, len(b))
		}
	}
}

func TestEveryBitOfManifests(t *testing.T) {
	first := &Manifest{Generation: 300, NextFile: 70, Schema: schema.Implicit("simple", "x", false), StoredUnknown: true, Segments: []SegmentInfo{
		{File: 7, ID: format.ID{1, 2}, Docs: 1000, Postings: 2000, Tokens: 3000, DeletesFile: 9, Deleted: 5, DeletedTokens: 20},
		{File: 69, ID: format.ID{3}, Docs: 1, Postings: 2, Tokens: 300},
	}}
	implicit := first.Clone()
	implicit.StoredUnknown, implicit.KeepCommits = false, 3
	implicit.Segments[0].DeletesID, implicit.Segments[0].FileLen, implicit.Segments[0].Tail = format.ID{5}, 1<<20, 1<<19
	for _, test := range []struct {
		what string
		m    *Manifest
		v    format.Version
	}{{"manifest of 0.2", first, version02}, {"manifest", implicit, version03}, {"manifest with a schema", schemaManifest(), version03}} {
		test.m.Version = test.v
		everyBit(t, test.what, appendManifest(nil, test.m, test.v), func(b []byte) bool {
			got, err := decodeManifest(b, 0, test.v)
			return err == nil && reflect.DeepEqual(got, test.m)
		})
	}
}

func TestEveryBitOfDeletes(t *testing.T) {
	longtest.Once(t)
	sparse := docset.BitsOf(3, 5, 70_000, 1<<20)
	dense := &docset.Bits{}
	for i := range uint32(5000) {
		dense.Add(3 * i)
	}
	runs := docset.NewBits(docset.Range(10, 5000))
	mixed := sparse.Clone()
	mixed.AddBits(runs)
	mixed.AddSet(docset.Range(5<<16, 5<<16+100))
	mixed.Add(7 << 16)
	for what, bm := range map[string]*docset.Bits{"sparse": sparse, "dense": dense, "runs": runs, "mixed": mixed} {
		everyBit(t, what, bm.AppendPortable(nil), func(b []byte) bool {
			got, err := decodeDeletes(bytes.Clone(b), 0, 1<<21)
			return err == nil && got.HasAll(bm) && bm.HasAll(got)
		})
	}
}
