package segment

import "github.com/pinion-index/pinion/format"

// RowPostings is how many postings Rows decodes at a time: enough for codecs to decode a
// row of blocks at full speed, few enough to stay in the L1 cache.
const RowPostings = 2048

// Rows reads the postings of lists, a row of blocks at a time:
//
//	for rows.Reset(l); rows.Next(); {
//		use(rows.Postings)
//	}
//	err := rows.Err()
//
// The zero value is ready for Reset, which may be called again and keeps the buffers. Rows
// is not safe for concurrent use.
type Rows struct {
	// Postings are those of the current row, valid until the next call. They may be
	// modified.
	format.Postings
	// Block is the first block of the row. All blocks except a list's last are full.
	Block int

	l    *List
	next int // block
	buf  format.Postings
	err  error
}

// Reset positions r before the first posting of l.
func (r *Rows) Reset(l *List) { r.ResetAt(l, 0) }

// ResetAt positions r before the first posting of a block of l.
func (r *Rows) ResetAt(l *List, block int) {
	r.l, r.next, r.err = l, block, nil
	if n := max(RowPostings, l.BlockLen); r.buf.Len() < n {
		r.buf = format.MakePostings(n)
	}
}

// Next decodes the next row and reports whether there is one. A row ends before a block
// that cannot be decoded; the next call returns false, and Err returns the error.
func (r *Rows) Next() bool {
	if r.err != nil || r.next >= r.l.Blocks {
		return false
	}
	count := min(max(RowPostings/r.l.BlockLen, 1), r.l.Blocks-r.next)
	n, err := r.l.DecodePostings(r.buf, r.next, count)
	r.err = err
	r.Postings, r.Block = r.buf.Slice(0, n), r.next
	r.next += count
	return n > 0
}

// Err returns the error that ended the walk, or nil.
func (r *Rows) Err() error { return r.err }

// DecodePostings decodes the postings of count blocks from block on, which must exist, to
// dst, which must have room for count*BlockLen postings. It returns their number, or, with
// an error, the number in the blocks before the damaged one.
func (l *List) DecodePostings(dst format.Postings, block, count int) (int, error) {
	n, err := l.DecodeDocs(dst.Docs, block, count)
	if err != nil {
		count = n / l.BlockLen
	}
	if count == 0 {
		return 0, err
	}
	k, freqErr := l.DecodeFreqs(dst.Freqs, block, count)
	if freqErr != nil {
		return k, freqErr // in an earlier block than err
	}
	return n, err
}
