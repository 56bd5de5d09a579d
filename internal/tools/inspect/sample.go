package inspect

import (
	"math/rand/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/segment"
)

// Sample says what the histograms of gaps, frequencies and widths come from: the blocks
// that hold every Step-th posting of the index in the order of the dictionary, from a
// random one on. So every posting is in the sample with the same probability, and a block
// of a list as long as the list is.
type Sample struct {
	Step     uint64 `json:"step"`
	Seed     uint64 `json:"seed"`
	Blocks   int    `json:"blocks"`
	Postings uint64 `json:"postings"`
}

// sampler draws blocks.
type sampler struct {
	Sample
	seen, mark uint64 // postings before the next list; the next posting to draw

	gaps, freqs, docsWidth, freqsWidth, exceptions *Histogram

	// run, unless nil, is called with each list and block of the sample.
	run func(term []byte, seg int, l *segment.List, block int) error

	room format.Postings // for a block
}

func newSampler(postings uint64, o Options) *sampler {
	s := &sampler{Sample: Sample{Seed: o.Seed, Step: max(1, postings/uint64(max(o.Blocks, 1)))}, run: o.Run}
	s.mark = rand.New(rand.NewPCG(o.Seed, 0)).Uint64N(s.Step)
	if o.Blocks == 0 {
		s.mark = ^uint64(0)
	}
	s.gaps = newHistogram("gaps", "Gaps between docIDs", "docIDs", "postings", octave, true)
	s.freqs = newHistogram("frequencies", "Frequencies", "occurrences", "postings", octave, true)
	s.docsWidth = newHistogram("docs-widths", "Block widths of docIDs", "bits", "blocks", linear, true)
	s.freqsWidth = newHistogram("freqs-widths", "Block widths of frequencies", "bits", "blocks", linear, true)
	s.exceptions = newHistogram("exceptions", "Exceptions of docIDs", "exceptions of a block", "blocks", linear, true)
	return s
}

// wants reports whether a list with n postings has a block in the sample.
func (s *sampler) wants(n uint32) bool { return s.mark-s.seen < uint64(n) && s.mark >= s.seen }

// skip moves past a list.
func (s *sampler) skip(n uint32) {
	s.seen += uint64(n)
	for s.mark < s.seen {
		s.mark += s.Step
	}
}

// list draws blocks of a list.
func (s *sampler) list(term []byte, seg int, l *segment.List) error {
	for last := -1; s.mark < s.seen+uint64(l.N); s.mark += s.Step {
		block := int(s.mark-s.seen) / l.BlockLen
		if block == last {
			continue
		}
		last = block
		if err := s.block(l, block); err != nil {
			return l.Locate(err, block)
		}
		if s.run != nil {
			if err := s.run(term, seg, l, block); err != nil {
				return err
			}
		}
	}
	return nil
}

// block adds a block to the histograms.
func (s *sampler) block(l *segment.List, block int) error {
	if s.room.Len() < l.BlockLen {
		s.room = format.MakePostings(l.BlockLen)
	}
	n, err := l.DecodePostings(s.room, block, 1)
	if err != nil {
		return err
	}
	prev := codec.NoDoc
	if block > 0 {
		prev = l.Last(block - 1)
	}
	for i, doc := range s.room.Docs[:n] {
		s.gaps.add(uint64(doc-prev), 1)
		s.freqs.add(uint64(s.room.Freqs[i]), 1)
		prev = doc
	}
	s.Blocks++
	s.Postings += uint64(n)
	if l.Kind != segment.KindExtent {
		return nil
	}
	b, err := PackingOf(l.DocsCodec, &l.Docs, block)
	if err != nil {
		return err
	}
	s.docsWidth.add(uint64(b.Width+0.5), 1)
	if b.Exceptions >= 0 {
		s.exceptions.add(uint64(b.Exceptions), 1)
	}
	if b, err = PackingOf(l.FreqsCodec, &l.Freqs, block); err == nil {
		s.freqsWidth.add(uint64(b.Width+0.5), 1)
	}
	return err
}
