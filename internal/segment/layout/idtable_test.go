package layout_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// drawn returns n hashes: of any value, of few values, or in a small range.
func drawn(r *rand.Rand, n int, kind int) []uint32 {
	hashes := make([]uint32, n)
	for i := range hashes {
		hashes[i] = r.Uint32()
		switch kind {
		case 1:
			hashes[i] = hashes[i] % 7 * 0x24924925
		case 2:
			hashes[i] = 1<<31 + hashes[i]%1024
		case 3:
			hashes[i] |= 0xffff0000
		}
	}
	return hashes
}

func tableOf(t *testing.T, hashes []uint32) *layout.IDTable {
	t.Helper()
	var b bytes.Buffer
	if err := layout.WriteIDTable(&b, hashes); err != nil {
		t.Fatal(err)
	}
	row, _ := format.SectionIDHash.Info()
	n := format.Counts{Docs: int64(len(hashes)), IDBlocks: int64(len(hashes)+15) / 16}
	if want := row.Length.Implied(format.Current(), n); int64(b.Len()) != want {
		t.Fatalf("%d bytes of %d documents, want %d", b.Len(), len(hashes), want)
	}
	return layout.NewIDTable(b.Bytes(), uint32(len(hashes)))
}

// Every bucket has the entries of the documents whose hashes are in its share of all hashes.
func TestIDTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for kind := range 4 {
		for _, n := range []int{1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4096, 70_001} {
			hashes := drawn(r, n, kind)
			table := tableOf(t, hashes)
			type entry struct{ print, block int }
			want := make([][]entry, n)
			for doc, h := range hashes {
				// The product is exact: it has less than 53 bits.
				bucket := int(float64(h) / (1 << 32) * float64(n))
				part := float64(h)/(1<<32)*float64(n) - float64(bucket)
				want[bucket] = append(want[bucket], entry{int(part * 64), doc / 16})
				if b, p := table.Place(h); int(b) != bucket || p != int(part*64) {
					t.Fatalf("hash %08x of %d: bucket %d print %d, want %d %d", h, n, b, p, bucket, int(part*64))
				}
			}
			next := 0
			for bucket := range n {
				in := table.Bucket(uint32(bucket))
				if in.N != len(want[bucket]) || in.First != next {
					t.Fatalf("kind %d, bucket %d of %d: entries %d and %d more, want %d and %d", kind, bucket, n, in.First, in.N, next, len(want[bucket]))
				}
				var got []entry
				for i := range in.N {
					print, block := table.Entry(next + i)
					got = append(got, entry{print, block})
				}
				next += in.N
				if !slices.IsSortedFunc(got, func(a, b entry) int { return a.print - b.print }) {
					t.Fatalf("bucket %d of %d: %v", bucket, n, got)
				}
				order := func(a, b entry) int { return (a.print-b.print)<<30 + a.block - b.block }
				slices.SortFunc(got, order)
				slices.SortFunc(want[bucket], order)
				if !slices.Equal(got, want[bucket]) {
					t.Fatalf("bucket %d of %d: %v, want %v", bucket, n, got, want[bucket])
				}
			}
		}
	}
}

// More hashes than are sorted at once are in order, each once.
func TestByHash(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for kind := range 4 {
		hashes := drawn(r, 3<<20+17, kind)
		want := make([]uint64, len(hashes))
		for i, h := range hashes {
			want[i] = uint64(h)<<32 | uint64(i)
		}
		slices.Sort(want)
		pieces := 0
		for words := range layout.ByHash(hashes) {
			if pieces++; len(words) > len(want) || !slices.Equal(words, want[:len(words)]) {
				t.Fatalf("kind %d, piece %d differs", kind, pieces)
			}
			want = want[len(words):]
		}
		if len(want) > 0 || kind == 0 && pieces != 4 {
			t.Errorf("kind %d: %d left after %d pieces", kind, len(want), pieces)
		}
	}
}

// The length of the section tells the number of documents.
func TestIDTableLength(t *testing.T) {
	row, _ := format.SectionIDHash.Info()
	last := int64(-1)
	for docs := range int64(1 << 18) {
		n := row.Length.Implied(format.Current(), format.Counts{Docs: docs, IDBlocks: (docs + 15) / 16})
		if n <= last {
			t.Fatalf("%d documents take %d bytes, one less %d", docs, n, last)
		}
		last = n
	}
}

// Bytes that say anything are read within their bounds.
func TestIDTableDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		hashes := drawn(r, 1+r.IntN(700), 0)
		var b bytes.Buffer
		if err := layout.WriteIDTable(&b, hashes); err != nil {
			t.Fatal(err)
		}
		c := b.Bytes()
		switch r.IntN(3) {
		case 0:
			for i := range c {
				c[i] = byte(r.Uint32())
			}
		case 1:
			c[r.IntN(len(c))] ^= 1 << r.IntN(8)
		case 2:
			binary.LittleEndian.PutUint32(c[len(c)-4:], r.Uint32()>>r.IntN(32))
		}
		c = c[:len(c):len(c)]
		table := layout.NewIDTable(c, uint32(len(hashes)))
		for bucket := range uint32(len(hashes)) {
			in := table.Bucket(bucket)
			if in.Lo < 0 || in.Lo > in.Hi || in.Hi > int64(len(c)) || in.Start < 0 || in.Start+4 > int64(len(c)) {
				t.Fatalf("%+v of %d bytes", in, len(c))
			}
			if in.N < 0 {
				continue
			}
			if lo, hi := table.Span(in.First, in.N); in.First < 0 || in.First+in.N > len(hashes) || lo < 0 || hi > int64(len(c)) {
				t.Fatalf("%+v of %d entries", in, len(hashes))
			}
			for i := range in.N {
				table.Entry(in.First + i)
			}
		}
	}
}
