package gpubench

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// upload copies bytes to new device memory.
func (b *Bench) upload(data []byte) (kernels.Ptr, error) {
	p, err := b.raw.Alloc(int64(len(data)) + 256)
	if err != nil {
		return 0, err
	}
	h, err := b.raw.HostAlloc(min(len(data), 64<<20))
	if err != nil {
		return 0, err
	}
	defer b.raw.HostFree(h)
	for at := 0; at < len(data); {
		n := copy(h, data[at:])
		var g cuda.Batch
		g.CopyIn(p+kernels.Ptr(at), h[:n])
		if err := errors.Join(b.raw.Submit(&g), b.raw.Wait(0)); err != nil {
			return 0, err
		}
		at += n
	}
	return p, nil
}

// Decode measures decoding to docIDs in device memory: 2^29 integers in one list (for
// codecs with list headers, in lists of 2^20), and 4,096 lists of 2^16.
func (b *Bench) Decode() error {
	b.direct()
	n, per, bits := 1<<29, 1<<20, 7
	if b.Small {
		n, per = 1<<14, 1<<12
	}
	for _, c := range []struct {
		id   codec.ID
		goal float64
	}{{codec.BP128, 800}, {codec.BP256, 830}, {codec.VByte128, 600}, {codec.VByte1024, 600}, {codec.Rice, 300}, {codec.PForDelta, 500},
		{codec.NewPFD, 500}, {codec.ParaPFor, 500}, {codec.LRC, 500}, {codec.LRCSeg, 500}, {codec.SegLRC, 500}, {codec.HSLRC, 500}, {codec.EF, 500}} {
		var err error
		if c.id < codec.Rice {
			var s *sequence
			if s, err = newSequence(c.id, n, bits); err == nil {
				err = b.decodeLong(c.id, s, c.goal)
			}
		} else {
			err = b.decodeLists(c.id, n, per, bits, c.goal)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", c.id, err)
		}
	}
	return nil
}

