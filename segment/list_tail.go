package segment

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
)

// tailMemory is how many bytes of a list's payload a ListEncoder holds, before
// they go to temporary files, unless options say otherwise.
const tailMemory = 4 << 20

// tailBlocks is how many blocks of a list that lies in files are read at once.
const tailBlocks = 1024

// tempFiles hands out temporary files, used ones again, to several goroutines.
type tempFiles struct {
	mu   sync.Mutex
	make func() (io.ReadWriteSeeker, error) // nil: there are none
	free []io.ReadWriteSeeker
}

// get returns a file with its place at the beginning.
func (t *tempFiles) get() (io.ReadWriteSeeker, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		f := t.free[n-1]
		t.free = t.free[:n-1]
		_, err := f.Seek(0, io.SeekStart)
		return f, err
	}
	return t.make()
}

// fresh returns a file that put will not see.
func (t *tempFiles) fresh() (io.ReadWriteSeeker, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.make()
}

func (t *tempFiles) put(f io.ReadWriteSeeker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, f)
}

// stretch is bytes that went to a temporary file.
type stretch struct {
	file io.ReadWriteSeeker // nil: none
	n    int64
}

// add appends p.
func (s *stretch) add(t *tempFiles, p []byte) (err error) {
	if s.file == nil {
		if s.file, err = t.get(); err != nil {
			return err
		}
	}
	n, err := s.file.Write(p)
	s.n += int64(n)
	return err
}

// copyTo writes the bytes and then pad zeros to w.
func (s *stretch) copyTo(w io.Writer, pad int64, buf []byte) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.LimitReader(s.file, s.n)}, buf)
	if err == nil && n != s.n {
		err = fmt.Errorf("segment: temporary file ends after %d of %d bytes: %w", n, s.n, io.ErrUnexpectedEOF)
	}
	if err == nil {
		_, err = w.Write(make([]byte, pad))
	}
	return err
}

// Tail is the payload of a long list in temporary files.
type Tail struct {
	files             *tempFiles
	docs, freqs       stretch
	docsPad, freqsPad int64 // zeros behind them
}

// Len is the number of bytes.
func (t *Tail) Len() int64 {
	if t == nil {
		return 0
	}
	return t.docs.n + t.docsPad + t.freqs.n + t.freqsPad
}

// copyTo writes all to w.
func (t *Tail) copyTo(w io.Writer) error {
	if t == nil {
		return nil
	}
	buf := make([]byte, maxPiece)
	if err := t.docs.copyTo(w, t.docsPad, buf); err != nil {
		return err
	}
	return t.freqs.copyTo(w, t.freqsPad, buf)
}

// release lets other lists have the files.
func (t *Tail) release() {
	if t == nil {
		return
	}
	for _, s := range []*stretch{&t.docs, &t.freqs} {
		if s.file != nil {
			t.files.put(s.file)
		}
	}
	*t = Tail{}
}

// docWords is where the docIDs' payload ends, in words.
func (e *ListEncoder) docWords() uint32 { return uint32((e.tail.docs.n + int64(len(e.docsBytes))) / 4) }

// freqWords is where the frequencies' payload ends, in words.
func (e *ListEncoder) freqWords() uint32 {
	return uint32((e.tail.freqs.n + int64(len(e.freqsBytes))) / 4)
}

// words is how long the longer payload is, in words.
func (e *ListEncoder) words() int64 {
	return max(e.tail.docs.n+int64(len(e.docsBytes)), e.tail.freqs.n+int64(len(e.freqsBytes))) / 4
}

// spillIfLong moves the payload to temporary files once it is long.
func (e *ListEncoder) spillIfLong() error {
	if len(e.docsBytes)+len(e.freqsBytes) < e.tailLimit || e.files.make == nil {
		return nil
	}
	return e.spill()
}

func (e *ListEncoder) spill() error {
	e.tail.files = e.files
	if err := e.tail.docs.add(e.files, e.docsBytes); err != nil {
		return err
	}
	if err := e.tail.freqs.add(e.files, e.freqsBytes); err != nil {
		return err
	}
	e.docsBytes, e.freqsBytes = e.docsBytes[:0], e.freqsBytes[:0]
	return nil
}

// detachTail moves what is left of the payload to the files of the list, if it has
// any, and returns them with the padding that y wants and the digest of the
// extent whose beginning is head.
func (e *ListEncoder) detachTail(y *layout, head []byte) (*Tail, uint64, error) {
	if err := e.spill(); err != nil {
		return nil, 0, err
	}
	t := e.tail
	e.tail = Tail{}
	t.docsPad, t.freqsPad = y.freqs-y.docs-t.docs.n, y.size-y.freqs-t.freqs.n
	h := xxhash.New()
	h.Write(head[extLength:])
	if err := t.copyTo(h); err != nil {
		return nil, 0, err
	}
	return &t, h.Sum64(), nil
}

// eachBlock calls f with the docIDs of every block in turn, decoding them. They are
// valid until the next.
func (e *ListEncoder) eachBlock(f func(docs []uint32)) error {
	if e.tail.docs.file == nil {
		e.docsBytes = slices.Grow(e.docsBytes, format.ReadablePadding)
		seq := codec.Sequence{Payload: e.docsBytes, Ends: e.docEnds, Last: e.last, N: e.n}
		return e.decodeBlocks(&seq, 0, 0, f)
	}
	if err := e.spill(); err != nil {
		return err
	}
	if _, err := e.tail.docs.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var window []byte
	ends := make([]uint32, 0, tailBlocks+2)
	for from := 0; from < len(e.last); from += tailBlocks {
		to := min(from+tailBlocks, len(e.last))
		base := e.docEnds[from]
		window = slices.Grow(resize(window, 4*int(e.docEnds[to]-base)), format.ReadablePadding)
		if _, err := io.ReadFull(e.tail.docs.file, window); err != nil {
			return fmt.Errorf("segment: reading a long list back: %w", err)
		}
		// A block without bytes stands before those of the window, for the docID
		// from which the first of them counts.
		seq := codec.Sequence{Payload: window, Last: e.last[:to], Ends: append(ends[:0], 0), N: min(e.n, to*e.blockLen)}
		before := 0
		if from > 0 {
			before = 1
			seq.Ends, seq.Last, seq.N = append(seq.Ends, 0), e.last[from-1:to], seq.N-(from-1)*e.blockLen
		}
		for _, end := range e.docEnds[from+1 : to+1] {
			seq.Ends = append(seq.Ends, end-base)
		}
		if err := e.decodeBlocks(&seq, before, from, f); err != nil {
			return err
		}
	}
	return nil
}

// decodeBlocks decodes the blocks of seq from the given one on; first is its
// number in the list.
func (e *ListEncoder) decodeBlocks(seq *codec.Sequence, from, first int, f func(docs []uint32)) error {
	for b := from; b < len(seq.Last); b++ {
		n, err := e.docsCodec.DecodeDocs(e.decoded, seq, b, 1)
		if err != nil {
			return fmt.Errorf("segment: block %d cannot be read back: %w", first+b-from, err)
		}
		f(e.decoded[:n])
	}
	return nil
}
