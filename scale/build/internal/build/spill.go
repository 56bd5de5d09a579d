package build

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"
)

// A spill has the blocks of a partition in a file, in the order in which they came.
type spill struct {
	f      *os.File
	size   int64
	pieces []piece
}

// piece is where the documents of a block lie in the file, compressed.
type piece struct {
	place
	off int64
	n   int
}

func newSpill(name string) (*spill, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &spill{f: f}, nil
}

// close closes the file.
func (s *spill) close() error { return s.f.Close() }

// add adds a block.
func (s *spill) add(block []byte) error {
	p, docs, err := cutPlace(block)
	if err != nil {
		return err
	}
	s.pieces = append(s.pieces, piece{p, s.size, len(docs)})
	s.size += int64(len(docs))
	_, err = s.f.Write(docs)
	return err
}

// each calls f with the documents of each block, in their order. They are valid until f returns.
func (s *spill) each(f func(docs []byte) error) error {
	slices.SortFunc(s.pieces, func(a, b piece) int {
		switch {
		case a.before(b.place):
			return -1
		case b.before(a.place):
			return 1
		}
		return 0
	})
	var buf, docs []byte
	next := place{}
	for _, p := range s.pieces {
		if p.input != next.input {
			next = place{p.input, 0}
		}
		if p.place != next {
			return fmt.Errorf("%w: block %d of input %d is missing or there twice", errMalformed, next.number, next.input)
		}
		next.number++
		buf = slices.Grow(buf[:0], p.n)[:p.n]
		if _, err := s.f.ReadAt(buf, p.off); err != nil {
			return err
		}
		var err error
		if docs, err = s2.Decode(docs[:cap(docs)], buf); err != nil {
			return fmt.Errorf("%w: %w", errMalformed, err)
		}
		if err := f(docs); err != nil {
			return err
		}
	}
	return nil
}

// fill adds all blocks, which next returns as long as there are some.
func (s *spill) fill(next func(*[]byte) bool) error {
	var block []byte
	for next(&block) {
		if err := s.add(block); err != nil {
			return errors.Join(err, s.close())
		}
	}
	return nil
}
