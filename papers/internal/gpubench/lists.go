package gpubench

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// DecodeTimes are seconds that a launch takes which decodes resident lists.
type DecodeTimes struct {
	Kernel float64 // by events around the launch
	Call   float64 // on the host, from the launch until it has finished
	Moved  float64 // likewise, with the copy of the payloads to the device before it
}

// Step is what follows a decoder's launch, and is timed with it.
type Step struct {
	Enqueue func(g *cuda.Batch)
	Want    func(i int) []uint32 // what it leaves of list i
}

// DecodeTime measures how fast the device decodes lists to docIDs, or to frequencies, in
// one launch, and compares all values with the CPU's. Payloads need 16-byte alignment.
func (b *Bench) DecodeTime(c codec.Codec, seqs []format.Sequence, freqs bool) (DecodeTimes, error) {
	return b.DecodeThen(c, seqs, freqs, nil)
}

// DecodeThen is DecodeTime with a step after the decoder, unless prepare is nil, which works
// on the decoded values: those of list i are at out from starts[i] on.
func (b *Bench) DecodeThen(c codec.Codec, seqs []format.Sequence, freqs bool, prepare func(out kernels.Ptr, starts []int) (Step, error)) (t DecodeTimes, err error) {
	b.direct()
	kind := kernels.DecodeDocs
	if freqs {
		kind = kernels.DecodeFreqs
	}
	k := kernels.For(kind, kernels.CodecsOf(uint8(c.ID())))
	if k == kernels.None {
		return t, fmt.Errorf("gpubench: no kernel decodes %v", c.ID())
	}
	l, err := b.resident(c, seqs, k)
	if err != nil {
		return t, err
	}
	defer l.close()
	grid := (l.tiles + 7) / 8
	if k.SharesTile() {
		grid = l.tiles
	}
	enqueue, same := func(g *cuda.Batch) { g.Launch(k, grid, 0, kernels.Bytes(&l.params)) }, func() error { return b.sameLists(c, seqs, l, freqs) }
	if prepare != nil {
		step, err := prepare(l.out, l.starts)
		if err != nil {
			return t, err
		}
		decode := enqueue
		enqueue = func(g *cuda.Batch) { decode(g); step.Enqueue(g) }
		same = func() error { return b.asWanted(l, len(seqs), step.Want) }
	}
	if t.Kernel, err = b.repeat(9, enqueue); err != nil {
		return t, err
	}
	t.Call, err = b.median(9, func() error {
		var g cuda.Batch
		enqueue(&g)
		return errors.Join(b.raw.Submit(&g), b.raw.Wait(0))
	})
	if err != nil {
		return t, err
	}
	if err := same(); err != nil {
		return t, err
	}
	pinned, err := b.raw.HostAlloc(int(l.bytesRead))
	if err != nil {
		return t, err
	}
	defer b.raw.HostFree(pinned)
	t.Moved, err = b.median(9, func() error {
		var g cuda.Batch
		g.CopyIn(l.spare, pinned)
		enqueue(&g)
		return errors.Join(b.raw.Submit(&g), b.raw.Wait(0))
	})
	return t, err
}

