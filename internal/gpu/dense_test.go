//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/kernels"
)

// denseCodecs are those whose blocks have heads, exceptions or unary parts.
var denseCodecs = func() (dense []codec.Codec) {
	for _, c := range registry.All() {
		if id := uint8(c.ID()); id >= kernels.Rice && id <= kernels.EF {
			dense = append(dense, c)
		}
	}
	for _, level := range []int{0, 2, 3, 4} {
		c, err := pfordelta.Level(level)
		if err != nil {
			panic(err)
		}
		dense = append(dense, c)
	}
	return dense
}()

func eachDense(t *testing.T, f func(t *testing.T, c codec.Codec, k kernels.Kernel)) {
	for i, c := range denseCodecs {
		t.Run(fmt.Sprintf("%v/%d", c.ID(), i), func(t *testing.T) {
			k := kernels.For(kernels.DecodeDocs, kernels.CodecsOf(uint8(c.ID())))
			if k == kernels.None {
				t.Fatal("no kernel decodes docIDs")
			}
			f(t, c, k)
		})
	}
}

// shaped draws n values less one: shape 0 zeros, 1 narrow, 2 some exceptions, 3 many,
// 4 wide, 5 one great value.
func shaped(r *rand.Rand, n, shape int) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		switch shape {
		case 1:
			v[i] = r.Uint32N(4)
		case 2, 3:
			v[i] = r.Uint32N(3)
			if r.IntN(20) < []int{0, 0, 2, 7}[shape] {
				v[i] = r.Uint32N(1 << (4 + r.UintN(10)))
			}
		case 4:
			v[i] = r.Uint32N(1 << 20)
		}
	}
	if shape == 5 {
		v[r.IntN(n)] = 1 << 29
	}
	return v
}

// TestDenseTails decodes lists with last blocks of every length.
func TestDenseTails(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	eachDense(t, func(t *testing.T, c codec.Codec, k kernels.Kernel) {
		r := newRig(t, 3)
		rnd := rand.New(rand.NewPCG(5, uint64(c.ID())))
		var docs, freqs [][]uint32
		var descs []kernels.ListDesc
		for tail := 1; tail <= 128; tail += step {
			for shape := range 6 {
				n := tail + 128*rnd.IntN(3)
				ds, fs := shaped(rnd, n, shape), shaped(rnd, n, (shape+tail)%6)
				d := codec.NoDoc
				for i := range ds {
					d += 1 + ds[i]
					ds[i] = d
					fs[i]++
					if i%97 == 5 && shape == 5 && tail%3 == 0 {
						fs[i] = ^uint32(0) - uint32(i) // sums beyond 2^32
					}
				}
				docs, freqs = append(docs, ds), append(freqs, fs)
				descs = append(descs, r.desc(c, ds, fs))
			}
		}
		for i, got := range r.decode(k, descs, 2) {
			if !slices.Equal(got, docs[i]) {
				t.Fatalf("list %d of %d: docIDs %v, want %v", i, len(got), got, docs[i])
			}
		}
		fk := kernels.For(kernels.DecodeFreqs, kernels.CodecsOf(uint8(c.ID())))
		for i, got := range r.decode(fk, descs, 2) {
			if !slices.Equal(got, freqs[i]) {
				t.Fatalf("list %d of %d: frequencies %v, want %v", i, len(got), got, freqs[i])
			}
		}
	})
}

// TestDenseEqualsCPU changes words of payloads at random: where the CPU still decodes the
// block, the device gives the same values, and no access leaves the payload (address
// sanitizer).
func TestDenseEqualsCPU(t *testing.T) {
	eachDense(t, func(t *testing.T, c codec.Codec, k kernels.Kernel) { equalsCPU(t, c, few(100, 400), 300) })
}

// TestPlainEqualsCPU does the same for the codecs without heads.
func TestPlainEqualsCPU(t *testing.T) {
	for _, c := range registry.All() {
		if id := uint8(c.ID()); id != 0 && id < kernels.Rice {
			t.Run(c.ID().String(), func(t *testing.T) { equalsCPU(t, c, few(60, 200), 3*c.BlockLen()) })
		}
	}
}

