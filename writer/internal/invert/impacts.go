package invert

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
)

// impactHead is what a term of a value of impacts takes in the text of a batch besides its bytes: its
// length in two bytes, and its weight.
const impactHead = 3

// appendImpacts appends the terms of v to the text of a batch.
func appendImpacts(dst []byte, v schema.Value) []byte {
	for term, weight := range v.Impacts() {
		dst = append(binary.LittleEndian.AppendUint16(dst, uint16(len(term))), weight)
		dst = append(dst, term...)
	}
	return dst
}

// cutImpacts returns the length of the terms at the beginning of content, some n bytes of them.
func cutImpacts(content []byte, n int) int {
	end := 0
	for end < min(n, len(content)) {
		end += impactHead + int(binary.LittleEndian.Uint16(content[end:]))
	}
	return end
}

// impacts inverts content, the value of a field of impacts, and returns how many terms it has. They
// come once in a document, so each makes a posting, in their order.
func (v *Inverter) impacts(b *Batch, doc uint32, number int, content []byte) (terms uint32) {
	x := v.fields
	v.tokens.Reset()
	v.weights = v.weights[:0]
	for rest := content; len(rest) > 0; {
		end := impactHead + int(binary.LittleEndian.Uint16(rest))
		v.tokens.Add(analysis.Token{Term: rest[impactHead:end], End: end - impactHead, Increment: 1})
		v.weights = append(v.weights, rest[2])
		rest = rest[end:]
	}
	first := len(v.postings)
	terms = v.document(b, doc, termSpace{x.seeds[number], x.fields[number].rank << fieldShift, false}, &x.at[number])
	for i, w := range v.weights {
		v.postings[first+i].tf = uint32(w)
	}
	return terms
}