// decodeLists measures lists of per integers and of 2^16, encoded one by one, and lists
// with uniform gaps of a given width.
func (b *Bench) decodeLists(id codec.ID, n, per, bits int, goal float64) error {
	short := min(per/2, 1<<16)
	for _, c := range []struct {
		n, per  int
		uniform bool
		goal    float64
	}{{n, per, false, goal}, {min(n, short<<12), short, false, goal * 0.8}, {n, per, true, goal}} {
		s, err := newLists(id, c.n, c.per, bits, c.uniform)
		if err != nil {
			return err
		}
		k := kernels.For(kernels.DecodeDocs, kernels.CodecsOf(uint8(id)))
		l, err := b.lists(id, s, c.per, k.TileBlocks(c.per))
		if err != nil {
			return err
		}
		err = b.decodeRun(id, s, l, c.per, c.goal, false)
		if err == nil && id <= codec.ParaPFor && !c.uniform { // docIDs of these are stored as frequencies are
			err = b.decodeRun(id, s, l, c.per, 0, true)
		}
		l.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// lists are the lists of a sequence on the device: descriptors that share one payload.
type lists struct {
	b         *Bench
	mem       []kernels.Ptr
	params    kernels.DecodeParams
	out       kernels.Ptr
	tiles     int
	bytesRead float64
	spare     kernels.Ptr // as many bytes, to measure copies
	starts    []int       // of the lists' values at out, from resident
}

func (l *lists) close() {
	for _, p := range l.mem {
		_ = l.b.raw.Free(p)
	}
}

func (l *lists) put(data []byte) kernels.Ptr {
	p, err := l.b.upload(data)
	if err != nil {
		panic(err)
	}
	l.mem = append(l.mem, p)
	return p
}

// lists divides s, whose number of blocks it divides, into lists of per integers.
func (b *Bench) lists(id codec.ID, s *sequence, per, tileBlocks int) (l *lists, err error) {
	l = &lists{b: b}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gpubench: %v", r)
			l.close()
		}
	}()
	payload, ends, last := l.put(s.payload), l.put(kernels.Slice(s.ends)), l.put(kernels.Slice(s.last))
	if l.out, err = b.raw.Alloc(4 * int64(s.n)); err != nil {
		return nil, err
	}
	l.mem = append(l.mem, l.out)
	perBlocks := per / s.blockLen
	var descs []kernels.ListDesc
	var jobs []kernels.DecodeJob
	var tiles []kernels.Tile
	for at := 0; at < s.n; at += per {
		first := at / s.blockLen
		d := kernels.ListDesc{Docs: payload, DocEnds: ends + kernels.Ptr(4*first), Last: last + kernels.Ptr(4*first),
			N: uint32(per), Blocks: uint32(perBlocks), DocWords: s.ends[len(s.ends)-1], DocsCodec: uint8(id), FreqsCodec: uint8(id),
			MaxDoc: 1 << 31}
		if s.starts != nil {
			list := at / per
			d.Docs, d.DocEnds = payload+kernels.Ptr(s.starts[list]), ends+kernels.Ptr(4*list*(perBlocks+1))
			d.DocWords = s.ends[list*(perBlocks+1)+perBlocks]
		}
		d.Freqs, d.FreqEnds, d.FreqWords = d.Docs, d.DocEnds, d.DocWords
		for 1<<d.LogBlock < s.blockLen {
			d.LogBlock++
		}
		for t := 0; t < perBlocks; t += tileBlocks {
			tiles = append(tiles, kernels.Tile{Job: uint32(len(jobs)), First: uint32(t)})
		}
		jobs = append(jobs, kernels.DecodeJob{Out: l.out + kernels.Ptr(4*at), List: uint32(len(descs))})
		descs = append(descs, d)
	}
	l.tiles = len(tiles)
	l.params = kernels.DecodeParams{Lists: l.put(kernels.Slice(descs)), Jobs: l.put(kernels.Slice(jobs)),
		Tiles: l.put(kernels.Slice(tiles)), NTiles: uint32(len(tiles)), TileBlocks: uint32(tileBlocks)}
	sums, err := b.raw.Alloc(32 * int64(len(tiles)))
	if err != nil {
		return nil, err
	}
	l.mem, l.params.Sums = append(l.mem, sums), sums
	l.bytesRead = float64(len(s.payload) + 8*len(s.last))
	return l, nil
}

func (b *Bench) decodeLong(id codec.ID, s *sequence, goal float64) error {
	for _, per := range []int{s.n, 1 << 16} {
		if per > s.n { // lists share one payload, which makes no difference to these codecs
			continue
		}
		if per == 1<<16 && s.n > 1<<28 {
			t := *s
			t.n = 1 << 28 // 4,096 lists
			t.last, t.ends = s.last[:t.n/s.blockLen], s.ends[:t.n/s.blockLen+1]
			t.payload = s.payload[:4*t.ends[len(t.ends)-1]]
			s = &t
		}
		for _, freqs := range []bool{false, true} {
			k := kernels.For(kernels.DecodeDocs, kernels.CodecsOf(uint8(id)))
			if freqs {
				k = kernels.For(kernels.DecodeFreqs, kernels.CodecsOf(uint8(id)))
			}
			l, err := b.lists(id, s, per, k.TileBlocks(per))
			if err != nil {
				return err
			}
			err = b.decodeRun(id, s, l, per, goal, freqs)
			l.close()
			if err != nil {
				return err
			}
		}
		goal *= 0.8
	}
	return nil
}

