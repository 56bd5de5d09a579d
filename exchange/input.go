package exchange

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Read-ahead: readBlocks blocks of readBlock bytes are filled in the background.
const (
	readBlock  = 256 << 10
	readBlocks = 4
)

// stream is one input file, inflated if it is gzip. A goroutine reads ahead.
type stream struct {
	name string
	gzip bool
	f    *os.File
	read atomic.Int64 // bytes of the file consumed

	full   chan block
	free   chan []byte
	done   chan struct{}
	wg     sync.WaitGroup
	cur    block
	pos    int
	closed bool
}

type block struct {
	b   []byte
	n   int
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
	s := &stream{name: name, f: f,
		full: make(chan block, readBlocks),
		free: make(chan []byte, readBlocks),
		done: make(chan struct{}),
	}
	raw := bufio.NewReaderSize(counter{f, &s.read}, 64<<10)
	var r io.Reader = raw
	if head, _ := raw.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(raw)
		if err != nil {
			f.Close()
			return nil, readFailure(name, 0, -1, err)
		}
		r, s.gzip = z, true
	}
	for range readBlocks {
		s.free <- nil // made when they are needed
	}
	s.wg.Add(1)
	go s.fill(r)
	return s, nil
}

// fill reads blocks until the end of r, an error or Close.
func (s *stream) fill(r io.Reader) {
	defer s.wg.Done()
	defer close(s.full)
	for {
		var b []byte
		select {
		case b = <-s.free:
		case <-s.done:
			return
		}
		if b == nil {
			b = make([]byte, readBlock)
		}
		n, err := readSome(r, b)
		select {
		case s.full <- block{b, n, err}:
		case <-s.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// readSome fills b unless r ends or fails before.
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

// ready makes sure that the current block has unread bytes.
func (s *stream) ready() error {
	for s.pos == s.cur.n {
		if s.cur.err != nil {
			return s.cur.err
		}
		if s.cur.b != nil {
			s.free <- s.cur.b
		}
		next, ok := <-s.full
		if !ok {
			return os.ErrClosed
		}
		s.cur, s.pos = next, 0
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

// BytesRead returns how many bytes of the file were taken from it.
func (s *stream) BytesRead() int64 { return s.read.Load() }

// Close stops reading ahead and closes the file.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	close(s.done)
	err := s.f.Close() // ends a read that is under way
	if s.f != os.Stdin {
		s.wg.Wait()
	}
	return err
}

// counter counts what is read from r.
type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
