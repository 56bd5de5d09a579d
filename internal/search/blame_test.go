package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// A fault within a list names file, section and list.
func TestFaultNamesList(t *testing.T) {
	longtest.NoEmulator(t, "qemu-user reports a SIGBUS without its address, and WebAssembly maps no files")
	if runtime.GOOS != "linux" {
		t.Skip("a mapped file cannot be truncated everywhere")
	}
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(1, 2)), 3000, 300, 20)
	dir := querytest.Directory(t, writer.Options{}, docs, nil)
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	q := Query{RawTerms: querytest.Terms("w0", "w1"), K: 10, Mode: query.ModeOr}
	if _, err := s.Search(context.Background(), q); err != nil { // looks the terms up
		t.Fatal(err)
	}
	seg := snapshot.Segments()[0]
	postings, _ := seg.Header().Section(format.SectionPostings)
	if err := os.Truncate(filepath.Join(dir, seg.Name()), postings.Offset); err != nil {
		t.Fatal(err)
	}
	_, err = s.Search(context.Background(), q)
	var e *format.Error
	if !errors.As(err, &e) || e.File != seg.Name() || e.Section != "postings" || e.List != "w0" && e.List != "w1" {
		t.Error(err)
	}
}
