package search_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// files is a directory in memory, mapped as a store.ReadFS, read on demand as a reader.Source.
type files map[string]segment.Bytes

func (f files) String() string { return "flips" }

func (f files) List() (names []string, err error) {
	for name := range f {
		names = append(names, name)
	}
	return names, nil
}

// kept is Data that Close leaves as it is.
type kept struct{ segment.Bytes }

func (kept) Close() error { return nil }

type onDemand struct{ files }

func (f onDemand) Open(name string) (io.ReaderAt, int64, error) {
	b, ok := f.files[name]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	return bytes.NewReader(b), b.Size(), nil
}

type inMemory struct{ files }

func (f *inMemory) ID() any { return f }

func (f *inMemory) Open(name string) (store.Data, error) {
	b, ok := f.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return kept{b}, nil
}

// flipIndex returns an index of n documents in two segments with deletes, stored text, and lists of
// every form.
func flipIndex(t *testing.T, n int) files {
	ctx, dir := context.Background(), memfs.New()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := writer.OpenFS(ctx, dir, writer.Options{Schema: schema.Implicit("simple", "", true)})
	must(err)
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(31, 32)), n, 300, 6)
	for i, words := range docs {
		if i == n/5*4 {
			must(w.Flush(ctx))
		}
		must(w.Add(ctx, writer.Text(fmt.Appendf(nil, "d%d", i), []byte(strings.Join(words, " ")))))
	}
	must(w.Commit(ctx))
	for i := 0; i < len(docs); i += 90 {
		must(w.Delete(ctx, fmt.Appendf(nil, "d%d", i)))
	}
	must(w.Commit(ctx))
	must(w.Close())
	names, err := dir.List()
	must(err)
	f := files{}
	for _, name := range names {
		if !strings.HasSuffix(name, ".pin") {
			continue
		}
		d, err := dir.Open(name)
		must(err)
		b, err := d.Range(0, d.Size())
		must(err)
		f[name] = segment.Aligned(slices.Clone(b))
		must(d.Close())
	}
	return f
}

// An answer is nil after an error.
type answers struct {
	all  [][]byte
	errs []error
}

// errSkipped stands for a question not asked.
var errSkipped = errors.New("skipped")

// ask asks an index everything that can be asked or, if only is not nil, the questions that it
// has set.
func ask(open func() (*reader.Index, error), only []bool) (a answers) {
	runtime.Gosched() // on wasip1, which preempts nothing, no garbage collection ends without
	ctx := context.Background()
	one := func(f func(b []byte) ([]byte, error)) {
		if only != nil && !only[len(a.all)] {
			a.all, a.errs = append(a.all, nil), append(a.errs, errSkipped)
			return
		}
		b, err := f([]byte{})
		if err != nil {
			b = nil
		}
		a.all, a.errs = append(a.all, b), append(a.errs, err)
	}
	x, err := open()
	if err != nil {
		return answers{errs: []error{err}}
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return answers{errs: []error{err}}
	}
	defer s.Close()
	number := func(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }
	q, searcherErr := search.NewSearcher(s, search.Options{})
	if searcherErr == nil {
		defer q.Close()
	}
	for _, words := range [][]string{{"w0"}, {"w1", "w5"}, {"w0", "w2", "w40"}, {"w3", "w120", "w7"}, {"w250", "w260", "none"}} {
		one(func(b []byte) ([]byte, error) {
			if searcherErr != nil {
				return nil, searcherErr
			}
			for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
				res, err := q.Search(ctx, search.Query{RawTerms: querytest.Terms(words...), K: 10, Mode: mode})
				if err != nil {
					return nil, err
				}
				for _, h := range res.Hits {
					b = number(number(b, uint64(h.Doc)), uint64(math.Float32bits(h.Score)))
				}
				if mode == query.ModeAndOr {
					continue
				}
				n, err := q.Count(ctx, search.Query{RawTerms: querytest.Terms(words...), Mode: mode})
				if err != nil {
					return nil, err
				}
				b = number(b, n)
			}
			return b, nil
		})
	}
	one(func(b []byte) ([]byte, error) {
		it := s.Terms(nil)
		for it.Next() {
			b = number(append(b, it.Term()...), it.DF())
		}
		return b, it.Err()
	})
	one(func(b []byte) ([]byte, error) {
		it := s.Terms([]byte("w2"))
		for it.Next() {
			if b = append(b, it.Term()...); it.Entry().Doc%8 != 0 && it.DF() < 100 {
				continue // a sample of the short lists
			}
			for p, err := range s.Postings(it.Term()) {
				if err != nil {
					return nil, err
				}
				b = number(number(b, uint64(p.Doc)), uint64(p.Freq))
			}
		}
		return b, it.Err()
	})
	docs := uint32(s.Stats().Docs)
	for doc := uint32(0); doc < docs; doc += docs / 7 {
		one(func(b []byte) ([]byte, error) { return s.AppendID(b[:0], doc) })
		one(func(b []byte) ([]byte, error) { return s.AppendStored(b[:0], doc) })
		one(func(b []byte) ([]byte, error) {
			n, err := s.DocLen(doc)
			return number(b, uint64(n)), err
		})
		one(func(b []byte) ([]byte, error) {
			gone, err := s.Deleted(doc)
			return fmt.Append(b, gone), err
		})
		one(func(b []byte) ([]byte, error) {
			at, ok, err := s.FindID(fmt.Appendf(nil, "d%d", 2*doc))
			return fmt.Append(b, at, ok), err
		})
	}
	return a
}

