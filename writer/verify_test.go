package writer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// twoSegments is an index of two segments of n documents each, and what it holds.
func twoSegments(t *testing.T, n int) (*memfs.FS, model) {
	t.Helper()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", true)})
	m := model{stored: true}
	for range 2 {
		for range n {
			id, text := fmt.Sprintf("%05d", len(m.docs)), "often "+strings.Repeat("more ", len(m.docs)%7)
			m.docs = append(m.docs, show(id, text, true))
			if err := w.Add(t.Context(), doc(id, text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fs, m
}

// restamp changes the content of a section of the first segment and recomputes all
// checksums.
func restamp(t *testing.T, fs store.FS, id format.SectionID, change func(content []byte)) *memfs.FS {
	t.Helper()
	return copyFS(t, fs, func(name string, b []byte) []byte {
		if name != indexdir.SegmentName(1) {
			return b
		}
		h, err := format.ParseFile("", b)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := h.Section(id)
		change(b[s.Offset : s.Offset+s.Length])
		resum(t, b)
		return b
	})
}

// listOf returns the list of a term in the first segment.
func listOf(t *testing.T, fs store.FS, term string) segment.List {
	t.Helper()
	w := mustOpen(t, fs, Options{})
	defer w.Close()
	e, ok, err := w.segments[0].seg.Lists().Lookup([]byte(term))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	l, err := w.segments[0].seg.Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	return *l
}

// A merge refuses segments whose parts contradict each other though every checksum
// matches, says where, and leaves the index as it is.
func TestMergeRefuses(t *testing.T) {
	fs, _ := twoSegments(t, 2500)
	often := listOf(t, fs, "often")
	for _, c := range []struct {
		name    string
		section format.SectionID
		change  func(b []byte)
		where   []string
	}{
		{"entry of an id", format.SectionIDHash, func(b []byte) { b[1000] ^= 0xff }, []string{"id-hash"}},
		{"count of a bucket", format.SectionIDHash, func(b []byte) { b[len(b)-100] ^= 1 }, []string{"id-hash"}},
		{"start of a bucket", format.SectionIDHash, func(b []byte) { b[len(b)-4]++ }, []string{"id-hash"}},
		{"length of a document", format.SectionDocLengths, func(b []byte) { b[7]++ }, []string{"doc-lengths"}},
		{"id", format.SectionIDs, func(b []byte) { b[len(b)/2] ^= 1 }, []string{"id-hash"}},
		{"key of a dictionary block", format.SectionTermIndex, func(b []byte) { b[0] ^= 1 }, []string{"term-index"}},
		{"reserved bytes of an extent", format.SectionPostings, func(b []byte) {
			ext := b[often.Entry().Offset:][:len(often.Extent())]
			for _, p := range often.Layout() {
				if p.Name == "kth-impacts" {
					ext[p.Offset+6] = 1
				}
			}
			binary.LittleEndian.PutUint64(ext, xxhash.Sum64(ext[8:]))
		}, []string{"postings", `"often"`}},
		{"k-th impact", format.SectionPostings, func(b []byte) {
			ext := b[often.Entry().Offset:][:len(often.Extent())]
			for _, p := range often.Layout() {
				if p.Name == "kth-impacts" { // too good
					ext[p.Offset] = 254
				}
			}
			binary.LittleEndian.PutUint64(ext, xxhash.Sum64(ext[8:]))
		}, []string{"postings", `"often"`, "10-th impact"}},
		{"quad of a block", format.SectionPostings, func(b []byte) {
			ext := b[often.Entry().Offset:][:len(often.Extent())]
			for _, p := range often.Layout() {
				if p.Name == "quads" { // too low for all
					binary.LittleEndian.PutUint64(ext[p.Offset+8*3:], 0xff01_ff01_ff01_ff01)
				}
			}
			binary.LittleEndian.PutUint64(ext, xxhash.Sum64(ext[8:]))
		}, []string{"postings", `"often"`, "block 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := restamp(t, fs, c.section, c.change)
			refuses(t, bad, append(c.where, indexdir.SegmentName(1)))
		})
	}
}

// refuses checks that every way to merge the index fails and leaves its files.
func refuses(t *testing.T, fs *memfs.FS, where []string) {
	t.Helper()
	ctx := t.Context()
	before, err := fs.List()
	if err != nil {
		t.Fatal(err)
	}
	refused := func(how string, err error) {
		t.Helper()
		if !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", how, err)
			return
		}
		for _, s := range where {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v, which does not name %s", how, err, s)
			}
		}
	}
	w := mustOpen(t, fs, Options{})
	_, err = w.Merge(ctx, MergeOptions{})
	refused("merge", err)
	if err := w.Commit(ctx); err == nil {
		t.Error("commit after a failed merge")
	}
	w.Close()
	dir, err := indexdir.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	w = mustOpen(t, memfs.New(), Options{Schema: schema.Implicit("whitespace", "", w.Stored())})
	_, err = w.MergeFrom(ctx, dir.FS())
	refused("merge from", err)
	w.Close()
	after, err := fs.List()
	slices.Sort(before)
	slices.Sort(after)
	if err != nil || !slices.Equal(before, slices.DeleteFunc(after, func(s string) bool { return s == indexdir.LockName })) {
		t.Errorf("files before %v, after %v, %v", before, after, err)
	}
}

// A merge refuses a segment in which two documents have the same id.
func TestMergeRefusesDuplicateIDs(t *testing.T) {
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	lengths := segment.NewLengthTable([]uint32{0, 0})
	out, err := w.create(options(2, []build.Field{{Field: w.opts.Schema.Fields[0], Lengths: []segment.LengthTable{lengths}}}), w.share(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.builder.AddDoc([]byte("same"), nil), out.builder.AddDoc([]byte("same"), nil)); err != nil {
		t.Fatal(err)
	}
	s, err := out.finish()
	if err != nil {
		t.Fatal(err)
	}
	w.segments, w.changed = []*liveSegment{s}, true
	if err := errors.Join(w.Add(t.Context(), doc("b", "two")), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	refuses(t, copyFS(t, fs, func(_ string, b []byte) []byte { return b }), []string{indexdir.SegmentName(1), "id-hash", `"same"`})
}
