package lists

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
)

// A job encodes lists with at least ChunkPostings postings together, or ChunkTerms
// lists, or lists of terms with ChunkBytes bytes together.
const (
	ChunkPostings = 1 << 15
	ChunkTerms    = 1 << 12
	ChunkBytes    = 1 << 18
)

// Threads returns how many of up to threads goroutines encode lists of so many postings: none
// beside the caller's if they are about one job.
func Threads(threads int, postings uint64) int {
	if postings < ChunkPostings {
		return 0
	}
	return threads
}

// Encoded is the result of one job: encoded lists back to back in one buffer.
type Encoded struct {
	buf   []byte
	lists []encodedList
}

// encodedList is a build.EncodedList whose bytes end at mid of a buffer, and whose positions end at
// end.
type encodedList struct {
	mid    int
	end    int
	tail   *build.Tail
	tokens uint64
	df     uint32
	kind   segment.Kind
}

// Reset empties e and keeps its memory.
func (e *Encoded) Reset() { e.buf, e.lists = e.buf[:0], e.lists[:0] }

// Len returns the number of lists.
func (e *Encoded) Len() int { return len(e.lists) }

// Encode adds the list of p, encoded by enc. gaps are those of its positions, if the field has any.
func (e *Encoded) Encode(enc *build.ListEncoder, p format.Postings, gaps []uint32) error {
	l, buf, err := enc.EncodePositions(e.buf, p, gaps)
	e.add(l, buf)
	return err
}

// Finish adds the list that was appended to enc.
func (e *Encoded) Finish(enc *build.ListEncoder) error {
	l, buf, err := enc.Finish(e.buf)
	e.add(l, buf)
	return err
}

// AddEmpty adds a list without postings, whose DF is 0: its term is left out.
func (e *Encoded) AddEmpty() { e.add(build.EncodedList{}, e.buf) }

func (e *Encoded) add(l build.EncodedList, buf []byte) {
	e.buf = buf
	e.lists = append(e.lists, encodedList{len(buf) - len(l.Positions), len(buf), l.Tail, l.Tokens, l.DF, l.Kind})
}

// List returns list i.
func (e *Encoded) List(i int) build.EncodedList {
	from := 0
	if i > 0 {
		from = e.lists[i-1].end
	}
	l := &e.lists[i]
	return build.EncodedList{Kind: l.kind, DF: l.df, Tokens: l.tokens, Bytes: e.buf[from:l.mid], Positions: e.buf[l.mid:l.end], Tail: l.tail}
}

// Recycler returns consumed results for reuse.
type Recycler struct{ free chan *Encoded }

// NewRecycler returns a Recycler that keeps up to n results.
func NewRecycler(n int) Recycler { return Recycler{make(chan *Encoded, n)} }

// Get returns an empty result.
func (r Recycler) Get() *Encoded {
	select {
	case e := <-r.free:
		e.Reset()
		return e
	default:
		return &Encoded{}
	}
}

// Put takes a result back.
func (r Recycler) Put(e *Encoded) {
	select {
	case r.free <- e:
	default:
	}
}
