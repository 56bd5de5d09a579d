package bucket

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/reader"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
)

func drawID(t *rapid.T, label string) (id format.ID) {
	copy(id[:], rapid.SliceOfN(rapid.Byte(), len(id), len(id)).Draw(t, label))
	return id
}

// TestKeys: a key says what it was made of, and no other spelling of it is one.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := object{kind: kind(rapid.IntRange(1, 4).Draw(t, "kind"))}
		switch want.kind {
		case kindManifest:
			want.generation = rapid.Uint64Range(1, format.MaxFileNumber).Draw(t, "generation")
		case kindSegment:
			want.segment = drawID(t, "segment")
		case kindDeletes, kindValues:
			want.segment, want.own = drawID(t, "segment"), drawID(t, "own")
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

// Files of a commit have the keys of the objects that their ids name, and a source opens no others.
func TestKeyOf(t *testing.T) {
	for key, f := range map[string]reader.CommitFile{
		segmentKey(format.ID{1}):               {Name: "a", Kind: format.KindSegment, Segment: format.ID{1}},
		deletesKey(format.ID{2}, format.ID{9}): {Name: "a", Kind: format.KindDeletes, Segment: format.ID{2}, Deletes: format.ID{9}},
		valuesKey(format.ID{2}, format.ID{9}):  {Name: "a", Kind: format.KindValues, Segment: format.ID{2}, Values: format.ID{9}},
		deletesKey(format.ID{2}, format.ID{}):  {Name: "a", Kind: format.KindDeletes, Segment: format.ID{2}},
	} {
		if got := keyOf(f); got != key {
			t.Errorf("%+v: %q, want %q", f, got, key)
		}
	}
	w := newWorld(t, 2, 20, lag.Model{})
	if got := objects(w.m); len(got) != 4 || got[2] != segmentKey(w.m.Files()[2].Segment) {
		t.Errorf("objects: %q", got)
	}
	s, err := NewSource(t.Context(), w.mem, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "other", "segment-000000000099.pin", reader.ManifestNames(1)[0], reader.ManifestNames(s.Generation())[1]} {
		if _, _, err := s.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, want that it does not exist", name, err)
		}
	}
}
