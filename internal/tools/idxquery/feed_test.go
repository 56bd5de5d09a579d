package idxquery

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
)

// lineSource is a Source of n queries of 10 bytes each.
type lineSource struct{ n, at int }

func (s *lineSource) Next() (exchange.Document, error) {
	if s.at == s.n {
		return exchange.Document{}, io.EOF
	}
	s.at++
	return exchange.Document{ID: fmt.Append(nil, s.at), Contents: []byte("a")}, nil
}

func (s *lineSource) BytesRead() int64 { return int64(10 * s.at) }
func (s *lineSource) Close() error     { return nil }

// TestComing looks how many queries are known to come while a file is read.
func TestComing(t *testing.T) {
	const n, first = 1000, 300
	for size, want := range map[int64]int{10 * n: n - first, 0: 0} {
		l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
		r := &questions{src: &lineSource{n: first}, size: size, to: l, most: readFirst}
		if err := r.all(); err != nil {
			t.Fatal(err)
		}
		if read, coming, ended := l.progressed(); read != first || coming != want || ended {
			t.Errorf("%d bytes: %d read, %d coming, ended %v", size, read, coming, ended)
		}
		l.end(nil)
		if _, coming, ended := l.progressed(); coming != 0 || !ended {
			t.Errorf("%d bytes, at the end: %d coming, ended %v", size, coming, ended)
		}
	}
}

// firstOf is a Source that ends after n documents.
type firstOf struct {
	exchange.Source
	n int
}

func (s *firstOf) Next() (exchange.Document, error) {
	if s.n--; s.n < 0 {
		return exchange.Document{}, io.EOF
	}
	return s.Source.Next()
}

// TestComingOfFile looks how many queries are known to come of a file that is read ahead: as many,
// less what a block of 256 KiB holds.
func TestComingOfFile(t *testing.T) {
	const n, line = 100000, len("123456\tten words\n")
	path := filepath.Join(t.TempDir(), "log.tsv")
	var b []byte
	for i := range n {
		b = fmt.Appendf(b, "%06d\tten words\n", i)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, first := range []int{readFirst, 1024, 10048, 50000} {
		src, _, err := exchange.OpenQueries(path, exchange.QueriesAuto)
		if err != nil {
			t.Fatal(err)
		}
		l := newPipeline(io.Discard, cli.NewProgress(io.Discard, "query", 0, cli.ItemRate("queries")))
		r := &questions{src: &firstOf{src, first}, size: int64(len(b)), to: l, most: readFirst}
		if err := errors.Join(r.all(), src.Close()); err != nil {
			t.Fatal(err)
		}
		block := 256 << 10
		if first == readFirst {
			block = 16 << 10
		}
		least := float64(first) * float64(len(b)) / float64(first*line+block)
		if read, coming, _ := l.progressed(); read != first || coming > n-first || float64(read+coming) < least-1 {
			t.Errorf("after %d of %d queries %d are coming, want %.0f at least", read, n, coming, least-float64(read))
		}
	}
}