// equalsCPU decodes lists of at most longest docIDs.
func equalsCPU(t *testing.T, c codec.Codec, lists, longest int) {
	r := newRig(t, 0)
	rnd := rand.New(rand.NewPCG(6, uint64(c.ID())))
	descs := make([]kernels.ListDesc, lists)
	want, wantFreqs := make([][]uint32, lists), make([][]uint32, lists)
	sound := 0
	for i := range descs {
		n := 1 + rnd.IntN(longest)
		shapes := 4
		if n > 1000 {
			shapes = 3 // docIDs stay below 2^31
		}
		ds, fs := shaped(rnd, n, 1+rnd.IntN(shapes)), shaped(rnd, n, 1+rnd.IntN(4))
		d := codec.NoDoc
		for j := range ds {
			d += 1 + ds[j]
			ds[j] = d
			fs[j]++
		}
		descs[i] = r.hostile(rnd, c, ds, fs, &want[i], &wantFreqs[i])
		if want[i] != nil {
			sound++
		}
	}
	k := kernels.For(kernels.DecodeDocs, kernels.CodecsOf(uint8(c.ID())))
	for i, got := range r.decode(k, descs, 2) {
		if want[i] != nil && !slices.Equal(got, want[i]) {
			t.Errorf("list %d: docIDs %v, the CPU's %v", i, got, want[i])
		}
	}
	k = kernels.For(kernels.DecodeFreqs, kernels.CodecsOf(uint8(c.ID())))
	for i, got := range r.decode(k, descs, 2) {
		if wantFreqs[i] != nil && !slices.Equal(got, wantFreqs[i]) {
			t.Errorf("list %d: frequencies %v, the CPU's %v", i, got, wantFreqs[i])
		}
	}
	t.Logf("%d of %d lists decode on the CPU", sound, lists)
}

// hostile uploads a list with changed words and returns what the CPU decodes.
func (r *decodeRig) hostile(rnd *rand.Rand, c codec.Codec, docs, freqs []uint32, want, wantFreqs *[]uint32) kernels.ListDesc {
	nb := codec.Blocks(len(docs), c.BlockLen())
	ends, fends := make([]uint32, nb+1), make([]uint32, nb+1)
	payload, err := c.AppendDocs(nil, ends, docs)
	if err != nil {
		r.t.Fatal(err)
	}
	fpayload, err := c.AppendFreqs(nil, fends, freqs)
	if err != nil {
		r.t.Fatal(err)
	}
	last := make([]uint32, nb)
	for i := range last {
		last[i] = docs[min((i+1)*c.BlockLen(), len(docs))-1]
	}
	for _, p := range [][]byte{payload, fpayload} {
		for range rnd.IntN(4) {
			if len(p) == 0 {
				break
			}
			switch at := rnd.IntN(len(p)); rnd.IntN(3) {
			case 0:
				p[at] ^= 1 << rnd.IntN(8)
			case 1:
				p[at] = byte(rnd.Uint32())
			default:
				for i := at &^ 3; i < at&^3+4; i++ {
					p[i] = byte(rnd.Uint32())
				}
			}
		}
	}
	*want = decodeAll(c.DecodeDocs, &format.Sequence{N: len(docs), Ends: ends, Last: last, Payload: padded(payload)}, nb)
	*wantFreqs = decodeAll(c.DecodeFreqs, &format.Sequence{N: len(docs), Ends: fends, Last: last, Payload: padded(fpayload)}, nb)
	d := kernels.ListDesc{Docs: r.put(payload, format.ReadablePadding), Freqs: r.put(fpayload, format.ReadablePadding),
		DocEnds: r.put(kernels.Slice(ends), 0), FreqEnds: r.put(kernels.Slice(fends), 0), Last: r.put(kernels.Slice(last), 0),
		N: uint32(len(docs)), Blocks: uint32(nb), DocWords: ends[nb], FreqWords: fends[nb], DocsCodec: uint8(c.ID()),
		FreqsCodec: uint8(c.ID()), MaxDoc: 1 << 31}
	for 1<<d.LogBlock < c.BlockLen() {
		d.LogBlock++
	}
	return d
}

func padded(b []byte) []byte { return append(b, make([]byte, format.ReadablePadding)...)[:len(b)] }

// decodeAll returns all values of a list, or nil where the CPU refuses a block.
func decodeAll(decode func([]uint32, *format.Sequence, int, int) (int, error), s *format.Sequence, blocks int) (out []uint32) {
	var buf [1024]uint32
	for j := range blocks {
		n, err := decode(buf[:], s, j, 1)
		if err != nil {
			return nil
		}
		out = append(out, buf[:n]...)
	}
	return out
}
