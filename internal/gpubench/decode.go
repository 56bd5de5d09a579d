package gpubench

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/kernels"
)

// sequence is an encoded sequence of docIDs whose gaps need bits bits, made block
// by block so that block i can be made again to compare with.
type sequence struct {
	n, blockLen, bits int
	uniform           bool
	payload           []byte
	ends, last        []uint32
	starts            []int // payload of each list, if lists are encoded one by one, each with ends of its own
}

// block makes the docIDs of block i, which follow prev: gaps of 0 to 3 and one of
// bits bits, so that 2^29 of them stay below 2^31; if uniform all of up to bits bits.
func (s *sequence) block(i int, prev uint32, dst []uint32) []uint32 {
	n := min(s.blockLen, s.n-i*s.blockLen)
	x := uint64(i)*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d
	big := int(x>>40) % n
	for j := range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		g := uint32(x>>33) & 3
		if s.uniform {
			g = uint32(x>>33) & (1<<s.bits - 1)
		} else if j%128 == big%128 {
			g = 1<<s.bits - 1
		}
		prev += g + 1
		dst[j] = prev
	}
	return dst[:n]
}

// newSequence encodes n docIDs.
func newSequence(id codec.ID, n, bits int) (*sequence, error) {
	c, ok := registry.ByID(id)
	bc, isBlock := c.(codec.BlockCodec)
	if !ok || !isBlock {
		return nil, fmt.Errorf("measure: codec %v is not there", id)
	}
	s := &sequence{n: n, blockLen: c.BlockLen(), bits: bits}
	nb := codec.Blocks(n, s.blockLen)
	s.ends, s.last = make([]uint32, nb+1), make([]uint32, nb)
	// The sums first, then the blocks, many at once.
	parallel(nb, func(lo, hi int) error {
		var buf [1024]uint32
		for i := lo; i < hi; i++ {
			d := s.block(i, codec.NoDoc, buf[:])
			s.last[i] = d[len(d)-1] + 1
		}
		return nil
	})
	sum := uint32(0)
	for i := range s.last {
		sum += s.last[i]
		s.last[i] = sum - 1
	}
	const run = 1024
	parts := make([][]byte, (nb+run-1)/run)
	err := parallel(len(parts), func(lo, hi int) error {
		var buf [1024]uint32
		for p := lo; p < hi; p++ {
			var out []byte
			for i := p * run; i < min((p+1)*run, nb); i++ {
				prev := codec.NoDoc
				if i > 0 {
					prev = s.last[i-1]
				}
				var err error
				if out, err = bc.AppendDocsBlock(out, s.block(i, prev, buf[:]), prev); err != nil {
					return err
				}
				s.ends[i+1] = uint32(len(out) / 4)
			}
			parts[p] = out
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	base := uint32(0)
	for p := range parts {
		for i := p * run; i < min((p+1)*run, nb); i++ {
			s.ends[i+1] += base
		}
		base += uint32(len(parts[p]) / 4)
		s.payload = append(s.payload, parts[p]...)
	}
	return s, nil
}

// newLists encodes n docIDs as lists of per each: for codecs that know of more than a
// block.
func newLists(id codec.ID, n, per, bits int, uniform bool) (*sequence, error) {
	c, ok := registry.ByID(id)
	if !ok {
		return nil, fmt.Errorf("measure: codec %v is not there", id)
	}
	s := &sequence{n: n, blockLen: c.BlockLen(), bits: bits, uniform: uniform, last: make([]uint32, n/c.BlockLen()), starts: make([]int, n/per)}
	nb := per / s.blockLen
	s.ends = make([]uint32, len(s.starts)*(nb+1))
	parts := make([][]byte, len(s.starts))
	err := parallel(len(parts), func(lo, hi int) error {
		docs := make([]uint32, per)
		for l := lo; l < hi; l++ {
			prev := codec.NoDoc
			for i := range nb {
				prev = s.block(l*nb+i, prev, docs[i*s.blockLen:])[s.blockLen-1]
				s.last[l*nb+i] = prev
			}
			var err error
			if parts[l], err = c.AppendDocs(nil, s.ends[l*(nb+1):(l+1)*(nb+1)], docs); err != nil {
				return err
			}
		}
		return nil
	})
	for l, p := range parts {
		s.starts[l] = len(s.payload)
		s.payload = append(append(s.payload, p...), make([]byte, -len(p)&63+format.ReadablePadding)...)
	}
	return s, err
}

// parallel calls f for parts of 0 to n, on all processors.
func parallel(n int, f func(lo, hi int) error) error {
	w := runtime.GOMAXPROCS(0)
	step := max(1, n/(8*w))
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, w)
	for i := range w {
		wg.Go(func() {
			for errs[i] == nil {
				lo := int(next.Add(int64(step))) - step
				if lo >= n {
					return
				}
				errs[i] = f(lo, min(lo+step, n))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// upload copies bytes to new device memory.
func (b *Bench) upload(data []byte) (gpuload.Ptr, error) {
	p, err := b.Device.Alloc(int64(len(data)) + 256)
	if err != nil {
		return 0, err
	}
	h, err := b.Device.HostAlloc(min(len(data), 64<<20))
	if err != nil {
		return 0, err
	}
	defer b.Device.HostFree(h)
	for at := 0; at < len(data); {
		n := copy(h, data[at:])
		var g gpuload.Batch
		g.CopyIn(p+kernels.Ptr(at), h[:n])
		if err := errors.Join(b.Device.Submit(&g), b.Device.Wait(0)); err != nil {
			return 0, err
		}
		at += n
	}
	return p, nil
}

// Decode measures decoding to docIDs in device memory: 2^29 integers in one list, or for
// codecs whose lists are more than their blocks in lists of 2^20, and 4,096 lists of 2^16.
func (b *Bench) Decode() error {
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
// whose gaps all have up to so many bits.
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
		k, _, _ := kernels.DocsDecoder(uint8(id))
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

// device lays a sequence out as lists of per integers each: descriptors that share
// one payload.
type lists struct {
	b         *Bench
	mem       []gpuload.Ptr
	params    kernels.DecodeParams
	out       gpuload.Ptr
	tiles     int
	bytesRead float64
}

func (l *lists) close() {
	for _, p := range l.mem {
		_ = l.b.Device.Free(p)
	}
}

func (l *lists) put(data []byte) gpuload.Ptr {
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
			err = fmt.Errorf("measure: %v", r)
			l.close()
		}
	}()
	payload, ends, last := l.put(s.payload), l.put(kernels.Slice(s.ends)), l.put(kernels.Slice(s.last))
	if l.out, err = b.Device.Alloc(4 * int64(s.n)); err != nil {
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
	sums, err := b.Device.Alloc(32 * int64(len(tiles)))
	if err != nil {
		return nil, err
	}
	l.mem, l.params.Sums = append(l.mem, sums), sums
	l.bytesRead = float64(len(s.payload) + 8*len(s.last))
	return l, nil
}

func (b *Bench) decodeLong(id codec.ID, s *sequence, goal float64) error {
	for _, per := range []int{s.n, 1 << 16} {
		if per > s.n { // lists share one payload, which these codecs do not notice
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
			k, _, _ := kernels.DocsDecoder(uint8(id))
			if freqs {
				k = kernels.FreqsDecoder(uint8(id))
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
		decode := kernels.FreqsDecoder(uint8(id))
		sec, err := b.repeat(9, func(g *gpuload.Batch) { g.Launch(decode, grid(decode), 0, kernels.Bytes(&l.params)) })
		if err != nil {
			return err
		}
		b.add(Row{Name: fmt.Sprintf("decode %v freqs, lists of %d", id, per), Value: float64(s.n) / sec / 1e9, Unit: "G ints/s", Bound: bound})
		return b.compare(s, l.out, per, true)
	}
	decode, sum, _ := kernels.DocsDecoder(uint8(id))
	sec, err := b.repeat(9, func(g *gpuload.Batch) { g.Launch(decode, grid(decode), 0, kernels.Bytes(&l.params)) })
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
	if sum == kernels.Count || s.uniform {
		return nil
	}
	if tile := sum.TileBlocks(per); tile != decode.TileBlocks(per) {
		if l, err = b.lists(id, s, per, tile); err != nil {
			return err
		}
		defer l.close()
	}
	if sec, err = b.repeat(9, func(g *gpuload.Batch) { g.Launch(sum, grid(sum), 0, kernels.Bytes(&l.params)) }); err != nil {
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

// compare checks all decoded docIDs of lists of per integers against the generator, or the
// frequencies of the same payload, which are the gaps. A list's first block starts from no docID.
func (b *Bench) compare(s *sequence, out gpuload.Ptr, per int, freqs bool) error {
	const chunk = 1 << 24
	h, err := b.Device.HostAlloc(4 * min(s.n, chunk))
	if err != nil {
		return err
	}
	defer b.Device.HostFree(h)
	for at := 0; at < s.n; at += chunk {
		n := min(chunk, s.n-at)
		var g gpuload.Batch
		g.CopyOut(h[:4*n], out+kernels.Ptr(4*at))
		if err := errors.Join(b.Device.Submit(&g), b.Device.Wait(0)); err != nil {
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
