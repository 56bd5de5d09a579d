package dump_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/segment/dump"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

func small(t *testing.T) []byte {
	return segtest.Small().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true})
}

// The fields of a file explain each of its bytes exactly once, in order, and report no
// error.
func TestEveryByte(t *testing.T) {
	b := small(t)
	fields, err := dump.File("test.pin", segment.Aligned(b), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for _, f := range fields {
		if f.Length == 0 {
			continue
		}
		if f.Offset != at || !bytes.Equal(f.Bytes, b[at:at+f.Length]) {
			t.Fatalf("field %s at %d of %d bytes, the one before ends at %d", f.Name, f.Offset, f.Length, at)
		}
		at += f.Length
		for _, bad := range []string{"MALFORMED", "DAMAGED", "NOT ZERO", "OUT OF"} {
			if strings.Contains(f.Name+f.Value, bad) {
				t.Errorf("field %s at %d: %s", f.Name, f.Offset, f.Value)
			}
		}
	}
	if at != int64(len(b)) {
		t.Errorf("%d of %d bytes explained", at, len(b))
	}
}

// TestLazy checks that no checksum of a section is compared, and that of the header is.
func TestLazy(t *testing.T) {
	d := segment.Aligned(small(t))
	fields, err := dump.File("test.pin", d, dump.Options{Limit: 5, Lazy: true})
	if err != nil {
		t.Fatal(err)
	}
	skipped, compared := 0, 0
	for _, f := range fields {
		if strings.Contains(f.Name+f.Value, "not compared") {
			skipped++
		}
		if strings.HasSuffix(f.Value, ": ok") {
			compared++
		}
	}
	if skipped < 10 || compared < 2 {
		t.Errorf("%d checksums were skipped, %d compared", skipped, compared)
	}
}

func TestSectionsAndLimit(t *testing.T) {
	d := segment.Aligned(small(t))
	fields, err := dump.File("test.pin", d, dump.Options{Sections: []format.SectionID{format.SectionIDHash}, Limit: 5})
	if err != nil || len(fields) != 1+5+2 || fields[6].Name != dump.More {
		t.Fatalf("%d fields, %v", len(fields), err)
	}
}

func TestTerm(t *testing.T) {
	d := segment.Aligned(small(t))
	for term, want := range map[string]string{"hash": "freqs block 66", "small": "entry small", "tiny": "entry tiny"} {
		fields, err := dump.Term("test.pin", d, []byte(term), 0)
		found := false
		for _, f := range fields {
			found = found || f.Name == want
		}
		if err != nil || !found {
			t.Errorf("%s: no field %q among %d, %v", term, want, len(fields), err)
		}
	}
	if _, err := dump.Term("test.pin", d, []byte("nonesuch"), 0); !errors.Is(err, dump.ErrNoTerm) {
		t.Error(err)
	}
}

// A file of another kind may have sections of segments, which are not explained.
func TestSectionsOfSegments(t *testing.T) {
	f, err := damage.Parse(small(t))
	if err != nil {
		t.Fatal(err)
	}
	f.Kind = format.KindManifest
	fields, err := dump.File("test.pin", segment.Aligned(f.Bytes()), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for _, x := range fields {
		if x.Length > 0 && x.Offset != at {
			t.Fatalf("field %s at %d, the one before ends at %d", x.Name, x.Offset, at)
		}
		at += x.Length
	}
	if n := int64(len(f.Bytes())); at != n {
		t.Errorf("%d of %d bytes", at, n)
	}
}

// Damaged files are shown as far as possible, without a panic.
func TestDamage(t *testing.T) {
	good := small(t)
	r := rand.New(rand.NewPCG(3, 4))
	b := segment.Aligned(bytes.Clone(good))
	for i := range 300 {
		copy(b, good)
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
		}
		if i%2 == 0 {
			segtest.Repair(b)
		}
		dump.File("test.pin", b, dump.Options{Limit: 200})
		dump.Term("test.pin", b, []byte("hash"), 0)
	}
	for n := 0; n < len(good); n += 501 {
		if _, err := dump.File("test.pin", b[:n], dump.Options{Limit: 40}); err == nil {
			t.Fatalf("cut to %d bytes: no error", n)
		}
	}
}
