package bucket

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
)

func drawID(t *rapid.T, label string) (id format.ID) {
	copy(id[:], rapid.SliceOfN(rapid.Byte(), len(id), len(id)).Draw(t, label))
	return id
}

// TestKeys: a key says what it was made of, and no other spelling of it is one.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := object{kind: kind(rapid.IntRange(1, 3).Draw(t, "kind"))}
		switch want.kind {
		case kindManifest:
			want.generation = rapid.Uint64Range(1, format.MaxFileNumber).Draw(t, "generation")
		case kindSegment:
			want.segment = drawID(t, "segment")
		case kindDeletes:
			want.segment, want.deletes = drawID(t, "segment"), drawID(t, "deletes")
		}
		key := want.key()
		if got, ok := parseKey(key); !ok || got != want {
			t.Fatalf("%s: %+v, %v, want %+v", key, got, ok, want)
		}
		at := rapid.IntRange(0, len(key)-1).Draw(t, "at")
		for _, other := range []string{key[:at] + key[at+1:], key + ".tmp", key[:at] + "0" + key[at:], strings.ToUpper(key), "x/" + key} {
			if got, ok := parseKey(other); ok && other != key {
				t.Fatalf("%s: %+v, though it was made of %s", other, got, key)
			}
		}
	})
}

// TestNewestFirst: in a listing a newer manifest is before an older one.
func TestNewestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint64Range(1, format.MaxFileNumber).Draw(t, "a")
		b := rapid.Uint64Range(1, format.MaxFileNumber).Draw(t, "b")
		if (a < b) != (manifestKey(a) > manifestKey(b)) {
			t.Fatalf("%d is %s, %d is %s", a, manifestKey(a), b, manifestKey(b))
		}
	})
}

func TestForeignKeys(t *testing.T) {
	for _, key := range []string{"", ".pin", "manifests/", "manifests/.pin", "manifests/+000000000000001.pin", "segments/.pin",
		"deletes/" + strings.Repeat("0", 64) + ".pin", "manifests/001fffffffffffff.pin", "manifests/ffffffffffffffff.pin", "other/" + strings.Repeat("0", 32) + ".pin"} {
		if o, ok := parseKey(key); ok {
			t.Errorf("%q is %+v", key, o)
		}
	}
}

// TestKeyOf: names of package store lead to the keys of the same objects.
func TestKeyOf(t *testing.T) {
	m := &indexdir.Manifest{Segments: []indexdir.SegmentInfo{
		{File: 3, ID: format.ID{1}},
		{File: 5, ID: format.ID{2}, DeletesFile: 8, DeletesID: format.ID{9}},
	}}
	for name, want := range map[string]string{
		indexdir.SegmentName(3): segmentKey(format.ID{1}),
		indexdir.SegmentName(5): segmentKey(format.ID{2}),
		indexdir.DeletesName(8): deletesKey(format.ID{2}, format.ID{9}),
		indexdir.SegmentName(8): "", indexdir.DeletesName(0): "", "other": "",
	} {
		if got, ok := keyOf(m, name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, want)
		}
	}
	if got := objects(m); len(got) != 3 {
		t.Errorf("objects: %q", got)
	}
}
