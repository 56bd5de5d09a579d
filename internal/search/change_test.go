//go:build unix

package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// victim is a file that is mapped by queries.
type victim struct {
	*os.File
	rng   *rand.Rand
	size  int64
	mem   []byte // the file, mapped for writing
	skips []int  // offsets in mem of the words of skip headers
}

// changing are ways in which a file changes while it is mapped.
var changing = map[string]func(v *victim) error{
	"byte": func(v *victim) error {
		_, err := v.WriteAt([]byte{byte(v.rng.Uint32())}, v.rng.Int64N(v.size))
		return err
	},
	"bytes": func(v *victim) error {
		b := make([]byte, 1+v.rng.IntN(4096))
		for i := range b {
			b[i] = byte(v.rng.Uint32())
		}
		_, err := v.WriteAt(b, v.rng.Int64N(v.size-int64(len(b))))
		return err
	},
	"flicker": func(v *victim) error { // as fast as memory, so that a value changes between two loads
		at := v.rng.Int64N(v.size/4-1) * 4
		v.flicker(int(at), v.rng.Uint32())
		return nil
	},
	"skip header": func(v *victim) error {
		at := v.skips[v.rng.IntN(len(v.skips))]
		old := binary.LittleEndian.Uint32(v.mem[at:])
		v.flicker(at, []uint32{old - 1, old + 1, old - 200, old + 200, v.rng.Uint32N(3000), 0}[v.rng.IntN(6)])
		return nil
	},
	"truncate": func(v *victim) error {
		err := v.Truncate(v.rng.Int64N(v.size))
		time.Sleep(100 * time.Microsecond)
		return errors.Join(err, v.Truncate(v.size))
	},
}

// flicker changes the word at an offset to x and back many times.
func (v *victim) flicker(at int, x uint32) {
	word := (*atomic.Uint32)(unsafe.Pointer(&v.mem[at]))
	old := word.Load()
	for range 100_000 {
		word.Store(x)
		word.Store(old)
	}
}

// newVictim opens the first segment's file.
func newVictim(t *testing.T, dir string, s *reader.Snapshot, seed uint64) *victim {
	seg := s.Segments()[0]
	f, err := os.OpenFile(filepath.Join(dir, seg.Name()), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := seg.Views().Data().(interface{ InPageCache() bool }); !ok || !d.InPageCache() {
		t.Fatal("the file is not mapped")
	}
	v := &victim{File: f, rng: rand.New(rand.NewPCG(seed, 97)), size: seg.Header().FileLen}
	if v.mem, err = syscall.Mmap(int(f.Fd()), 0, int(v.size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(syscall.Munmap(v.mem), f.Close()); err != nil {
			t.Error(err)
		}
	})
	postings, _ := seg.Header().Section(format.SectionPostings)
	for i := range 4 { // lists that most queries read
		e, _, err := seg.Lookup([]byte("w" + strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		l, err := seg.Views().Lists().List(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range l.Layout() {
			for at := p.Offset; p.Name == "skip" && at < p.Offset+p.Length; at += 4 {
				v.skips = append(v.skips, int(postings.Offset+e.Offset+at))
			}
		}
	}
	return v
}

// Queries over files that change while they are mapped give errors of kind format.ErrCorrupt or
// some result, and end. PINION_CHANGES is the number of runs, each of which takes a fifth of a
// second, and PINION_SEED that of the first.
func TestFilesThatChange(t *testing.T) {
	longtest.NoEmulator(t, "qemu-user reports a SIGBUS without its address, and WebAssembly maps no files")
	runs := longtest.Count(1, 3) * len(changing)
	if n, err := strconv.Atoi(os.Getenv("PINION_CHANGES")); err == nil {
		runs = n
	}
	first, _ := strconv.Atoi(os.Getenv("PINION_SEED")) // 0 if there is none
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(95, 96)), 5000, 300, 20)
	dirs := map[codec.ID]string{}
	for run := 0; run < runs; {
		for what, change := range changing {
			if run++; run > runs {
				break
			}
			seed := first + run
			c := registry.All()[seed%len(registry.All())]
			if dirs[c.ID()] == "" {
				dirs[c.ID()] = querytest.Directory(t, writer.Options{DocsCodec: codec.Name(c), FreqsCodec: codec.Name(c)}, docs, []int{5, 1500}, 4000)
			}
			t.Run(strconv.Itoa(seed)+" "+what+" "+c.ID().String(), func(t *testing.T) { changeUnderQueries(t, dirs[c.ID()], uint64(seed), change) })
		}
	}
}

func changeUnderQueries(t *testing.T, dir string, seed uint64, change func(v *victim) error) {
	own := t.TempDir()
	if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(t.Context(), reader.Dir(own), reader.Options{})
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
	v := newVictim(t, own, snapshot, seed)
	var done atomic.Bool
	var running sync.WaitGroup
	algorithms := Algorithms()
	for g := range 8 {
		running.Go(func() {
			for i := g; !done.Load(); i += 8 {
				q := Query{RawTerms: querytest.Terms("w"+strconv.Itoa(i%4), "w"+strconv.Itoa(i/3%7), "w"+strconv.Itoa(i/7%90)), K: 1 + i%30,
					Mode: query.Mode(i % 3), Algorithm: algorithms[i%len(algorithms)]}
				ends(t, "query", func() error { _, err := s.Search(context.Background(), q); return err })
				if q.Mode != query.ModeAndOr {
					ends(t, "count", func() error { _, err := s.Count(context.Background(), q); return err })
				}
				tree := query.Bool{Must: []query.Node{query.Bool{AtLeast: 2}}, MustNot: []query.Node{query.Term{Text: string(q.RawTerms[2])}}}
				for n := range 5 {
					tree.Must[0] = query.Bool{AtLeast: 2, Should: append(tree.Must[0].(query.Bool).Should, query.Term{Text: fmt.Sprintf("w%d", i%7+n*n)})}
				}
				ends(t, "count of a tree", func() error { _, err := s.Count(context.Background(), Query{Node: tree}); return err })
				if i%5 == 0 {
					ends(t, "read", func() error { return readSome(snapshot, i) })
				}
			}
		})
	}
	for stop := time.Now().Add(100 * time.Millisecond); time.Now().Before(stop); {
		if err := change(v); err != nil {
			t.Fatal(err)
		}
	}
	done.Store(true)
	running.Wait()
}

// ends fails the test if f fails for another reason than damage, and ends the process if f does not
// return.
func ends(t *testing.T, what string, f func() error) {
	late := time.AfterFunc(time.Minute, func() { panic(what + " does not end") })
	defer late.Stop()
	err := f()
	var e *format.Error
	if err != nil && (!errors.As(err, &e) || !errors.Is(err, format.ErrCorrupt) || e.File == "") {
		t.Errorf("%s: %v", what, err)
	}
}

// readSome calls the methods of package reader that walk mapped memory.
func readSome(s *reader.Snapshot, i int) error {
	_, _, err := s.FindID([]byte("d0000017"))
	_, err1 := s.AppendID(nil, uint32(i)%3000)
	_, err2 := s.AppendStored(nil, uint32(i)%3000)
	var err3 error
	for _, err3 = range s.Postings([]byte("w" + strconv.Itoa(i%20))) {
	}
	terms := s.Terms([]byte("w1"))
	for terms.Next() {
	}
	terms.SeekGE([]byte("w2"))
	return errors.Join(err, err1, err2, err3, terms.Err(), s.Segments()[0].EachID(func(uint32, []byte) error { return nil }))
}
