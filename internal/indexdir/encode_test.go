package indexdir

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// TestEncodeManifest: what is encoded is read back, and only what can be read is encoded.
func TestEncodeManifest(t *testing.T) {
	m := &Manifest{Version: format.Current(), Generation: 7, NextFile: 4, Schema: schema.Implicit("simple", "", false), KeepCommits: 1,
		Segments: []SegmentInfo{{File: 3, ID: format.ID{1}, Docs: 2, Postings: 2, Tokens: 5}}}
	b, err := EncodeManifest(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadManifest("manifest", &memory{b: b})
	if err != nil || got.Generation != 7 || len(got.Segments) != 1 || !got.Segments[0].Equal(m.Segments[0]) {
		t.Errorf("%+v, %v", got, err)
	}
	m.Segments[0].File = 4
	bare, scored := m.Clone(), m.Clone()
	bare.Segments, bare.Schema = nil, nil
	unknown := schemaManifest()
	unknown.StoredUnknown = true
	scored.Segments, scored.Schema.Fields[0].K1 = nil, 1
	for _, bad := range []*Manifest{nil, {}, m, bare, scored, unknown} {
		if _, err := EncodeManifest(bad); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
