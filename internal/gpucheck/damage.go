package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// outcomes counts the outcomes of the queries of damages.
type outcomes struct{ trials, refused, answered, resident, lists atomic.Int64 }

// damages changes bits and bytes of five lists of an index, n times for all codecs together,
// mostly with new checksums. It compares the answers of the device, which leaves damaged lists
// to the CPU, with those of the CPU. An error of one must be an error of the other, and hits
// must be equal to the bit.
func (b *bench) damages(ctx context.Context, dir string, n int) error {
	names := gputrial.Codecs()
	start := time.Now()
	var o outcomes
	for i, name := range names {
		c, ok := registry.ByName(name)
		if !ok {
			return fmt.Errorf("no codec %q", name)
		}
		if err := b.damage(ctx, c, dir, n*(i+1)/len(names)-n*i/len(names), &o); err != nil {
			return fmt.Errorf("damage %s: %w", name, err)
		}
	}
	b.add(row{Name: "damaged indexes: no other answer than the CPU's", Value: float64(o.trials.Load()), Unit: "indexes",
		Note: fmt.Sprintf("%d queries answered, %d refused by both; %d of %d changed lists refused by the device; %.1f s",
			o.answered.Load(), o.refused.Load(), o.lists.Load()-o.resident.Load(), o.lists.Load(), time.Since(start).Seconds())})
	return nil
}

