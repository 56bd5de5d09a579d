package build

import "io"

// Held returns the capacity of e's payload buffers in bytes.
func (e *ListEncoder) Held() int { return cap(e.docsBytes) + cap(e.freqsBytes) }

// CopyTo writes all of t.
func (t *Tail) CopyTo(w io.Writer) error { return t.copyTo(w) }

// Release releases the files of t.
func (t *Tail) Release() { t.release() }
