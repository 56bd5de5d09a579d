package docset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
)

// drawn are documents below limit, as a few stretches of them with gaps.
func drawn(t *rapid.T, limit uint32) []uint32 {
	in := map[uint32]bool{}
	for range rapid.IntRange(0, 6).Draw(t, "stretches") {
		start := rapid.Uint32Range(0, limit-1).Draw(t, "start")
		n := rapid.SampledFrom([]uint32{1, 2, 100, 5000, 30000}).Draw(t, "n")
		step := rapid.SampledFrom([]uint32{1, 2, 7, 64, 700}).Draw(t, "step")
		for i := range n {
			if doc := start + i*step; doc < limit {
				in[doc] = true
			}
		}
	}
	docs := make([]uint32, 0, len(in))
	for doc := range in {
		docs = append(docs, doc)
	}
	slices.Sort(docs)
	return docs
}

// What is written is read as the same documents, whatever form holds them, in at most twice the bytes; and every
// question to what is read has the answer of a slice.
func TestPortable(t *testing.T) {
	const limit = 9 << 16
	rapid.Check(t, func(t *rapid.T) {
		docs := drawn(t, limit)
		b := FromDocs(slices.Clone(docs)).AppendPortable([]byte("before"))[len("before"):]
		s, err := FromPortable(b, 0, limit)
		if err != nil {
			t.Fatal(err)
		}
		if s.Bytes() > uint64(2*len(b)+300) {
			t.Fatalf("%d bytes are a set of %d", len(b), s.Bytes())
		}
		if got := s.AppendPortable(nil); !bytes.Equal(got, b) {
			t.Fatal("it is written otherwise")
		}
		bits := NewBits(s)
		if got := slices.Collect(bits.All()); !slices.Equal(got, docs) || bits.Len() != s.Len() {
			t.Fatal("the bits are others")
		}
		same(t, s, docs, limit)
		same(t, bits.Set(), docs, limit)
		if n := len(docs); n > 0 {
			if _, err := FromPortable(b, 0, docs[n-1]); err == nil {
				t.Fatal("a document beyond the segment passes")
			}
		}
		for range 8 { // damaged bytes are an error or a set
			c := bytes.Clone(b)
			c[rapid.IntRange(0, min(len(c), 64)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
			if s, err := FromPortable(c, 0, limit); err == nil {
				same(t, s, slices.Collect(s.All()), limit)
			}
		}
	})
}

// same requires that s has docs.
func same(t *rapid.T, s *Set, docs []uint32, limit uint32) {
	if got := slices.Collect(s.All()); !slices.Equal(got, docs) || int(s.Len()) != len(docs) {
		t.Fatalf("%d documents, %d when counted, want %d", len(got), s.Len(), len(docs))
	}
	at := func(doc uint32) int { i, _ := slices.BinarySearch(docs, doc); return i }
	spot := func(what string) uint32 {
		if len(docs) > 0 && rapid.Bool().Draw(t, "near") {
			return docs[rapid.IntRange(0, len(docs)-1).Draw(t, what)] + uint32(rapid.IntRange(-2, 2).Draw(t, "off"))
		}
		return rapid.Uint32Range(0, limit).Draw(t, what)
	}
	for range 3 {
		doc := min(spot("doc"), limit)
		want := End
		if i := at(doc); i < len(docs) {
			want = docs[i]
		}
		if got := s.Next(doc); got != want || s.Contains(doc) != (want == doc) {
			t.Fatalf("Next(%d) is %d, want %d", doc, got, want)
		}
		from, to := min(spot("from"), limit), min(spot("to"), limit)
		var within []uint32
		if from < to {
			within = docs[at(from):at(to)]
		}
		if n := s.Count(from, to); int(n) != len(within) {
			t.Fatalf("Count(%d, %d) is %d, want %d", from, to, n, len(within))
		}
		moved := slices.Clone(within)
		for i := range moved {
			moved[i] -= from
		}
		if got := slices.Collect(s.Slice(from, to).All()); !slices.Equal(got, moved) {
			t.Fatalf("Slice(%d, %d) has %d documents, want %d", from, to, len(got), len(moved))
		}
		var some []uint32
		for next := from; next < to; {
			most := rapid.IntRange(1, 300).Draw(t, "most")
			if len(within) > 20000 {
				most = 1 << 20
			}
			was := len(some)
			if some, next = s.AppendSome(some, next, to, most); len(some)-was > most {
				t.Fatalf("%d documents, asked for %d", len(some)-was, most)
			} else if next >= min(to, s.hi) {
				break
			}
		}
		if !slices.Equal(some, within) {
			t.Fatalf("AppendSome(%d, %d): %d documents, want %d", from, to, len(some), len(within))
		}
		sameWords(t, s, docs, from)
	}
	var candidates []uint32
	for range rapid.IntRange(0, 30).Draw(t, "candidates") {
		candidates = append(candidates, min(spot("candidate"), limit))
	}
	slices.Sort(candidates)
	for _, not := range []bool{false, true} {
		var want []uint32
		for _, doc := range candidates {
			if _, is := slices.BinarySearch(docs, doc); is != not {
				want = append(want, doc)
			}
		}
		if got := s.Keep(slices.Clone(candidates), not); !slices.Equal(got, want) {
			t.Fatalf("Keep(%v, %v): %v, want %v", candidates, not, got, want)
		}
	}
	other := drawn(t, limit)
	both := make([]uint32, 0)
	for _, doc := range other {
		if _, is := slices.BinarySearch(docs, doc); is {
			both = append(both, doc)
		}
	}
	if got := slices.Collect(And(s, FromDocs(other)).All()); !slices.Equal(got, both) {
		t.Fatalf("And: %d documents, want %d", len(got), len(both))
	}
}

// sameWords requires what Or and And make of a bitmap from lo on, which need not be a multiple of 64.
func sameWords(t *rapid.T, s *Set, docs []uint32, lo uint32) {
	words := rapid.SliceOfN(rapid.Uint64(), 0, 100).Draw(t, "words")
	or, and := slices.Clone(words), slices.Clone(words)
	s.Or(or, lo)
	s.And(and, lo)
	for i, w := range words {
		is, base := uint64(0), lo+uint32(i)*64
		at, _ := slices.BinarySearch(docs, base)
		for ; at < len(docs) && docs[at]-base < 64; at++ {
			is |= 1 << (docs[at] - base)
		}
		if or[i] != w|is || and[i] != w&is {
			t.Fatalf("from %d, word %d: or %x, and %x, of %x and %x", lo, i, or[i], and[i], w, is)
		}
	}
}

// header returns the header of a set with runs: keys and cardinalities.
func header(flags byte, keys ...uint16) []byte {
	b := binary.LittleEndian.AppendUint32(nil, cookieRuns|uint32(len(keys)/2-1)<<16)
	b = append(b, flags)
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint16(b, k)
	}
	return b
}

// shorts returns numbers as bytes.
func shorts(all ...uint16) (b []byte) {
	for _, x := range all {
		b = binary.LittleEndian.AppendUint16(b, x)
	}
	return b
}

// What is no set is an error that says why.
func TestPortableErrors(t *testing.T) {
	noRuns := func(n uint32, rest ...[]byte) []byte {
		b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, cookieNoRuns), n)
		return append(b, bytes.Join(rest, nil)...)
	}
	for want, b := range map[string][]byte{
		"4 bytes wanted":                       {},
		"cookie 0x1":                           {1, 0, 0, 0},
		"more than 65536":                      noRuns(1 << 17),
		"bytes wanted":                         noRuns(1 << 16),
		"flags of roaring containers":          header(2, 0, 0),
		"runs are out of order":                append(header(1, 0, 3), shorts(2, 5, 1, 5, 1)...),
		"do not sum":                           append(header(1, 0, 3), shorts(1, 5, 1)...),
		"containers are out of order":          append(header(0, 0, 0, 0, 0), shorts(5, 5)...),
		"array is out of order":                append(header(0, 0, 1), shorts(5, 5)...),
		"offset of roaring container 0":        noRuns(1, shorts(0, 0, 17, 0, 5)),
		"bitmap does not have its cardinality": append(header(0, 0, 4096), make([]byte, bitmapBytes)...),
		"docID 65541 of a segment of 65541":    append(header(0, 1, 0), shorts(5)...),
		"1 bytes":                              append(header(0, 0, 0), shorts(5, 0)[:3]...),
	} {
		_, err := FromPortable(b, 1000, 65541)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A set takes little memory even if its documents are many times its bytes.
func TestPortableForms(t *testing.T) {
	var many []byte // 65,536 containers of all but the last document
	many = binary.LittleEndian.AppendUint32(many, cookieRuns|0xffff<<16)
	many = append(many, bytes.Repeat([]byte{0xff}, 1<<13)...)
	for key := range 1 << 16 {
		many = append(many, shorts(uint16(key), 0xfffe)...)
	}
	at := len(many) + 4<<16
	for range 1 << 16 {
		many = binary.LittleEndian.AppendUint32(many, uint32(at))
		at += 6
	}
	for range 1 << 16 {
		many = append(many, shorts(1, 0, 0xfffe)...)
	}
	whole := Range(7, 3<<30).AppendPortable(nil)
	two := append(header(3, 0, 99, 9, 99), shorts(1, 0, 99, 1, 0, 99)...)
	for what, test := range map[string]struct {
		b []byte
		n uint32
	}{"all but one of each": {many, 0xffff << 16}, "a range": {whole, 3<<30 - 7}, "two ranges": {two, 200}} {
		s, err := FromPortable(test.b, 0, End)
		if err != nil || s.Len() != test.n || s.Bytes() > uint64(2*len(test.b)+300) || s.Count(100, 1<<31) > 1<<31 {
			t.Errorf("%s, %d bytes: %d documents in %d bytes, %v", what, len(test.b), s.Len(), s.Bytes(), err)
		}
		if got := s.AppendPortable(nil); what != "all but one of each" && !bytes.Equal(got, test.b) {
			t.Errorf("%s: written otherwise", what)
		}
	}
}
