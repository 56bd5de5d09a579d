package segment

import (
	"errors"
	"sort"

	"github.com/pinion-index/pinion/format"
)

// Locate is List.Locate for the list of e, which must be an entry of the segment. It looks for the
// term in the dictionary; a damaged one may leave it unnamed, as it does a list of one
// posting, whose entry does not tell where it stands.
func (ls Lists) Locate(err error, e Entry, block int) error {
	s := ls.s
	var at *format.Error
	if !errors.As(err, &at) {
		return err
	}
	sec := &s.terms
	if e.Kind == KindExtent {
		sec = &s.postings
	}
	p := s.place(sec)
	p.Block = block
	if at.List == "" && at.Kind == format.ErrCorrupt && s.meta.Terms > 0 { // not of a list in no segment
		p.List = string(ls.termOf(e))
	}
	if err = format.Locate(err, p); e.Kind == KindSingleton {
		return err
	}
	return locateAt(err, sec.Offset+e.Offset)
}

// termOf returns the term of an entry that is not KindSingleton, or nil if it is not found.
// The offsets of compact lists and of extents each ascend with the terms.
func (ls Lists) termOf(e Entry) []byte {
	ti, err := ls.termIndexOf()
	if err != nil || e.Kind == KindSingleton {
		return nil
	}
	n := len(ti.keys)
	block := sort.Search(n, func(i int) bool { // the first block above that of e
		if e.Kind == KindCompact {
			return ti.offsets[i] > uint64(e.Offset)
		}
		for ; i < n; i++ {
			if it := ls.blockTerms(i); it.nextExtent() {
				return it.entry.Offset > e.Offset
			}
		}
		return true
	})
	if block == 0 {
		return nil
	}
	for it := ls.blockTerms(block - 1); it.nextInBlock(); {
		if it.entry == e {
			return it.term
		}
	}
	return nil
}

// blockTerms returns an iterator before the first term of a block, which must exist.
func (ls Lists) blockTerms(block int) *TermIterator {
	it := ls.Terms()
	if it.err == nil {
		it.load(block)
	}
	return it
}

// nextInBlock is Next that does not leave the block.
func (it *TermIterator) nextInBlock() bool { return it.err == nil && it.j < it.b.Terms && it.step() }

// nextExtent moves to the next extent of the block.
func (it *TermIterator) nextExtent() bool {
	for it.nextInBlock() {
		if it.entry.Kind == KindExtent {
			return true
		}
	}
	return false
}
