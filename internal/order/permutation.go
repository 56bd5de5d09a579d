package order

import (
	"fmt"
	"math/rand/v2"
)

// Permutation gives documents new docIDs: document d gets p[d].
type Permutation []uint32

// Check returns an error that matches ErrInvalid unless p holds every docID below its length exactly once.
func (p Permutation) Check() error {
	seen := make([]uint64, (len(p)+63)/64)
	for doc, to := range p {
		if int64(to) >= int64(len(p)) {
			return fmt.Errorf("order: %w: document %d of %d gets docID %d", ErrInvalid, doc, len(p), to)
		}
		if seen[to/64]>>(to%64)&1 != 0 {
			return fmt.Errorf("order: %w: document %d gets docID %d, which another has", ErrInvalid, doc, to)
		}
		seen[to/64] |= 1 << (to % 64)
	}
	return nil
}

// Inverse returns the inverse of p: the old docID for every new docID. If Check fails, the
// result has no meaning.
func (p Permutation) Inverse() Permutation {
	q := make(Permutation, len(p))
	for doc, to := range p {
		if int64(to) < int64(len(q)) {
			q[to] = uint32(doc)
		}
	}
	return q
}

// Shuffle returns a random permutation of docs documents, which depends only on the
// seed.
func Shuffle(docs uint32, seed uint64) Permutation {
	p := make(Permutation, docs)
	for i := range p {
		p[i] = uint32(i)
	}
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}
