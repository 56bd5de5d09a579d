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

	"github.com/pinion-index/pinion/internal/encodings"
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

// stream is one input file, inflated if it is compressed, and in UTF-8 if it is text that says how it is encoded. A
// goroutine reads ahead.
type stream struct {
	name   string
	packed bool // it was compressed or in another encoding; known when the first block has been read
	f      *os.File
	text   bool               // whether it is text, or bytes as they are
	other  encodings.Encoding // that of text that does not say its own
	// encoding is that of the text; known when the first block has been read.
	encoding encodings.Encoding
	lost     encodings.Lost
	// invalid is whether a block up to cur has bytes that are not UTF-8; with trusted, whoever reads looks for them.
	invalid bool
	trusted atomic.Bool
	ahead   atomic.Int64 // bytes of the file that have been read
	read    atomic.Int64 // those up to the end of cur

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
	bad bool // it is text and not all UTF-8
}

// openStream opens the file of bytes at path, or standard input for "-".
func openStream(path string) (*stream, error) {
	f, name, err := openInput(path)
	if err != nil {
		return nil, err
	}
	return start(&stream{name: name, f: f}), nil
}

// openText opens the file of text at path, or standard input for "-". A text that does not say how it is encoded is in
// the encoding with the given name, or in UTF-8.
func openText(path, encoding string) (*stream, error) {
	other, err := encodings.Named(encoding)
	if err != nil {
		return nil, err
	}
	f, name, err := openInput(path)
	if err != nil {
		return nil, err
	}
	return newText(f, name, other), nil
}

func openInput(path string) (f *os.File, name string, err error) {
	f, name = os.Stdin, "standard input"
	if path != Stdin {
		if f, err = os.Open(path); err != nil {
			return nil, "", err
		}
		name = path
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, "", fmt.Errorf("%s is a directory", name)
	}
	return f, name, nil
}

// newText reads f as text, and closes it at the end.
func newText(f *os.File, name string, other encodings.Encoding) *stream {
	return start(&stream{name: name, f: f, text: true, other: other})
}

// start begins to read ahead.
func start(s *stream) *stream {
	s.full, s.free, s.done = make(chan block, readBlocks), make(chan []byte, readBlocks), make(chan struct{})
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

// Open opens the file of text at path, or standard input for Stdin, and inflates it if it is
// compressed, which is detected by content. Text that says to be in another encoding than UTF-8, as by
// a byte order mark of UTF-16, is decoded. A kind of file that is known and not read, such
// as one compressed with xz, is an error. The name is what other errors should call it.
func Open(path string) (r io.ReadCloser, name string, err error) {
	s, err := openText(path, "")
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
	buf.Reset(&final{r: counter{s.f, &s.ahead}})
	defer func() { buf.Reset(nil); buffers.Put(buf) }()
	r, packed, release, err := inflate(buf)
	if err != nil {
		s.full <- block{err: err} // the first block: there is room
		return
	}
	defer release()
	if s.text {
		var decoded bool
		r, decoded = s.decode(r)
		packed = packed || decoded
	}
	s.packed = packed
	end, text := int64(0), validText(0)
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
		bad := s.text && !s.trusted.Load() && !text.next(b[:n], err != nil)
		select {
		case s.full <- block{b, n, end, err, bad}:
		case <-s.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// decode returns the text in r as UTF-8, and whether it was in another encoding.
func (s *stream) decode(r io.Reader) (io.Reader, bool) {
	b, ok := r.(*bufio.Reader)
	if !ok {
		b = bufio.NewReaderSize(&final{r: r}, 4<<10) // of long reads it buffers nothing
	}
	head, _ := b.Peek(encodings.DeclarationSize)
	s.encoding = encodings.Of(head, s.other)
	return s.encoding.NewReader(b, &s.lost), !s.encoding.UTF8()
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
			s.invalid = s.invalid || s.cur.bad
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

// final is a reader whose error stays: bufio forgets the one that Peek meets, and asks again.
type final struct {
	r   io.Reader
	err error
}

func (f *final) Read(p []byte) (n int, err error) {
	if f.err == nil {
		n, f.err = f.r.Read(p)
	}
	return n, f.err
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