// resident copies lists to the device and divides them into tiles for a kernel.
func (b *Bench) resident(c codec.Codec, seqs []format.Sequence, k kernels.Kernel) (l *lists, err error) {
	l = &lists{b: b}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gpubench: %v", r)
			l.close()
		}
	}()
	longest, room := 0, 0
	var payload []byte
	var ends, last []uint32
	at := make([]struct{ payload, ends, last, out int }, len(seqs))
	for i, s := range seqs {
		at[i].payload, at[i].ends, at[i].last, at[i].out = len(payload), len(ends), len(last), room
		payload = append(append(payload, s.Payload...), make([]byte, -len(s.Payload)&63+format.ReadablePadding&^63+64)...)
		ends = append(ends, s.Ends...)
		last = append(last, s.Last...)
		if s.Last == nil {
			last = append(last, make([]uint32, len(s.Ends)-1)...)
		}
		room += (len(s.Ends) - 1) * c.BlockLen()
		longest = max(longest, s.N)
	}
	payloads, end, skips := l.put(payload), l.put(kernels.Slice(ends)), l.put(kernels.Slice(last))
	if l.out, err = b.raw.Alloc(4 * int64(room)); err != nil {
		l.close()
		return nil, err
	}
	l.mem = append(l.mem, l.out)
	var descs []kernels.ListDesc
	var jobs []kernels.DecodeJob
	var tiles []kernels.Tile
	tile := k.TileBlocks(longest)
	for i, s := range seqs {
		d := kernels.ListDesc{Docs: payloads + kernels.Ptr(at[i].payload), DocEnds: end + kernels.Ptr(4*at[i].ends), Last: skips + kernels.Ptr(4*at[i].last),
			N: uint32(s.N), Blocks: uint32(len(s.Ends) - 1), DocWords: s.Ends[len(s.Ends)-1], DocsCodec: uint8(c.ID()), FreqsCodec: uint8(c.ID()), MaxDoc: 1 << 31}
		d.Freqs, d.FreqEnds, d.FreqWords = d.Docs, d.DocEnds, d.DocWords
		for 1<<d.LogBlock < c.BlockLen() {
			d.LogBlock++
		}
		for t := 0; t < len(s.Ends)-1; t += tile {
			tiles = append(tiles, kernels.Tile{Job: uint32(len(jobs)), First: uint32(t)})
		}
		l.starts = append(l.starts, at[i].out)
		jobs = append(jobs, kernels.DecodeJob{Out: l.out + kernels.Ptr(4*at[i].out), List: uint32(len(descs))})
		descs = append(descs, d)
	}
	l.tiles = len(tiles)
	l.params = kernels.DecodeParams{Lists: l.put(kernels.Slice(descs)), Jobs: l.put(kernels.Slice(jobs)), Tiles: l.put(kernels.Slice(tiles)),
		NTiles: uint32(len(tiles)), TileBlocks: uint32(tile)}
	sums, err := b.raw.Alloc(32 * int64(len(tiles)))
	if err != nil {
		l.close()
		return nil, err
	}
	l.mem, l.params.Sums = append(l.mem, sums), sums
	l.bytesRead = float64(len(payload) + 4*len(ends) + 4*len(last))
	if l.spare, err = b.raw.Alloc(int64(l.bytesRead)); err != nil {
		l.close()
		return nil, err
	}
	l.mem = append(l.mem, l.spare)
	return l, nil
}

// asWanted compares what a step has left of n lists.
func (b *Bench) asWanted(l *lists, n int, want func(i int) []uint32) error {
	const chunk = 16 << 20
	h, err := b.raw.HostAlloc(chunk)
	if err != nil {
		return err
	}
	defer b.raw.HostFree(h)
	for i := range n {
		w := want(i)
		for at := 0; at < len(w); at += chunk / 4 {
			part := w[at:min(at+chunk/4, len(w))]
			var g cuda.Batch
			g.CopyOut(h[:4*len(part)], l.out+kernels.Ptr(4*(l.starts[i]+at)))
			if err := errors.Join(b.raw.Submit(&g), b.raw.Wait(0)); err != nil {
				return err
			}
			if !slices.Equal(format.Uint32s(h[:4*len(part)]), part) {
				return fmt.Errorf("gpubench: list %d, from value %d on: the device has other values than the list", i, at)
			}
		}
	}
	return nil
}

// sameLists compares what a launch has decoded with the CPU's values.
func (b *Bench) sameLists(c codec.Codec, seqs []format.Sequence, l *lists, freqs bool) error {
	const chunk = 16 << 20
	decode := c.DecodeDocs
	if freqs {
		decode = c.DecodeFreqs
	}
	h, err := b.raw.HostAlloc(chunk)
	if err != nil {
		return err
	}
	defer b.raw.HostFree(h)
	want := make([]uint32, c.BlockLen())
	at, have, from := 0, 0, 0 // in blocks: of all lists; those that h has
	for i := range seqs {
		for j := range len(seqs[i].Ends) - 1 {
			if at >= from+have {
				left := 0
				for _, s := range seqs[i:] {
					left += len(s.Ends) - 1
				}
				have, from = min(chunk/4/c.BlockLen(), left-j), at
				var g cuda.Batch
				g.CopyOut(h[:4*have*c.BlockLen()], l.out+kernels.Ptr(4*at*c.BlockLen()))
				if err := errors.Join(b.raw.Submit(&g), b.raw.Wait(0)); err != nil {
					return err
				}
			}
			n, err := decode(want, &seqs[i], j, 1)
			if err != nil {
				return err
			}
			got := format.Uint32s(h[4*(at-from)*c.BlockLen():])[:n]
			if !slices.Equal(got, want[:n]) {
				return fmt.Errorf("gpubench: list %d, block %d: the device decodes other values than the CPU", i, j)
			}
			at++
		}
	}
	return nil
}
