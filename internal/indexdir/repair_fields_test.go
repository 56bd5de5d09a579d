package indexdir_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A segment that has lost META and FIELDS enters a rebuilt index whole, if a manifest or another segment tells what fields there
// are.
func TestRebuildDescription(t *testing.T) {
	ctx := context.Background()
	mem := memfs.New()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Positions: true, Stored: true},
		{Name: "tag", Kind: schema.Keyword, Column: true},
		{Name: "size", Kind: schema.Integer, Column: true, Stored: true},
		{Name: "body", Kind: schema.Text, Lengths: schema.LengthsByte},
		{Name: "vector", Kind: schema.Impacts, Scale: 0.5},
	}}
	w, err := writer.OpenFS(ctx, mem, writer.Options{Schema: s, Memory: writer.MinMemory, Threads: 1, MergePolicy: writer.NoMerges})
	for i := 0; i < 200 && err == nil; i++ {
		err = w.Add(ctx, writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{
			schema.TextValue(0, fmt.Appendf(nil, "the title of document %d", i)), schema.KeywordValue(1, fmt.Append(nil, "tag", i%7)), schema.IntegerValue(2, int64(i)),
			schema.TextValue(3, fmt.Appendf(nil, "body %d of a document with %d words or so", i, i%50)),
			schema.ImpactsValue(4, []schema.Impact{{Term: fmt.Sprint("x", i%9), Weight: uint8(1 + i%200)}})}})
		if i%100 == 99 && err == nil {
			err = w.Commit(ctx)
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	good := files(t, mem)
	segments := byPrefix(good, "segment")
	if len(segments) != 2 {
		t.Fatalf("segments %v", segments)
	}
	for _, c := range []struct {
		name                string
		manifests, segments bool // that are left, besides the damaged one
		live                uint64
	}{{"manifests", true, true, 200}, {"another segment", false, true, 200}, {"nothing", false, false, 0}, {"manifests alone", true, false, 100}} {
		content := good
		if !c.manifests {
			content = withoutManifests(good)
		}
		mem := memfs.New()
		for name, b := range content {
			b := []byte(b)
			if name == segments[0] {
				h, err := format.ParseHeader(name, int64(len(b)), b[:min(len(b), format.PageSize)], b[len(b)-format.FooterSize:])
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range []format.SectionID{format.SectionMeta, format.SectionFields} {
					sec, _ := h.Section(id)
					clear(b[sec.Offset:sec.End()])
				}
			}
			if c.segments || name != segments[1] {
				mem.Put(name, b)
			}
		}
		r, err := rebuild(mem)
		switch {
		case c.live == 0:
			if err == nil && r.Live() > 0 {
				t.Errorf("%s: %d documents", c.name, r.Live())
			}
		case err != nil || r.Live() != c.live || len(r.Dropped) > 0:
			t.Errorf("%s: %v, dropped %v", c.name, err, r)
		}
	}
}
