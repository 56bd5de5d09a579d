package invert

import (
	"fmt"
	"slices"
	"sync"

	"github.com/golang/snappy"
)

// storedText holds the contents of an Accumulator's documents, one compressed
// block for each batch.
type storedText struct {
	pool   *textPool
	blocks []storedBlock
	size   int
}

type storedBlock struct {
	data []byte
	ends []uint32 // of every document in the text
}

// textPool keeps buffers for compressed text.
type textPool struct {
	mu   sync.Mutex
	free [][]byte
}

func (p *textPool) get(n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := len(p.free) - 1; k >= 0 {
		b := p.free[k]
		p.free = p.free[:k]
		if cap(b) >= n {
			return b[:n]
		}
		// One that is too small is dropped: kept on top, it would hide all others, and
		// every segment would leave its buffers here.
	}
	return make([]byte, n, n+n/16) // for texts that compress a little less
}

func (p *textPool) put(b []byte) {
	p.mu.Lock()
	p.free = append(p.free, b)
	p.mu.Unlock()
}

func (p *textPool) drop() {
	p.mu.Lock()
	p.free = nil
	p.mu.Unlock()
}

// compress sets b.stored from the texts of its documents.
func (p *textPool) compress(b *Batch, texts, scratch []byte) []byte {
	scratch = snappy.Encode(scratch[:cap(scratch)], texts)
	b.stored = append(p.get(len(scratch))[:0], scratch...)
	return scratch
}

// take moves the stored text of b, if any, to s.
func (s *storedText) take(b *Batch) {
	if b.stored == nil {
		return
	}
	blk := storedBlock{data: b.stored, ends: slices.Clone(b.storedEnds)}
	b.stored = nil
	s.blocks = append(s.blocks, blk)
	s.size += cap(blk.data) + 4*cap(blk.ends)
}

// each calls f with the text of every document in order.
func (s *storedText) each(f func(text []byte) error) error {
	var buf []byte
	for _, blk := range s.blocks {
		text, err := snappy.Decode(buf[:cap(buf)], blk.data)
		if err != nil {
			return fmt.Errorf("writer: text held in memory: %w", err)
		}
		buf = text
		from := uint32(0)
		for _, to := range blk.ends {
			if err := f(text[from:to]); err != nil {
				return err
			}
			from = to
		}
	}
	return nil
}

func (s *storedText) bytes() int { return s.size }

func (s *storedText) reset() {
	for i, blk := range s.blocks {
		s.pool.put(blk.data)
		s.blocks[i] = storedBlock{}
	}
	s.blocks, s.size = s.blocks[:0], 0
}