func (b *Bench) decodeRun(id codec.ID, s *sequence, l *lists, per int, goal float64, freqs bool) error {
	grid := func(k kernels.Kernel) int {
		if k.SharesTile() {
			return l.tiles
		}
		return (l.tiles + 7) / 8
	}
	bytes := l.bytesRead + 4*float64(s.n)
	bound := b.copy / bytes * float64(s.n) / 1e9
	if freqs {
		decode := kernels.For(kernels.DecodeFreqs, kernels.CodecsOf(uint8(id)))
		sec, err := b.repeat(9, func(g *cuda.Batch) { g.Launch(decode, grid(decode), 0, kernels.Bytes(&l.params)) })
		if err != nil {
			return err
		}
		b.add(Row{Name: fmt.Sprintf("decode %v freqs, lists of %d", id, per), Value: float64(s.n) / sec / 1e9, Unit: "G ints/s", Bound: bound})
		return b.compare(s, l.out, per, true)
	}
	codecs := kernels.CodecsOf(uint8(id))
	decode, sum := kernels.For(kernels.DecodeDocs, codecs), kernels.For(kernels.SumDocs, codecs)
	sec, err := b.repeat(9, func(g *cuda.Batch) { g.Launch(decode, grid(decode), 0, kernels.Bytes(&l.params)) })
	if err != nil {
		return err
	}
	gaps := ""
	if s.uniform {
		gaps = fmt.Sprintf("gaps of %d bits, ", s.bits)
	}
	b.add(Row{Name: fmt.Sprintf("decode %v docIDs, %slists of %d", id, gaps, per), Value: float64(s.n) / sec / 1e9, Unit: "G ints/s",
		Bound: bound, Goal: goal, Note: fmt.Sprintf("%.2f TB/s, %.2f bytes an integer", bytes/sec/1e12, bytes/float64(s.n))})
	if err := b.compare(s, l.out, per, false); err != nil {
		return err
	}
	if sum == kernels.None || s.uniform {
		return nil
	}
	if tile := sum.TileBlocks(per); tile != decode.TileBlocks(per) {
		if l, err = b.lists(id, s, per, tile); err != nil {
			return err
		}
		defer l.close()
	}
	if sec, err = b.repeat(9, func(g *cuda.Batch) { g.Launch(sum, grid(sum), 0, kernels.Bytes(&l.params)) }); err != nil {
		return err
	}
	fused := 0.0
	if id == codec.BP128 {
		fused = 1500
	}
	b.add(Row{Name: fmt.Sprintf("decode %v fused with a sum, lists of %d", id, per), Value: float64(s.n) / sec / 1e9,
		Unit: "G ints/s", Goal: fused, Note: fmt.Sprintf("%.2f TB/s read", l.bytesRead/sec/1e12)})
	return nil
}

// compare compares all decoded docIDs of lists of per integers with the generator, or the
// frequencies of the same payload, which are the gaps. The first block of a list has no
// preceding docID.
func (b *Bench) compare(s *sequence, out kernels.Ptr, per int, freqs bool) error {
	const chunk = 1 << 24
	h, err := b.raw.HostAlloc(4 * min(s.n, chunk))
	if err != nil {
		return err
	}
	defer b.raw.HostFree(h)
	for at := 0; at < s.n; at += chunk {
		n := min(chunk, s.n-at)
		var g cuda.Batch
		g.CopyOut(h[:4*n], out+kernels.Ptr(4*at))
		if err := errors.Join(b.raw.Submit(&g), b.raw.Wait(0)); err != nil {
			return err
		}
		got := format.Uint32s(h[:4*n])
		err := parallel(n/s.blockLen, func(lo, hi int) error {
			var buf [1024]uint32
			for i := lo; i < hi; i++ {
				j, prev := at/s.blockLen+i, codec.NoDoc
				if j%(per/s.blockLen) > 0 {
					prev = s.last[j-1]
				}
				for k, d := range s.block(j, prev, buf[:]) {
					want := d
					if freqs {
						want, prev = d-prev, d
					}
					if got[i*s.blockLen+k] != want {
						return fmt.Errorf("value %d of block %d is %d, not %d", k, j, got[i*s.blockLen+k], want)
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
