package format

import "slices"

// Postings are the postings of a list, or some of them: posting i is Docs[i] with Freqs[i].
type Postings struct {
	Docs  []uint32 // docIDs, strictly ascending
	Freqs []uint32 // how often the term occurs in each of these documents, at least 1
}

// MakePostings returns n postings of zeros, as room to decode to.
func MakePostings(n int) Postings {
	return Postings{Docs: make([]uint32, n), Freqs: make([]uint32, n)}
}

// Len returns the number of docIDs.
func (p Postings) Len() int { return len(p.Docs) }

// Slice returns postings from to to-1, which share memory with p. As with slices, to may be
// up to the capacity.
func (p Postings) Slice(from, to int) Postings {
	return Postings{Docs: p.Docs[from:to], Freqs: p.Freqs[from:to]}
}

// Grow returns p with capacity for n more postings.
func (p Postings) Grow(n int) Postings {
	return Postings{Docs: slices.Grow(p.Docs, n), Freqs: slices.Grow(p.Freqs, n)}
}

// Append returns p with the postings of q behind its own.
func (p Postings) Append(q Postings) Postings {
	return Postings{Docs: append(p.Docs, q.Docs...), Freqs: append(p.Freqs, q.Freqs...)}
}

// AppendPosting returns p with one more posting.
func (p Postings) AppendPosting(doc, freq uint32) Postings {
	return Postings{Docs: append(p.Docs, doc), Freqs: append(p.Freqs, freq)}
}

// Sequence is an encoded sequence of docIDs or frequencies as stored in an extent. It
// must not be modified. Its slices come from a file: they may contradict each other.
type Sequence struct {
	Payload []byte   // capacity exceeds length by at least ReadablePadding
	Ends    []uint32 // word offsets into Payload; blocks+1 of them
	Last    []uint32 // skip header: last docID of each block; nil for frequencies
	N       int      // number of values
}
