package exchange

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Stdin is the path that means standard input.
const Stdin = "-"

// readBlocks blocks of readBlock bytes are read ahead in the background. The first is
// smaller: many files are.
const (
	firstBlock = 16 << 10
	readBlock  = 256 << 10
	readBlocks = 4
)

// buffers are those of streams that have ended.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

// stream is one input file, inflated if it is compressed. A goroutine reads ahead.
type stream struct {
	name   string
	packed bool // known when the first block has been read
	f      *os.File
	ahead  atomic.Int64 // bytes of the file that have been read
	read   atomic.Int64 // those up to the end of cur

	full chan block
	free chan []byte
	done chan struct{}
	once sync.Once
	wg   sync.WaitGroup
	cur  block
	pos  int
}

type block struct {
	b   []byte
	n   int
	end int64 // bytes of the file up to here; if that is inflated, as many as had been read
	err error
}

// openStream opens path, or standard input for "-".
func openStream(path string) (*stream, error) {
	f, name := os.Stdin, "standard input"
	if path != Stdin {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		name = path
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a directory", name)
	}
	return newStream(f, name), nil
}

// newStream reads f, which it closes at the end.
func newStream(f *os.File, name string) *stream {
	s := &stream{name: name, f: f,
		full: make(chan block, readBlocks),
		free: make(chan []byte, readBlocks),
		done: make(chan struct{}),
	}
	for range readBlocks {
		s.free <- nil // allocated when needed
	}
	s.wg.Add(1)
	go s.fill()
	return s
}

// isPacked reports whether head begins a file that inflate inflates.
func isPacked(head []byte) bool {
	return bytes.HasPrefix(head, gzipMagic) || bytes.HasPrefix(head, zstdMagic) || isBzip2(head)
}

var gzipMagic, zstdMagic = []byte{0x1f, 0x8b}, []byte{0x28, 0xb5, 0x2f, 0xfd}

func isBzip2(head []byte) bool {
	return len(head) >= 4 && string(head[:3]) == "BZh" && head[3] >= '1' && head[3] <= '9'
}

// Open opens the file at path, or standard input for Stdin, and inflates it if it is
// compressed, which is detected by content. A kind of file that is known and not read, such
// as one compressed with xz, is an error. The name is what other errors should call it.
func Open(path string) (r io.ReadCloser, name string, err error) {
	s, err := openStream(path)
	if err != nil {
		return nil, "", err
	}
	if err := s.foreign(); err != nil {
		s.Close()
		return nil, "", err
	}
	return s, s.name, nil
}

// inflate returns what r holds, inflated if it begins like a gzip, zstd or bzip2 file.
// The caller calls release at the end.
func inflate(r *bufio.Reader) (content io.Reader, packed bool, release func(), err error) {
	release = func() {}
	head, _ := r.Peek(4)
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		content, err = gzip.NewReader(r)
	case bytes.HasPrefix(head, zstdMagic):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20)); err == nil {
			content, release = z, z.Close
		}
	case isBzip2(head):
		content = bzip2.NewReader(r)
	default:
		return r, false, release, nil
	}
	return content, true, release, err
}

// fill reads blocks until the end of the file, an error or Close.
func (s *stream) fill() {
	defer s.wg.Done()
	buf := buffers.Get().(*bufio.Reader)
	buf.Reset(counter{s.f, &s.ahead})
	defer func() { buf.Reset(nil); buffers.Put(buf) }()
	r, packed, release, err := inflate(buf)
	if err != nil {
		s.full <- block{err: err} // the first block: there is room
		return
	}
	defer release()
	s.packed = packed
	end := int64(0)
	for size := firstBlock; ; size = readBlock {
		var b []byte
		select {
		case b = <-s.free:
		case <-s.done:
			return
		}
		if len(b) < size {
			b = make([]byte, size)
		}
		n, err := readSome(r, b)
		if end += int64(n); packed {
			end = s.ahead.Load()
		}
		select {
		case s.full <- block{b, n, end, err}:
		case <-s.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// readSome fills b unless r ends or fails first.
func readSome(r io.Reader, b []byte) (int, error) {
	n := 0
	for n < len(b) {
		m, err := r.Read(b[n:])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if err := s.ready(); err != nil {
		return 0, err
	}
	n := copy(p, s.cur.b[s.pos:s.cur.n])
	s.pos += n
	return n, nil
}

// ready ensures that the current block has unread bytes.
func (s *stream) ready() error {
	for s.pos == s.cur.n {
		if s.cur.err != nil {
			return s.cur.err
		}
		if s.cur.b != nil {
			s.free <- s.cur.b
		}
		select {
		case s.cur = <-s.full:
			s.pos = 0
			s.read.Store(s.cur.end)
		case <-s.done:
			return os.ErrClosed
		}
	}
	return nil
}

// peek returns up to n unread bytes of the current block.
func (s *stream) peek(n int) []byte {
	if s.ready() != nil {
		return nil
	}
	b := s.cur.b[s.pos:s.cur.n]
	return b[:min(n, len(b))]
}

// failure returns why nothing of the file can be read, if that is so.
func (s *stream) failure() error {
	if err := s.ready(); err != nil && err != io.EOF {
		return readFailure(s.name, 0, -1, err)
	}
	return nil
}

// BytesRead returns how many bytes of the file have been consumed, with the rest of the block that
// is being read.
func (s *stream) BytesRead() int64 { return s.read.Load() }

// Close stops reading ahead and closes the file. It may be called while another
// goroutine is in Read, which then fails. Further calls do nothing.
func (s *stream) Close() (err error) {
	s.once.Do(func() {
		close(s.done)
		err = s.f.Close()
		if s.f != os.Stdin { // whose reads cannot be interrupted
			s.wg.Wait()
		}
	})
	return err
}

// counter counts the bytes read from r.
type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
