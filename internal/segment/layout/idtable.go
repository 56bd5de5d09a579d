package layout

import (
	"bufio"
	"encoding/binary"
	"io"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/format"
)

// IDTable is section IDHASH as it is packed from version 0.6 on. Of docs documents, those whose ids have a hash of
// 32 bits are in bucket hash*docs>>32. The entries of a bucket follow those of the one before it; each holds the next bits of the
// hash, the print, and the number of the block of IDS that the id is in. Behind the entries comes for every bucket a one for
// each of its entries and a zero, and then how many entries are before every bucket whose number is a multiple of
// format.IDBucketRun. Methods are safe whatever the bytes are.
type IDTable struct {
	b      []byte
	docs   uint64
	width  uint   // of an entry
	counts int64  // where ones and zeros begin
	starts int64  // where the numbers of entries begin
	mask   uint64 // of the number of a block
}

// NewIDTable returns the table that b is, which must have the length that the format has for docs documents.
func NewIDTable(b []byte, docs uint32) *IDTable {
	t := &IDTable{b: b, docs: uint64(docs), width: uint(format.IDEntryBits(int64(IDBlocks(int(docs)))))}
	t.counts = (int64(docs)*int64(t.width) + 7) / 8
	t.starts = t.counts + (2*int64(docs)+7)/8
	t.mask = 1<<(t.width-format.IDPrintBits) - 1
	return t
}

// EntryBits returns the width of an entry.
func (t *IDTable) EntryBits() int { return int(t.width) }

// Parts returns where the counts of buckets begin, behind the entries, and where the starts begin.
func (t *IDTable) Parts() (counts, starts int64) { return t.counts, t.starts }

// Place returns the bucket of a hash and its print.
func (t *IDTable) Place(hash uint32) (bucket uint32, print int) {
	at := uint64(hash) * t.docs
	return uint32(at >> 32), int(uint32(at) >> (32 - format.IDPrintBits))
}

// IDBucket says where the entries of a bucket are.
type IDBucket struct {
	First, N int   // numbers of entries; N is -1 if the bytes say nothing
	Start    int64 // where the 4 bytes are that were read of the starts
	Lo, Hi   int64 // what was read of the counts
}

// Bucket finds a bucket, which is less than the number of documents.
func (t *IDTable) Bucket(bucket uint32) (x IDBucket) {
	run := int64(bucket / format.IDBucketRun)
	x.N, x.Start = -1, t.starts+4*run
	before := uint64(binary.LittleEndian.Uint32(t.b[x.Start:]))
	pos := before + uint64(run)*format.IDBucketRun // of the first of the run, as a bit
	x.Lo, x.Hi = min(t.counts+int64(pos/8), t.starts), t.starts
	pos = t.skip(pos, int(bucket%format.IDBucketRun))
	end := pos + t.ones(pos)
	if end >= 2*t.docs || end-uint64(bucket) > t.docs {
		return x
	}
	x.First, x.N, x.Hi = int(pos-uint64(bucket)), int(end-pos), t.counts+int64(end/8)+1
	return x
}

// skip returns the position behind n zeros from pos on, or one behind the counts.
func (t *IDTable) skip(pos uint64, n int) uint64 {
	for n > 0 && pos < 2*t.docs {
		shift := pos % 8
		w, size := ^t.load(t.counts+int64(pos/8))>>shift, 64-shift // zeros shift in at the end
		if c := bits.OnesCount64(w); c < n {
			n -= c
			pos += size
			continue
		}
		return pos + uint64(nth(w, n-1)) + 1
	}
	return pos
}

// nth returns the number of the n-th one of w, which has more than n.
func nth(w uint64, n int) int {
	const low, high = 0x0101010101010101, 0x8080808080808080 // bits of bytes
	s := w - w>>1&0x5555555555555555
	s = s&0x3333333333333333 + s>>2&0x3333333333333333
	s = (s + s>>4) & 0x0f0f0f0f0f0f0f0f * low                 // each byte has the ones up to its end
	at := 8 * bits.OnesCount64(((uint64(n)*low|high)-s)&high) // of the byte
	w >>= at
	for range n - int(s<<8>>at&0xff) {
		w &= w - 1
	}
	return at + bits.TrailingZeros64(w)
}

// ones returns how many ones are at pos.
func (t *IDTable) ones(pos uint64) (n uint64) {
	for pos+n < 2*t.docs {
		at := pos + n
		c := uint64(bits.TrailingZeros64(^(t.load(t.counts+int64(at/8)) >> (at % 8))))
		if n += c; c < 64-at%8 {
			break
		}
	}
	return n
}

// load returns the 8 bytes at off, of which those behind the end are zeros.
func (t *IDTable) load(off int64) uint64 {
	if off+8 <= int64(len(t.b)) {
		return binary.LittleEndian.Uint64(t.b[off:])
	}
	var last [8]byte
	copy(last[:], t.b[min(off, int64(len(t.b))):])
	return binary.LittleEndian.Uint64(last[:])
}

// Entry returns entry i, which must be below the number of documents. The number of the block may be too great.
func (t *IDTable) Entry(i int) (print, block int) {
	pos := uint64(i) * uint64(t.width)
	v := t.load(int64(pos/8)) >> (pos % 8)
	return int(v & (1<<format.IDPrintBits - 1)), int(v >> format.IDPrintBits & t.mask)
}

