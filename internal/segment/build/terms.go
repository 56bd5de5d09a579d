package build

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// termsBuilder writes sections TERMS, TERMINDEX and LISTS.
type termsBuilder struct {
	terms, keys, offsets, lists stream

	blocks uint64 // begun

	heads   []byte // terms of the open block
	entries []byte // entries of the open block
	n       int    // terms of the open block
	prev    []byte // the last term of the field
}

// endField ends the open block: the next term is the first of a field.
func (t *termsBuilder) endField() {
	t.flush()
	t.prev = t.prev[:0]
}

// add appends a term, which shares lcp bytes with the previous one, and its entry. Its extent,
// if it has one, is at offset extent of POSTINGS, where that of the next term is otherwise.
func (t *termsBuilder) add(term []byte, lcp int, entry []byte, extent int64) error {
	if len(term) == 0 || len(term) > segment.MaxTerm {
		return fmt.Errorf("segment: term of %d bytes, 1 to %d are allowed", len(term), segment.MaxTerm)
	}
	if lcp >= len(term) || lcp > len(t.prev) || lcp < len(t.prev) && t.prev[lcp] > term[lcp] {
		return fmt.Errorf("segment: term %q added after %q", term, t.prev)
	}
	if !bytes.Equal(term[:lcp], t.prev[:lcp]) { // it would be read as another term
		return fmt.Errorf("segment: term %q added after %q as if they shared %d bytes", term, t.prev, lcp)
	}
	t.prev = layout.AppendShort(t.prev[:lcp], term[lcp:])
	if t.n == 0 {
		lcp = 0
		t.blocks++
		t.offsets.addUint64(uint64(t.terms.n))
		t.keys.addUint64(layout.TermKey(term))
		t.lists.addUint64(uint64(extent))
	}
	t.heads = layout.AppendHead(t.heads, lcp, term)
	t.entries = layout.AppendShort(t.entries, entry)
	if t.n++; t.n == layout.TermsPerBlock {
		t.flush()
	}
	return nil
}

// next returns the ordinal of the term that add adds next.
func (t *termsBuilder) next() uint64 {
	if t.n == 0 {
		return layout.TermsPerBlock * t.blocks
	}
	return layout.TermsPerBlock*(t.blocks-1) + uint64(t.n)
}

// flush ends the open block.
func (t *termsBuilder) flush() {
	if t.n == 0 {
		return
	}
	t.terms.add(t.heads)
	t.terms.add(t.entries)
	t.heads, t.entries, t.n = t.heads[:0], t.entries[:0], 0
}

// finish ends the last block and the offsets. extents is the length of POSTINGS.
func (t *termsBuilder) finish(extents int64) {
	t.flush()
	t.offsets.addUint64(uint64(t.terms.n))
	t.lists.addUint64(uint64(extents))
}

// appendSingleton appends the entry of a term with one posting.
func appendSingleton(dst []byte, doc, tf uint32) []byte {
	if tf == 1 {
		return binary.AppendUvarint(dst, uint64(doc)<<2+layout.EntryOnce)
	}
	dst = binary.AppendUvarint(dst, uint64(doc)<<2+layout.EntrySingle)
	return binary.AppendUvarint(dst, uint64(tf-2))
}

// appendExtentEntry appends the entry of an extent at offset off in POSTINGS.
func appendExtentEntry(dst []byte, off int64, df uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(off/layout.ExtentAlign)<<2|layout.EntryExtent)
	return binary.AppendUvarint(dst, uint64(df))
}

// appendCompact appends the entry of a compact list of n postings.
func appendCompact(dst []byte, n int, bits []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<2|layout.EntryCompact)
	dst = binary.AppendUvarint(dst, uint64(len(bits)))
	return append(dst, bits...)
}
