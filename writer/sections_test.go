package writer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
)

// TestUnknownSection: a writer takes segments with an optional section of a later version,
// and merges leave the section out, with deleted documents and without.
// withoutLengths returns a manifest without the lengths of segments.
func withoutLengths(t *testing.T, name string, b []byte) []byte {
	if !strings.HasPrefix(name, "m") { // manifest and mirror
		return b
	}
	fs := memfs.New()
	fs.Put(name, b)
	data, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := indexdir.ReadManifest(name, data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Segments {
		m.Segments[i].FileLen, m.Segments[i].Tail = 0, 0
	}
	f, err := damage.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	f.Sections[0].Content = indexdir.AppendManifest(nil, m)
	return f.Bytes()
}

func TestUnknownSection(t *testing.T) {
	const unknown format.SectionID = 1000
	plain, m := twoSegments(t, 100)
	fs := copyFS(t, plain, func(name string, b []byte) []byte {
		if !strings.HasPrefix(name, "segment-") {
			return withoutLengths(t, name, b)
		}
		f, err := damage.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		f.Sections = append(f.Sections[:1:1], append([]damage.Section{{ID: unknown, Content: []byte("later")}}, f.Sections[1:]...)...)
		return f.Bytes()
	})
	for _, deleted := range []int{0, 3} {
		fs := copyFS(t, fs, func(_ string, b []byte) []byte { return b })
		w := mustOpen(t, fs, Options{})
		for i, s := range w.segments {
			if sec, ok := s.seg.Header().Section(unknown); !ok || sec.Length != 5 || s.seg.Name() != indexdir.SegmentName(uint64(i+1)) {
				t.Fatal(sec, s.seg.Name())
			}
		}
		for i := range deleted {
			if err := w.Delete(t.Context(), fmt.Appendf(nil, "%05d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Merge(t.Context(), MergeOptions{MaxSegments: 1}); err != nil {
			t.Fatal(err)
		}
		if len(w.segments) != 1 || int(w.segments[0].info.Docs) != len(m.docs)-deleted {
			t.Fatal(len(w.segments), w.segments[0].info)
		}
		if _, ok := w.segments[0].seg.Header().Section(unknown); ok {
			t.Error("the merged segment has the unknown section")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
