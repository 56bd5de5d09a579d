package store

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
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
	m := &Manifest{Generation: 300, NextFile: 70, Analyzer: "simple", AnalyzerOptions: "x", Segments: []SegmentInfo{
		{File: 7, ID: format.ID{1, 2}, Docs: 1000, Postings: 2000, Tokens: 3000, DeletesFile: 9, Deleted: 5, DeletedTokens: 20},
		{File: 69, ID: format.ID{3}, Docs: 1, Postings: 2, Tokens: 300},
	}}
	everyBit(t, "manifest", AppendManifest(nil, m), func(b []byte) bool {
		got, err := decodeManifest(b, 0)
		return err == nil && reflect.DeepEqual(got, m)
	})
}

func TestEveryBitOfDeletes(t *testing.T) {
	sparse := roaring.BitmapOf(3, 5, 70_000, 1<<20)
	dense := roaring.New()
	for i := range uint32(5000) {
		dense.Add(3 * i)
	}
	runs := roaring.New()
	runs.AddRange(10, 5000)
	mixed := roaring.Or(sparse, runs)
	mixed.AddRange(5<<16, 5<<16+100)
	mixed.Add(7 << 16)
	for what, bm := range map[string]*roaring.Bitmap{"sparse": sparse, "dense": dense, "runs": runs, "mixed": mixed} {
		b, err := appendDeletes(nil, bm)
		if err != nil {
			t.Fatal(err)
		}
		everyBit(t, what, b, func(b []byte) bool {
			got, err := decodeDeletes(bytes.Clone(b), 0, 1<<21)
			return err == nil && got.Equals(bm)
		})
	}
}