// compare returns how a differs from want in silence, or "".
func (a answers) compare(want answers) string {
	for i, err := range a.errs {
		switch {
		case err == errSkipped:
		case err != nil:
			if !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrNotAnIndex) && !errors.Is(err, format.ErrTooNew) && !errors.Is(err, format.ErrTooOld) {
				return "foreign error: " + err.Error()
			}
		case !bytes.Equal(a.all[i], want.all[i]):
			return fmt.Sprintf("answer %d is %.200q, want %.200q", i, a.all[i], want.all[i])
		}
	}
	return ""
}

// flips compares the answers of f to want with a bit of every stride-th byte of f flipped, and of
// fewer of those that are zero, and returns how often they differ in silence.
func (f files) flips(t *testing.T, want answers, open func(files) (*reader.Index, error), stride int) int {
	var group sync.WaitGroup
	var tried, failed atomic.Int64
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			f, at := f.clone(), 0
			for _, name := range slices.Sorted(maps.Keys(f)) {
				b := f[name]
				for i := range b {
					step := stride
					if b[i] == 0 {
						step *= 61
					}
					if i%step != 0 {
						continue
					}
					if at++; at%workers != worker {
						continue
					}
					bit := i / step % 8
					b[i] ^= 1 << bit
					tried.Add(1)
					msg := ask(func() (*reader.Index, error) { return open(f) }, nil).compare(want)
					b[i] ^= 1 << bit
					if msg != "" && failed.Add(1) == 1 {
						t.Logf("%s, byte %d, bit %d: %s", name, i, bit, msg)
					}
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d of %d flipped bits gave another answer in silence", failed.Load(), tried.Load())
	return int(failed.Load())
}

func (f files) clone() files {
	c := files{}
	for name, b := range f {
		c[name] = segment.Aligned(append(format.AlignedBytes(len(b))[:0], b...))
	}
	return c
}

// Whichever bit of an index flips, every answer is right or an error. This is a sample, with every
// question asked, of files read in each way; TestEveryBit is the whole.
func TestFlippedBits(t *testing.T) {
	longtest.Once(t)
	f := flipIndex(t, 1500)
	mapped := func(f files) (*reader.Index, error) {
		return reader.Open(t.Context(), reader.FromStore(&inMemory{f}), reader.Options{})
	}
	onDemand := func(o reader.Options) func(f files) (*reader.Index, error) {
		return func(f files) (*reader.Index, error) { return reader.Open(t.Context(), onDemand{f}, o) }
	}
	want := ask(func() (*reader.Index, error) { return mapped(f) }, nil)
	if err := errors.Join(want.errs...); err != nil {
		t.Fatal(err)
	}
	stride := longtest.Count(29, 13)
	if f.flips(t, want, mapped, stride) != 0 {
		t.Error("damage of a file in memory is not always found")
	}
	if f.flips(t, want, onDemand(reader.Options{}), 31*stride) != 0 {
		t.Error("damage of a file read on demand is not always found")
	}
	if f.flips(t, want, onDemand(reader.Options{Unchecked: true}), 31*stride) == 0 {
		t.Error("nothing goes wrong without checks: the test proves nothing")
	}
}