// Span returns which bytes n entries from first on are in.
func (t *IDTable) Span(first, n int) (lo, hi int64) {
	return int64(first) * int64(t.width) / 8, (int64(first+n)*int64(t.width) + 7) / 8
}

// Count returns how many entries a bucket has whose count begins at bit pos of the counts.
func (t *IDTable) Count(pos int) int { return int(t.ones(uint64(pos))) }

// Filled reports whether the bits behind the entries and behind the counts are zeros.
func (t *IDTable) Filled() bool {
	entries, counts := t.docs*uint64(t.width), 2*t.docs
	return (entries%8 == 0 || t.b[entries/8]>>(entries%8) == 0) && (counts%8 == 0 || t.b[uint64(t.counts)+counts/8]>>(counts%8) == 0)
}

// Before returns how many entries are before run i of buckets, as the table says.
func (t *IDTable) Before(i int) int {
	return int(binary.LittleEndian.Uint32(t.b[t.starts+4*int64(i):]))
}

// WriteIDTable writes the table of documents whose ids have these hashes. The entries of a bucket are in the order of the hashes and of
// docIDs.
func WriteIDTable(w io.Writer, hashes []uint32) error {
	docs := uint64(len(hashes))
	out := &bitWriter{w: bufio.NewWriter(w), buf: make([]byte, 0, 64<<10)}
	width := uint(format.IDEntryBits(int64(IDBlocks(len(hashes)))))
	counts := make([]uint64, (2*docs+63)/64)
	starts := make([]uint32, (docs+format.IDBucketRun-1)/format.IDBucketRun)
	done, begun := uint64(0), uint64(0) // entries, and buckets whose run has begun
	for words := range ByHash(hashes) {
		word, at := uint64(0), (done+words[0]>>32*docs>>32)/64 // of counts
		for _, v := range words {
			place := v >> 32 * docs
			bucket := place >> 32
			for ; begun <= bucket; begun += format.IDBucketRun {
				starts[begun/format.IDBucketRun] = uint32(done)
			}
			pos := done + bucket
			if pos/64 != at {
				counts[at] |= word
				word, at = 0, pos/64
			}
			word |= 1 << (pos % 64)
			out.put(v&math.MaxUint32/IDsPerBlock<<format.IDPrintBits|place>>(32-format.IDPrintBits)&(1<<format.IDPrintBits-1), width)
			done++
		}
		counts[at] |= word
	}
	for ; begun < docs; begun += format.IDBucketRun {
		starts[begun/format.IDBucketRun] = uint32(done)
	}
	out.flush()
	out.w.Write(format.BytesOf(counts)[:(2*docs+7)/8])
	out.w.Write(format.BytesOf(starts))
	return out.w.Flush() // or an earlier error
}

// sortedAtOnce is how many hashes ByHash sorts at a time, or a 64th of all.
const sortedAtOnce = 1 << 20

// ByHash yields hashes in ascending order, each with its number in the low half, in pieces that are valid until the next one. Equal
// hashes are in the order of their numbers, and in one piece.
func ByHash(hashes []uint32) iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		n := uint64(len(hashes))
		part := max(sortedAtOnce, n/64)
		ends := make([]uint32, min(part, n))
		var sorted []uint64
		for from := uint64(0); from < n; from += part {
			ends = ends[:min(part, n-from)]
			sorted = sortByHash(sorted, hashes, from, ends)
			if len(sorted) > 0 && !yield(sorted) {
				return
			}
		}
	}
}

// sortByHash returns the hashes whose place among all, if they were spread evenly, is one of the len(ends) from from on. These places have
// one each on average, so most is done when each is at its own.
func sortByHash(sorted []uint64, hashes []uint32, from uint64, ends []uint32) []uint64 {
	n := uint64(len(hashes))
	clear(ends)
	for _, h := range hashes {
		if i := uint64(h)*n>>32 - from; i < uint64(len(ends)) {
			ends[i]++
		}
	}
	all := uint32(0)
	for i, c := range ends {
		ends[i] = all
		all += c
	}
	sorted = slices.Grow(sorted[:0], int(all))[:all]
	for number, h := range hashes {
		if i := uint64(h)*n>>32 - from; i < uint64(len(ends)) {
			sorted[ends[i]] = uint64(h)<<32 | uint64(number)
			ends[i]++
		}
	}
	at := uint32(0)
	for _, end := range ends {
		switch in := sorted[at:end]; {
		case len(in) > 2:
			slices.Sort(in)
		case len(in) == 2 && in[0] > in[1]:
			in[0], in[1] = in[1], in[0]
		}
		at = end
	}
	return sorted
}

// bitWriter writes numbers of some bits, least significant bit first.
type bitWriter struct {
	w   *bufio.Writer
	buf []byte // not written yet
	acc uint64
	n   uint // bits in acc, less than 64
}

// put writes a number of less than 64 bits.
func (b *bitWriter) put(v uint64, width uint) {
	b.acc |= v << b.n
	if b.n += width; b.n >= 64 {
		b.buf = binary.LittleEndian.AppendUint64(b.buf, b.acc)
		b.n -= 64
		b.acc = v >> (width - b.n)
		if len(b.buf) == cap(b.buf) {
			b.w.Write(b.buf)
			b.buf = b.buf[:0]
		}
	}
}

// flush fills the last byte with zeros.
func (b *bitWriter) flush() {
	b.w.Write(b.buf)
	b.w.Write(binary.LittleEndian.AppendUint64(nil, b.acc)[:(b.n+7)/8])
}
