//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// decodeRig puts lists on a device and decodes them with a kernel.
type decodeRig struct {
	t    *testing.T
	dev  cuda.Device
	mem  []kernels.Ptr
	host []byte
}

func newRig(t *testing.T, seed uint64) *decodeRig {
	r := &decodeRig{t: t, dev: testDevice(t, seed)}
	var err error
	if r.host, err = r.dev.HostAlloc(1 << 22); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, p := range r.mem {
			r.dev.Free(p)
		}
		r.dev.HostFree(r.host)
		if err := r.dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// put allocates exactly the size of data plus the padding of an extent, so that the
// address sanitizer detects loads past it.
func (r *decodeRig) put(data []byte, padding int) kernels.Ptr {
	p, err := r.dev.Alloc(int64(len(data) + padding))
	if err != nil {
		r.t.Fatal(err)
	}
	r.mem = append(r.mem, p)
	var b cuda.Batch
	b.CopyIn(p, r.host[:copy(r.host, data)])
	r.do(&b)
	return p
}

func (r *decodeRig) do(b *cuda.Batch) {
	r.t.Helper()
	if err := r.dev.Submit(b); err != nil {
		r.t.Fatal(err)
	}
	if err := r.dev.Wait(0); err != nil {
		r.t.Fatal(err)
	}
}

// desc uploads one list.
func (r *decodeRig) desc(c codec.Codec, docs, freqs []uint32) kernels.ListDesc {
	r.t.Helper()
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
	var last []uint32
	for i := range nb {
		last = append(last, docs[min((i+1)*c.BlockLen(), len(docs))-1])
	}
	d := kernels.ListDesc{Docs: r.put(payload, format.ReadablePadding), Freqs: r.put(fpayload, format.ReadablePadding),
		DocEnds: r.put(kernels.Slice(ends), 0), FreqEnds: r.put(kernels.Slice(fends), 0), Last: r.put(kernels.Slice(last), 0),
		N: uint32(len(docs)), Blocks: uint32(nb), DocWords: ends[nb], FreqWords: fends[nb], DocsCodec: uint8(c.ID()),
		FreqsCodec: uint8(c.ID()), MaxDoc: docs[len(docs)-1] + 1}
	for 1<<d.LogBlock < c.BlockLen() {
		d.LogBlock++
	}
	return d
}

// shifted returns d with freqs encoded again four bytes after a 16-byte boundary.
func (r *decodeRig) shifted(d kernels.ListDesc, c codec.Codec, freqs []uint32) kernels.ListDesc {
	r.t.Helper()
	payload, err := c.AppendFreqs(make([]byte, 4), make([]uint32, d.Blocks+1), freqs)
	if err != nil {
		r.t.Fatal(err)
	}
	d.Freqs = r.put(payload, format.ReadablePadding) + 4
	return d
}

// checkSums runs k over lists and compares the sum of all docIDs of each.
func (r *decodeRig) checkSums(k kernels.Kernel, descs []kernels.ListDesc, tile int, docs [][]uint32) {
	r.t.Helper()
	for i := range descs {
		_, sums := r.launch(k, descs[i:i+1], tile)
		var got, want uint32
		for _, s := range sums {
			got += s
		}
		for _, d := range docs[i] {
			want += d
		}
		if got != want {
			r.t.Fatalf("%v: list %d sums to %d, not %d", k, i, got, want)
		}
	}
}

// decode runs k over lists and returns what it wrote.
func (r *decodeRig) decode(k kernels.Kernel, descs []kernels.ListDesc, tile int) [][]uint32 {
	got, _ := r.launch(k, descs, tile)
	return got
}

// launch runs k over lists and returns what it wrote, and its sums.
func (r *decodeRig) launch(k kernels.Kernel, descs []kernels.ListDesc, tile int) (got [][]uint32, sums []uint32) {
	var tiles []kernels.Tile
	var jobs []kernels.DecodeJob
	for i, d := range descs {
		out, err := r.dev.Alloc(4 * int64(d.N))
		if err != nil {
			r.t.Fatal(err)
		}
		r.mem = append(r.mem, out)
		jobs = append(jobs, kernels.DecodeJob{Out: out, List: uint32(i)})
		for b := 0; b < int(d.Blocks); b += tile {
			tiles = append(tiles, kernels.Tile{Job: uint32(i), First: uint32(b)})
		}
	}
	p := kernels.DecodeParams{Lists: r.put(kernels.Slice(descs), 0), Jobs: r.put(kernels.Slice(jobs), 0),
		Tiles: r.put(kernels.Slice(tiles), 0), Sums: r.put(make([]byte, 32*len(tiles)), 0), NTiles: uint32(len(tiles)), TileBlocks: uint32(tile)}
	grid := (len(tiles) + 7) / 8
	if k.SharesTile() {
		grid = len(tiles)
	}
	var b cuda.Batch
	b.Launch(k, grid, 0, kernels.Bytes(&p))
	r.do(&b)
	for i, d := range descs {
		var b cuda.Batch
		b.CopyOut(r.host[:4*d.N], jobs[i].Out)
		r.do(&b)
		got = append(got, slices.Clone(format.Uint32s(r.host[:4*d.N])))
	}
	b.Reset()
	b.CopyOut(r.host[:32*len(tiles)], p.Sums)
	r.do(&b)
	return got, slices.Clone(format.Uint32s(r.host[:32*len(tiles)]))
}

func TestDecodeLists(t *testing.T) {
	for _, c := range registry.All() {
		if !kernels.Decodable(uint8(c.ID())) {
			continue
		}
		for _, seed := range []uint64{7, 0}[:few(1, 2)] {
			t.Run(fmt.Sprintf("%v/seed%d", c.ID(), seed), func(t *testing.T) {
				r := newRig(t, seed)
				rnd := rand.New(rand.NewPCG(seed, uint64(c.ID())))
				var docs, freqs [][]uint32
				var descs, unaligned []kernels.ListDesc
				lengths := []int{1, 3, 4, 127, 128, 129, 255, 256, 257, 511, 1024, 1025, 1500, 4096, 33000}
				for _, n := range lengths[:few(14, len(lengths))] {
					for _, wide := range []uint{1, 6, 13, 16} {
						var ds, fs []uint32
						d := uint32(rnd.Uint32N(1 << wide))
						for range n {
							ds, fs = append(ds, d), append(fs, 1+rnd.Uint32N(1<<rnd.UintN(wide+1)))
							d += 1 + rnd.Uint32N(1<<rnd.UintN(wide+1))
						}
						if wide == 13 && n > 4 {
							fs[n/2] = 1 << 31
						}
						docs, freqs = append(docs, ds), append(freqs, fs)
						descs = append(descs, r.desc(c, ds, fs))
						unaligned = append(unaligned, r.shifted(descs[len(descs)-1], c, fs))
					}
				}
				type way struct {
					kernel kernels.Kernel
					tile   int
					want   [][]uint32
				}
				fk := kernels.For(kernels.DecodeFreqs, kernels.CodecsOf(uint8(c.ID())))
				ftile := fk.TileBlocks(0)
				ways := []way{{fk, ftile, freqs}, {fk, ftile/4 + 1, freqs}, {fk, 3, freqs}}
				codecs := kernels.CodecsOf(uint8(c.ID()))
				k, sum := kernels.For(kernels.DecodeDocs, codecs), kernels.For(kernels.SumDocs, codecs)
				if k == kernels.None {
					t.Fatal("no kernel decodes docIDs")
				}
				tile := k.TileBlocks(0)
				ways = append(ways, way{k, tile, docs}, way{k, tile/4 + 1, docs}, way{k, 3, docs})
				for i, got := range r.decode(fk, unaligned, ftile) {
					if !slices.Equal(got, freqs[i]) {
						t.Fatalf("%v, unaligned: list %d of %d is wrong", fk, i, len(got))
					}
				}
				if sum != kernels.None {
					r.checkSums(sum, descs, sum.TileBlocks(0), docs)
				}
				for _, w := range ways {
					for i, got := range r.decode(w.kernel, descs, w.tile) {
						if !slices.Equal(got, w.want[i]) {
							t.Fatalf("%v, tiles of %d: list %d of %d is wrong", w.kernel, w.tile, i, len(got))
						}
					}
				}
			})
		}
	}
}
