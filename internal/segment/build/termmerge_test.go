package build_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// A TermMerger returns the terms of all segments in order, each once, with the length of
// the prefix shared with the previous term and with the entries that Lookup finds.
func TestTermMerger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const docs = 400
		var segs []*segment.Segment
		all := map[string]bool{}
		term := rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00é")), 1, 40, -1)
		for range rapid.IntRange(1, 5).Draw(t, "segments") {
			m := &segtest.Model{Lists: map[string][]segtest.Posting{}}
			for i := range docs {
				m.IDs, m.Lens, m.Texts = append(m.IDs, string(rune('A'+i))), append(m.Lens, 1), append(m.Texts, "")
			}
			for _, name := range rapid.SliceOfN(term, 0, 100).Draw(t, "terms") {
				first := rapid.IntRange(0, docs-1).Draw(t, "first")
				n := rapid.SampledFrom([]int{1, 1, 2, 90, 200}).Draw(t, "postings")
				var ps []segtest.Posting
				for d := first; d < min(first+n, docs); d++ {
					ps = append(ps, segtest.P(uint32(d), uint32(1+d%3)))
				}
				m.Lists[name] = ps
				all[name] = true
			}
			c := segtest.Codec("bp128")
			segs = append(segs, segtest.Open(t, m.Build(t, segtest.With{Docs: c, Freqs: c})))
		}
		views := make([]segment.FieldView, len(segs))
		for i, s := range segs {
			views[i] = s.Field(0)
		}
		walk := build.NewFieldMerger(views)
		prev := ""
		for _, want := range slices.Sorted(maps.Keys(all)) {
			if !walk.Next() {
				t.Fatalf("ends before %q: %v", want, walk.Err())
			}
			if got := walk.AppendTerm(nil); string(got) != want {
				t.Fatalf("term %q, want %q", got, want)
			}
			if n := walk.Shared(); !strings.HasPrefix(want, prev[:n]) || n < len(prev) && n < len(want) && prev[n] == want[n] {
				t.Fatalf("%q shares %d bytes with %q", want, n, prev)
			}
			i := 0
			for j, s := range segs {
				e, ok, err := s.Lists().Lookup([]byte(want))
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					continue
				}
				source, got := walk.List(i)
				i++
				if source != j || !sameList(t, s, *got, e) {
					t.Fatalf("list of %q in segment %d: %+v of segment %d, want %+v", want, j, *got, source, e)
				}
			}
			if i != walk.Lists() {
				t.Fatalf("%q is in %d segments, not %d", want, i, walk.Lists())
			}
			prev = want
		}
		if walk.Next() || walk.Err() != nil {
			t.Fatalf("goes on: %v", walk.Err())
		}
	})
}

func sameList(t segtest.TB, s *segment.Segment, a, b segment.Entry) bool {
	if a.Ordinal != b.Ordinal || a.Kind != b.Kind || a.DF != b.DF || a.Kind != segment.KindSingleton && a.Offset != b.Offset {
		return false
	}
	if a.Kind == segment.KindExtent {
		return true
	}
	var got format.Postings
	if err := s.Lists().AppendSmall(&got, &a, 7); err != nil {
		t.Fatal(err)
	}
	l, err := s.Lists().List(b)
	if err != nil {
		t.Fatal(err)
	}
	want := l.Small()
	for i := range got.Docs {
		got.Docs[i] -= 7
	}
	return slices.Equal(got.Docs, want.Docs) && slices.Equal(got.Freqs, want.Freqs)
}

// Varints are decoded as by the plain decoder, or left to it.
func TestShortVarint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7f, 0x80, 0x81, 0xff}), 8, 8).Draw(t, "bytes")
		word := uint64(0)
		for i, x := range b {
			word |= uint64(x) << (8 * i)
		}
		want, end := layout.Uvarint(bytes.Clone(b), 0)
		if got, n := layout.ShortVarint(word); n > 0 && (got != want || n != end) || n == 0 && end > 0 && end <= 5 {
			t.Fatalf("%x: %d in %d bytes, want %d in %d", b, got, n, want, end)
		}
	})
}
