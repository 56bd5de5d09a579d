package build

import (
	"fmt"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/posblock"
	"github.com/pinion-index/pinion/segment"
)

// places is a ListEncoder of a list with positions.
type places struct{ *ListEncoder }

// gaps is what a ListEncoder has of the positions of the list that is being made.
type gaps struct {
	on      bool     // the field has positions
	pending []uint32 // of the pending postings
	bytes   []byte   // blocks, behind those in Tail
	ends    []uint32 // of all blocks
	shifted []uint32 // of a whole list without an extent
}

func (g *gaps) reset() { g.pending, g.bytes, g.ends = g.pending[:0], g.bytes[:0], g.ends[:0] }

// checkGaps checks that gaps are those of positions of p, or that there are none if the field has
// no positions.
func (e places) checkGaps(p format.Postings, gaps []uint32) error {
	if !e.gaps.on {
		if len(gaps) > 0 {
			return fmt.Errorf("segment: %d positions in a field without", len(gaps))
		}
		return nil
	}
	if n := sum(p.Freqs); n != uint64(len(gaps)) {
		return fmt.Errorf("segment: %d positions of frequencies that add up to %d", len(gaps), n)
	}
	for i, tf := range p.Freqs {
		next := uint64(0)
		for _, g := range gaps[:tf] {
			next += uint64(g) + 1
		}
		if gaps = gaps[tf:]; next > segment.MaxPosition+1 {
			return fmt.Errorf("segment: position %d of document %d, at most %d is possible", next-1, p.Docs[i], segment.MaxPosition)
		}
	}
	return nil
}

// cutGaps takes from the beginning of gaps those of postings with these frequencies.
func (e places) cutGaps(gaps *[]uint32, freqs []uint32) []uint32 {
	if !e.gaps.on {
		return nil
	}
	n := sum(freqs)
	all := *gaps
	*gaps = all[n:]
	return all[:n]
}

// addGaps encodes the gaps of a block, if the field has positions.
func (e places) addGaps(gaps []uint32) error {
	if !e.gaps.on {
		return nil
	}
	e.gaps.bytes = posblock.AppendBlock(e.gaps.bytes, gaps)
	return e.endGaps()
}

// endGaps ends a block of positions.
func (e places) endGaps() error {
	n := e.tail.gaps.n + int64(len(e.gaps.bytes))
	if n > math.MaxUint32 {
		return fmt.Errorf("segment: positions of a list take over %d bytes", uint32(math.MaxUint32))
	}
	e.gaps.ends = append(e.gaps.ends, uint32(n))
	return nil
}

// appendPositions appends the list's part of POSITIONS, up to what is in tail. It returns the part
// and the extended dst.
func (e places) appendPositions(dst []byte, extent bool, tail *Tail) (part, all []byte) {
	if !extent {
		return appendGaps(dst, e.gaps.pending)
	}
	at := len(dst)
	dst = append(dst, format.BytesOf(e.gaps.ends)...)
	if tail == nil {
		dst = append(dst, e.gaps.bytes...)
	}
	return dst[at:len(dst):len(dst)], dst
}

// appendGaps appends the part of a list without an extent.
func appendGaps(dst []byte, gaps []uint32) (part, all []byte) {
	at := len(dst)
	dst = posblock.AppendList(dst, gaps)
	return dst[at:len(dst):len(dst)], dst
}

// gapsOf returns the positions of l if the field has some, and none otherwise.
func (e places) gapsOf(l *segment.List) (p segment.Positions, err error) {
	if e.gaps.on {
		p, err = l.Positions()
	}
	return p, err
}

// decodeGaps appends the gaps of count blocks of p from block on, whose frequencies, of blockLen
// postings each, are freqs. Without positions it appends nothing.
func (e places) decodeGaps(dst []uint32, p *segment.Positions, block, blockLen int, freqs []uint32) ([]uint32, error) {
	if !e.gaps.on {
		return dst, nil
	}
	return AppendGaps(dst, p, block, blockLen, freqs)
}

// AppendGaps appends the gaps of p, the positions of a list with blocks of blockLen postings, that
// postings from block on with these frequencies have.
func AppendGaps(dst []uint32, p *segment.Positions, block, blockLen int, freqs []uint32) ([]uint32, error) {
	for ; len(freqs) > 0; block++ {
		n := min(blockLen, len(freqs))
		total := sum(freqs[:n])
		if total > math.MaxUint32 {
			return dst, p.Locate(format.Corrupt("frequencies of a block add up to %d", total), block)
		}
		var err error
		if dst, err = p.AppendBlock(dst, block, uint32(total)); err != nil {
			return dst, err
		}
		freqs = freqs[n:]
	}
	return dst, nil
}

// checkCopied checks that a block of p has total gaps, as far as its headers tell.
func (e places) checkCopied(p *segment.Positions, block int, total uint64) error {
	if !e.gaps.on {
		return nil
	}
	b, err := p.RawBlock(block)
	if err == nil && (total > math.MaxUint32 || !posblock.Fits(b, int(total))) {
		err = p.Locate(format.Corrupt("%d bytes are not those of %d positions", len(b), total), block)
	}
	return err
}

// copyGaps copies the bytes of the first n blocks of p, which were checked, if the field has
// positions.
func (e places) copyGaps(p *segment.Positions, n int) error {
	for b := 0; e.gaps.on && b < n; b++ {
		block, err := p.RawBlock(b)
		if err != nil {
			return err
		}
		e.gaps.bytes = append(e.gaps.bytes, block...)
		if err := e.endGaps(); err != nil {
			return err
		}
		if err := e.spillIfLong(); err != nil {
			return err
		}
	}
	return nil
}
