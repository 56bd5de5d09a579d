package idxquery

import (
	"fmt"
	"io"
	"testing"

	"github.com/pinion-index/pinion/tools/internal/cli"
	"github.com/pinion-index/pinion/writer"
)

// lineSource is a Source of n queries of 10 bytes each.
type lineSource struct{ n, at int }

func (s *lineSource) Next() (writer.Document, error) {
	if s.at == s.n {
		return writer.Document{}, io.EOF
	}
	s.at++
	return writer.Document{ID: fmt.Append(nil, s.at), Contents: []byte("a")}, nil
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
