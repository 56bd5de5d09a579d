// Package salvage reads what is left of a damaged segment.
//
// The dictionary and the ids are front-coded in blocks. Salvage walks the blocks
// one after the other, and continues behind a damaged one at the next block that
// an undamaged page of the index locates. A list loses only the blocks that do not
// decode. Documents whose ids cannot be read are lost with their postings, since
// nothing else identifies them. Every loss is recorded.
//
// It reads a segment that can be opened: one with a first page, a footer and META
// that are sound.
package salvage
