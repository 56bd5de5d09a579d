package segment

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A TermMerger gives the terms of all segments in order, each once, with what it
// shares with the one before it and with the entries that a look-up finds.
func TestTermMerger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const docs = 400
		var segs []*Segment
		all := map[string]bool{}
		term := rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00é")), 1, 40, -1)
		for range rapid.IntRange(1, 5).Draw(t, "segments") {
			m := &model{lists: map[string][]posting{}}
			for i := range docs {
				m.ids, m.lens, m.texts = append(m.ids, string(rune('A'+i))), append(m.lens, 1), append(m.texts, "")
			}
			for _, name := range rapid.SliceOfN(term, 0, 100).Draw(t, "terms") {
				first := rapid.IntRange(0, docs-1).Draw(t, "first")
				n := rapid.SampledFrom([]int{1, 1, 2, 90, 200}).Draw(t, "postings")
				var ps []posting
				for d := first; d < min(first+n, docs); d++ {
					ps = append(ps, posting{uint32(d), uint32(1 + d%3)})
				}
				m.lists[name] = ps
				all[name] = true
			}
			c := codecNamed("bp128")
			segs = append(segs, mustOpen(t, m.build(t, buildWith{docs: c, freqs: c})))
		}
		walk := NewTermMerger(segs)
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
				e, ok, err := s.Lookup([]byte(want))
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

func sameList(t failer, s *Segment, a, b Entry) bool {
	if a.Kind != b.Kind || a.DF != b.DF || a.Kind != KindSingleton && a.Offset != b.Offset {
		return false
	}
	if a.Kind == KindExtent {
		return true
	}
	docs, freqs, err := s.AppendSmall(nil, nil, &a, 7)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.List(b)
	if err != nil {
		t.Fatal(err)
	}
	wantDocs, wantFreqs := l.Small()
	for i := range docs {
		docs[i] -= 7
	}
	return slices.Equal(docs, wantDocs) && slices.Equal(freqs, wantFreqs)
}

// Varints are decoded as the plain decoder does, or left to it.
func TestShortVarint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7f, 0x80, 0x81, 0xff}), 8, 8).Draw(t, "bytes")
		word := uint64(0)
		for i, x := range b {
			word |= uint64(x) << (8 * i)
		}
		want, end := uvarint(bytes.Clone(b), 0)
		if got, n := shortVarint(word); n > 0 && (got != want || n != end) || n == 0 && end > 0 && end <= 5 {
			t.Fatalf("%x: %d in %d bytes, want %d in %d", b, got, n, want, end)
		}
	})
}