// damage makes n trials with an index in a codec, on all processors.
func (b *bench) damage(ctx context.Context, c codec.Codec, dir string, n int, o *outcomes) (err error) {
	s, err := listset.Range(b.seed, 3000, 24, 140, 2600)
	if err != nil {
		return err
	}
	x, err := b.write(ctx, dir, c, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	var next atomic.Int64
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	if b.small { // executors that share a device ask for times that are not known yet, which sanitizers report
		workers = 1
	}
	errs := make([]error, min(workers, n))
	for w := range errs {
		wg.Go(func() {
			t, err := newTrials(b, x, dir)
			if errs[w] = err; err != nil {
				return
			}
			for {
				i := next.Add(1) - 1
				if i >= int64(n) || errs[w] != nil || ctx.Err() != nil {
					break
				}
				if err := t.trial(ctx, rand.New(rand.NewPCG(b.seed, uint64(i))), o); err != nil {
					errs[w] = fmt.Errorf("seed %d, trial %d: %w", b.seed, i, err)
				}
			}
			errs[w] = errors.Join(errs[w], t.close())
		})
	}
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// trials are the trials of one goroutine, on a copy of an index.
type trials struct {
	b     *bench
	set   *listset.Set
	dir   string
	file  *os.File // the segment
	bytes []byte   // what it holds without damage
	sums  format.Section
	lists []extent
}

// extent is a list of the segment: its term, and its bytes in the file.
type extent struct {
	term   string
	lo, hi int64
}

func newTrials(b *bench, x *listset.Index, dir string) (*trials, error) {
	t := &trials{b: b, set: x.Set}
	var err error
	if t.dir, err = os.MkdirTemp(dir, "pinion-damage-"); err != nil {
		return nil, err
	}
	if err := os.CopyFS(t.dir, os.DirFS(x.Dir)); err != nil {
		return nil, err
	}
	s := x.Snapshot.Segments()[0].Views()
	sec, _ := s.Header().Section(format.SectionPostings)
	for _, term := range x.Set.Terms {
		e, ok, err := s.Lists().Lookup([]byte(term))
		if err != nil || !ok || e.Kind != segment.KindExtent {
			continue
		}
		l, err := s.Lists().List(e)
		if err != nil {
			return nil, err
		}
		lo := sec.Offset + e.Offset
		t.lists = append(t.lists, extent{term, lo, lo + int64(len(l.Extent()))})
	}
	t.sums, _ = s.Header().Section(format.SectionPageSums)
	path := filepath.Join(t.dir, filepath.Base(s.Name()))
	if t.bytes, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	t.file, err = os.OpenFile(path, os.O_RDWR, 0)
	return t, err
}

func (t *trials) close() error { return errors.Join(t.file.Close(), os.RemoveAll(t.dir)) }

// trial damages five lists, mostly with new checksums, and compares answers.
func (t *trials) trial(ctx context.Context, r *rand.Rand, o *outcomes) (err error) {
	var terms []string
	b := slices.Clone(t.bytes)
	for _, i := range r.Perm(len(t.lists))[:5] {
		l := t.lists[i]
		terms = append(terms, l.term)
		spoil(r, b[l.lo:l.hi])
		if r.IntN(5) > 0 {
			t.restamp(b, l)
		}
	}
	if _, err := t.file.WriteAt(b, 0); err != nil {
		return err
	}
	index, err := reader.Open(ctx, reader.Dir(t.dir), reader.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	snap, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	// Without its cache, which decodes whole lists from the second query on, the CPU gives
	// the same answer or error each time.
	cpu, err := search.NewSearcher(snap, search.Options{DenseBytes: -1})
	if err != nil {
		return err
	}
	defer cpu.Close()
	gpu, err := gpu.New(t.b.device, snap, gpu.Options{Memory: 1 << 20, CPU: cpu, AsStored: r.IntN(2) == 0})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gpu.Close()) }()
	if err := gpu.Ready(ctx); err != nil {
		return err
	}
	qs := mixed(r, t.set, 12)
	for i := range qs { // most with a damaged list
		if r.IntN(4) > 0 {
			qs[i].RawTerms[0] = []byte(terms[r.IntN(len(terms))])
		}
	}
	if err := t.compare(ctx, cpu, gpu, qs, o); err != nil {
		return err
	}
	s := gpu.Stats()
	o.trials.Add(1)
	o.lists.Add(int64(len(terms)))
	o.resident.Add(int64(len(terms)) - min(s.Refused, int64(len(terms))))
	return nil
}

// restamp sets the checksums of an extent in b and of its pages to those of the bytes.
func (t *trials) restamp(b []byte, l extent) {
	binary.LittleEndian.PutUint64(b[l.lo:], xxhash.Sum64(b[l.lo+8:l.hi]))
	const size = format.PageSumSize * (format.PageGroup + 1)
	for page := l.lo / format.PageSize; page <= (l.hi-1)/format.PageSize; page++ {
		i := page - 1
		at := t.sums.Offset + i/format.PageGroup*size
		group := b[at:min(at+size, t.sums.Offset+t.sums.Length)]
		own := len(group) - format.PageSumSize
		binary.LittleEndian.PutUint32(group[format.PageSumSize*(i%format.PageGroup):], format.PageSum(b[page*format.PageSize:][:format.PageSize]))
		binary.LittleEndian.PutUint32(group[own:], format.PageSum(group[:own]))
	}
}

// spoil changes an extent.
func spoil(r *rand.Rand, b []byte) {
	for range 1 + r.IntN(3) {
		at := 8 + r.IntN(len(b)-8)
		if r.IntN(3) > 0 {
			b[at] ^= 1 << r.IntN(8)
		} else {
			binary.LittleEndian.PutUint32(b[at&^3:], []uint32{0, 1, 1 << 31, ^uint32(0), r.Uint32(), r.Uint32N(64)}[r.IntN(6)])
		}
	}
}

// compare compares the answers to queries one by one, since an error is that of a batch.
func (t *trials) compare(ctx context.Context, cpu, gpu search.Executor, qs []search.Query, o *outcomes) error {
	for i := range qs {
		want, errCPU := cpu.Execute(ctx, qs[i:i+1])
		got, errGPU := gpu.Execute(ctx, qs[i:i+1])
		for _, err := range []error{errCPU, errGPU} {
			if err != nil && !errors.Is(err, format.ErrCorrupt) {
				return err
			}
		}
		switch {
		case (errCPU == nil) != (errGPU == nil):
			return fmt.Errorf("%v query %s, k %d: the device says %w, the CPU %w", qs[i].Mode, qs[i].RawTerms, qs[i].K, errGPU, errCPU)
		case errCPU != nil:
			o.refused.Add(1)
		case !gputrial.Equal(got[0].Hits, want[0].Hits):
			return fmt.Errorf("%v query %s, k %d: the device answers %v, the CPU %v", qs[i].Mode, qs[i].RawTerms, qs[i].K, got[0].Hits, want[0].Hits)
		default:
			o.answered.Add(1)
		}
	}
	return nil
}
