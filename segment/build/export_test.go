package build

import "io"

// NewEncoder returns an encoder without a Builder, for documents of avgLen tokens on average.
func NewEncoder(o Options, avgLen float64) *ListEncoder {
	return newListEncoder(&o, newLengths(o.Lengths), newImpactModel(avgLen))
}

// Held returns the capacity of e's payload buffers in bytes.
func (e *ListEncoder) Held() int { return cap(e.docsBytes) + cap(e.freqsBytes) }

// CopyTo writes all of t.
func (t *Tail) CopyTo(w io.Writer) error { return t.copyTo(w) }

// Release releases the files of t.
func (t *Tail) Release() { t.release() }
