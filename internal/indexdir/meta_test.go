package indexdir_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// Every flipped bit of a manifest with keys and values is found, one whose front is lost is mended, with an ancestry or without, and
// keys and values that cannot be are refused.
func TestMetaInManifest(t *testing.T) {
	mem := memfs.New()
	commitsOf(t, mem, 2)
	name := indexdir.ManifestName(3)
	m, err := indexdir.DecodeManifest(name, []byte(files(t, mem)[name]))
	if err != nil {
		t.Fatal(err)
	}
	m.Meta = map[string]string{"table": strings.Repeat("row", 100), "other": "1", "\xff": "\x00"}
	for _, bare := range []bool{false, true} {
		if bare {
			m.Ancestry = format.Ancestry{}
		}
		raw, err := indexdir.EncodeManifest(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := indexdir.DecodeManifest(name, raw)
		if err != nil || !maps.Equal(back.Meta, m.Meta) {
			t.Fatalf("read back: %v, %v", back, err)
		}
		for i := range raw {
			bad := bytes.Clone(raw)
			bad[i] ^= 1 << (i % 8)
			if _, err := indexdir.DecodeManifest(name, bad); err == nil {
				t.Fatalf("byte %d: a flipped bit goes unnoticed", i)
			}
		}
		clear(raw[:128])
		other := memfs.New()
		write(t, other, name, string(raw))
		d, err := indexdir.OpenFS(other)
		if err != nil {
			t.Fatal(err)
		}
		inv, err := d.Inspect(context.Background(), nil, mending.Mend)
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		if mended := inv.Manifests[0].Manifest; mended == nil || !maps.Equal(mended.Meta, m.Meta) {
			t.Errorf("mended, without an ancestry %t: %+v", bare, inv.Manifests[0])
		}
	}
	for _, meta := range []map[string]string{{"": "x"}, {"k": ""}, {strings.Repeat("k", 256): "x"}, {"k": strings.Repeat("v", indexdir.MaxMeta)}} {
		m.Meta = meta
		if _, err := indexdir.EncodeManifest(m); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%.20v: %v", meta, err)
		}
	}
	m.Meta = map[string]string{"k": strings.Repeat("v", indexdir.MaxMeta-1)}
	raw, err := indexdir.EncodeManifest(m)
	if err == nil {
		_, err = indexdir.DecodeManifest(name, raw)
	}
	if err != nil {
		t.Errorf("as much as is possible: %v", err)
	}
}
