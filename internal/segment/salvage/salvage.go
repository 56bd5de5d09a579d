package salvage

import (
	"fmt"
	"iter"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Doc is a document that was read.
// Its slices are valid until the next document.
type Doc struct {
	ID []byte

	// Of a segment without a schema.
	Len  uint32 // the sum of its frequencies that are left if its length is lost
	Text []byte // stored text; nil if there is none or it is lost

	// Of a segment with a schema, whose fields are numbered as in Segment.Fields.
	Lens   []uint32       // by field, the sums of its frequencies that are left; 0 in fields without lengths
	Values []schema.Value // those stored, those only in columns, and vectors; if the stored ones are lost, those of all columns
}

// List is what was read of a posting list. Its docIDs count the documents of Docs.
// The slices are valid until the next list.
type List struct {
	Term  []byte
	Field int // number in Segment.Fields
	format.Postings
	Gaps []uint32 // in a field with positions, those of the postings, as build.ListEncoder takes them
}

// Loss is something that could not be read.
type Loss struct {
	What  string // sections, documents, lengths, texts, columns, vectors, terms, postings, or positions, with their postings
	Field string // the name of their field; "" without a schema and for what is of no field
	Where string // which ones
	Count uint64 // how many
	Err   error  // why
}

// Source reads one segment. Docs must be walked to its end before Lists.
type Source struct {
	s       *segment.Segment // checks what it reads
	plain   *segment.Segment // the same file, without checks
	deleted func(doc uint32) bool

	count  uint64  // terms
	starts []int64 // where the dictionary of each field begins, -1 if that is not known yet

	number []uint32 // new docID of every document, none for those left out
	losses []Loss

	buf  format.Postings // room for a block
	list format.Postings // room for a list
	gaps []uint32        // and its positions
	bare bool            // lists are read without positions
}

const none = ^uint32(0)

// New returns a Source of the segment s. plain is the same segment opened without
// page checks; parsing uses it to find where things end, and what it found is
// checked in s. Documents for which deleted returns true are left out.
func New(s, plain *segment.Segment, deleted func(doc uint32) bool) *Source {
	x := &Source{s: s, plain: plain, deleted: deleted, count: s.Meta().Terms, number: make([]uint32, s.Meta().Docs), buf: format.MakePostings(maxBlock)}
	x.starts = make([]int64, len(s.Fields()))
	for i := 1; i < len(x.starts); i++ {
		x.starts[i] = -1
	}
	return x
}

// Losses returns what could not be read so far.
func (x *Source) Losses() []Loss { return x.losses }

func (x *Source) lose(what, where string, count uint64, err error) {
	x.add(Loss{What: what, Where: where, Count: count, Err: err})
}

// loseOf is lose of what is of a field, given by its number.
func (x *Source) loseOf(field int, what, where string, count uint64, err error) {
	x.add(Loss{What: what, Field: x.s.Fields()[field].Name, Where: where, Count: count, Err: err})
}

func (x *Source) add(loss Loss) {
	if n := len(x.losses); n > 0 {
		if l := &x.losses[n-1]; l.What == loss.What && l.Field == loss.Field && l.Where == loss.Where {
			l.Count += loss.Count
			return
		}
	}
	x.losses = append(x.losses, loss)
}

// section returns n bytes of a section, checked.
func (x *Source) section(id format.SectionID, off, n int64) ([]byte, error) {
	return x.s.Raw().SectionBytes(id, off, n)
}

// window returns at most n bytes of a section from off on, unchecked.
func (x *Source) window(id format.SectionID, off, n int64) ([]byte, error) {
	sec, _ := x.s.Header().Section(id)
	return x.plain.Raw().SectionBytes(id, off, max(0, min(n, sec.Length-off)))
}

// blocks walks the front-coded blocks r of a section. parse returns the length of
// block i, which is at the start of b, or an error; it must not keep b. index is
// the section with the offsets of the blocks from position at on. For every block
// the sequence yields its bytes, checked, or why they cannot be read.
func (x *Source) blocks(id, index format.SectionID, at int64, r blockRange, parse func(i int, b []byte) (int, error)) iter.Seq2[span, error] {
	return func(yield func(span, error) bool) {
		pos := r.pos // of block i, -1 if the block before was damaged
		for i := r.first; i < r.end; i++ {
			if pos < 0 {
				b, err := x.section(index, at+8*int64(i), 8)
				if err == nil {
					pos = int64(format.Uint64s(b)[0])
				} else if !yield(span{block: i}, err) {
					return
				} else {
					continue
				}
			}
			b, err := x.block(id, pos, i, parse)
			if err == nil {
				pos += int64(len(b))
			}
			if !yield(span{block: i, off: pos - int64(len(b)), bytes: b}, err) {
				return
			}
			if err != nil {
				pos = -1
			}
		}
	}
}

// blockRange are the blocks of a section from first up to end. pos is where the first is, -1 if
// only the index can say.
type blockRange struct {
	first, end int
	pos        int64
}

// span is a block of a section.
type span struct {
	block int
	off   int64
	bytes []byte
}

// Almost every block is shorter than window, and none is longer than maxWindow: 32 terms of
// 65,535 bytes with compact lists of 4096.
const (
	window    = 16 << 10
	maxWindow = 4 << 20
)

func (x *Source) block(id format.SectionID, pos int64, i int, parse func(i int, b []byte) (int, error)) ([]byte, error) {
	var n int
	for size := int64(window); ; size = maxWindow {
		b, err := x.window(id, pos, size)
		if err != nil {
			return nil, err
		}
		if n, err = parse(i, b); err == nil {
			break
		}
		if int64(len(b)) == size && size < maxWindow {
			continue
		}
		// A damaged page is the likelier cause: it has a clearer error.
		if _, checked := x.section(id, pos, min(int64(len(b)), format.PageSize)); checked != nil {
			err = checked
		}
		return nil, err
	}
	return x.section(id, pos, int64(n))
}

func (x *Source) malformed(id format.SectionID, what string, block int) error {
	return x.s.Raw().Corrupt(id, 0, "malformed %s block %d", what, block)
}

// docsOf names documents.
func docsOf(first, end uint32) string {
	if end == first+1 {
		return fmt.Sprint("document ", first)
	}
	return fmt.Sprintf("documents %d to %d", first, end-1)
}

// maxBlock is the longest block of any codec.
const maxBlock = 1024

// heads returns the position after n front-coded strings, and the length of the
// last; -1 if they are malformed.
func heads(b []byte, n int) (pos, length int) {
	for range n {
		lcp, suffix, next := layout.Head(b, pos, length)
		if next < 0 {
			return -1, 0
		}
		pos, length = next, lcp+len(suffix)
	}
	return pos, length
}
