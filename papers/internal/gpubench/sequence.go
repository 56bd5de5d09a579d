package gpubench

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
)

// sequence is an encoded sequence of docIDs with gaps of bits bits. It is generated block
// by block, so that block i can be generated again for comparison.
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
		return nil, fmt.Errorf("gpubench: codec %v is not there", id)
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

// newLists encodes n docIDs as lists of per each, for codecs with list headers.
func newLists(id codec.ID, n, per, bits int, uniform bool) (*sequence, error) {
	c, ok := registry.ByID(id)
	if !ok {
		return nil, fmt.Errorf("gpubench: codec %v is not there", id)
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

// parallel calls f for parts of [0, n) on all processors.
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
