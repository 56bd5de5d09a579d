package residency

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
)

// Vectors are a field of dense vectors in a segment on the device, in the form that kernels.NearScan takes, but for those of documents that were
// deleted when it was made.
type Vectors struct {
	Whole
	Dims int
	By   vector.Similarity
	N    int
	// Several says that some document has several vectors.
	Several bool
	// Coded says that there was no room for floats: a VectorReader has them.
	Coded                          bool
	High, Low, Floats, Metas, Docs kernels.Ptr
	field                          *vectors.Field
}

// arrayCount is how many arrays there are.
const arrayCount = 5

// arrays returns where they are.
func (v *Vectors) arrays() [arrayCount]*kernels.Ptr {
	return [arrayCount]*kernels.Ptr{&v.High, &v.Low, &v.Floats, &v.Metas, &v.Docs}
}

// sizes returns what an element of each array takes.
func (v *Vectors) sizes() [arrayCount]int64 {
	plane, floats := vectorSize(v.Dims)
	if v.Coded {
		floats = 0
	}
	return [arrayCount]int64{plane, plane, floats, metaSize, docSize}
}

// Coder returns what has made the codes, for one goroutine.
func (v *Vectors) Coder() *vector.Coder { return v.field.Coder() }

// SameCentre reports whether codes are of the same centre as those of o.
func (v *Vectors) SameCentre(o *Vectors) bool {
	return slices.Equal(v.field.Info.Vectors.Centre, o.field.Info.Vectors.Centre)
}

// vectorsKey tells the Key.Offset of a field of vectors from that of others: it is the field's number in segments.
const vectorsKey = 1 << 40

// What NearScan takes at a time of a code, and of a line of floats.
const (
	chunkSize = 64
	lineSize  = 4 * vector.Lanes
)

// Errors that say why a field of vectors does not go to the device.
var (
	errVectors = errors.New("gpuload: a field of vectors does not fit into device memory")
	errCodes   = errors.New("gpuload: of a field of vectors the codes alone are kept")
)

// vectorSize returns what a vector takes on the device: a plane and its floats.
func vectorSize(dims int) (plane, floats int64) {
	return int64((vector.PlaneSize(dims) + chunkSize - 1) / chunkSize * chunkSize), 4 * int64(vector.Padded(dims))
}

// metaSize is what is beside both: vector.Meta and a docID.
const metaSize, docSize = int64(unsafe.Sizeof(vector.Meta{})), 4

// VectorBytes returns what the fields of vectors of segments take on the device.
func VectorBytes(segments []Segment) int64 {
	return vectorBytes(segments, func(uint32) bool { return true })
}

// VectorBytesOf returns what one takes, given its number in segments.
func VectorBytesOf(segments []Segment, field uint32) int64 {
	return vectorBytes(segments, func(f uint32) bool { return f == field })
}

func vectorBytes(segments []Segment, some func(field uint32) bool) (size int64) {
	for i := range segments {
		for _, f := range segments[i].Seg.Fields() {
			if some(f.ID) && f.Vectors != nil && f.Vectors.Count > 0 && f.Values != schema.Int8 {
				plane, floats := vectorSize(f.Dims)
				size += int64(f.Vectors.Count)*(2*plane+floats+metaSize+docSize) + arrayCount*partAlign
			}
		}
	}
	return size
}

// HoldVectors is Hold for a field of vectors.
func (l *Lists) HoldVectors(all []*Vectors, epoch uint64) bool { return hold(l, all, epoch) }

// LoadVectors puts a field of vectors of a segment, which it reads all the while, on the device, given its number in segments: without floats
// if these do not fit or are not wanted. It does not evict lists used by batches of epoch oldest or later. An error that is not one of the
// device or of ctx says why the field does not go there.
func (l *Lists) LoadVectors(ctx context.Context, s Segment, field uint32, floats bool, oldest uint64) (*Vectors, error) {
	v := &vectoring{Vectors: Vectors{Whole: wholeOf(&s), Coded: !floats}, l: l, ctx: ctx, segment: s, number: field}
	err := indexdir.Guard(v.open)
	if err == nil && v.N > 0 {
		var d *loader
		select {
		case d = <-l.Loaders:
			err = v.load(d, oldest)
			l.Loaders <- d
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		l.Mu.Lock()
		defer l.Mu.Unlock()
		l.stats.Refused++
		return nil, err
	}
	return &v.Vectors, nil
}

// vectoring is the copying of a field of vectors.
type vectoring struct {
	Vectors
	l       *Lists
	ctx     context.Context
	segment Segment
	number  uint32
	live    []uint32 // the vectors of documents that are not deleted, if not all
}

// at returns the number in the segment of the i-th vector that goes to the device.
func (v *vectoring) at(i int) int {
	if v.live != nil {
		return int(v.live[i])
	}
	return i
}

// open finds the vectors.
func (v *vectoring) open() error {
	s := &v.segment
	n, ok := s.Seg.FieldByID(v.number)
	if !ok {
		return nil
	}
	f, err := vectors.Open(s.Seg, n)
	switch {
	case err != nil:
		return err
	case f == nil:
		return nil
	case f.Info.Values == schema.Int8:
		return errCodes
	}
	v.Several = f.Info.Vectors.Count != f.Info.Vectors.Docs
	v.field, v.Dims, v.By, v.N = f, f.Info.Dims, vectors.SimilarityOf(&f.Info.Field), f.Len()
	if s.Deletes.Count() > 0 {
		v.live = make([]uint32, 0, f.Len())
		for j := range f.Len() {
			if !s.Deletes.Has(f.Doc(j)) {
				v.live = append(v.live, uint32(j))
			}
		}
		v.N = len(v.live)
	}
	if v.N > math.MaxUint32-1<<20 {
		return fmt.Errorf("%w: %d vectors", errVectors, v.N)
	}
	return nil
}

// partAlign is what the arrays begin at multiples of.
const partAlign = 256

// place sets where the arrays are from at on, and returns their size.
func (v *vectoring) place(at kernels.Ptr) (size int64) {
	sizes := v.sizes()
	for j, own := range v.arrays() {
		*own = at + kernels.Ptr(size)
		size += (int64(v.N)*sizes[j] + partAlign - 1) &^ (partAlign - 1)
	}
	return size
}

// load puts the vectors on the device, by a loader.
func (v *vectoring) load(d *loader, oldest uint64) error {
	l, size := v.l, v.place(0)
	l.Mu.Lock()
	at, ok := l.rangeFor(1, size, oldest)
	if !ok && !v.Coded {
		v.Coded = true
		size = v.place(0)
		at, ok = l.rangeFor(1, size, oldest)
	}
	slot := uint32(0)
	if ok {
		slot = l.slot()
	}
	l.Mu.Unlock()
	if !ok {
		return fmt.Errorf("%w: %d bytes, of which %d may be free", errVectors, size, l.Arena.Size())
	}
	v.place(at)
	if v.Coded {
		v.Floats = 0
	}
	sum, err := v.copyAll(d, at)
	if err == nil {
		err = v.proveAll(d, at, sum)
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	v.List = &List{Key: wholeKey(v.segment.Number, vectorsKey|int(v.number)), Slot: slot, At: at, Size: size}
	if err != nil {
		l.Release(at, size)
		l.free = append(l.free, slot)
		return err
	}
	v.List.Uses.Store(l.clock + 1)
	l.ByKey[v.List.Key] = v.List
	l.stats.Loaded++
	l.stats.Bytes += size
	l.stats.BytesLoaded += size
	return nil
}

// mostVectors is how many bytes of pinned memory the vectors that are copied at a time take.
const mostVectors = 64 << 20

// copyAll copies the vectors, some at a time, and returns the sum of all words.
func (v *vectoring) copyAll(d *loader, at kernels.Ptr) (sum uint64, err error) {
	sizes, one := v.sizes(), int64(0)
	for _, size := range sizes {
		one += size
	}
	most := min(int(mostVectors/one)&^1, (v.N+1)&^1)
	pinned, err := d.dev.HostAlloc(max(most*int(one), FirstRing))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.dev.HostFree(pinned)) }()
	b := cuda.Batch{Stream: d.copyStream}
	to := v.arrays()
	for lo := 0; lo < v.N; lo += most {
		n := min(most, v.N-lo)
		var arrays [arrayCount][]byte
		rest := pinned
		for j, size := range sizes {
			arrays[j] = rest[:(int64(n)*size+7)&^7]
			rest = rest[len(arrays[j]):]
		}
		clear(arrays[arrayCount-1]) // its last word may have one docID
		if err := v.fill(lo, n, &arrays); err != nil {
			return 0, err
		}
		for j, a := range arrays {
			if sizes[j] == 0 {
				continue
			}
			to := *to[j] + kernels.Ptr(int64(lo)*sizes[j])
			sum += sumOf(v.ctx, uint64(to-at)/8, format.Uint64s(a))
			b.CopyIn(to, a)
		}
		if err := Flush(d.dev, &b); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// vectorsAtOnce is how many vectors a goroutine of fill takes at a time.
const vectorsAtOnce = 256

// fill writes what n vectors from vector lo on have in each array.
func (v *vectoring) fill(lo, n int, arrays *[arrayCount][]byte) error {
	var wg sync.WaitGroup
	var next atomic.Int64
	var failed atomic.Pointer[error]
	for range min(runtime.GOMAXPROCS(0), n/vectorsAtOnce+1) {
		wg.Go(func() {
			for failed.Load() == nil {
				from := int(next.Add(vectorsAtOnce)) - vectorsAtOnce
				if from >= n {
					return
				}
				err := v.ctx.Err()
				if err == nil {
					err = indexdir.Guard(func() error { return v.fillSome(lo, from, min(from+vectorsAtOnce, n), arrays) })
				}
				if err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// fillSome writes vectors lo+from up to lo+to.
func (v *vectoring) fillSome(lo, from, to int, arrays *[arrayCount][]byte) error {
	sizes, room := v.sizes(), make([]float32, v.Dims)
	for i := from; i < to; i++ {
		n := v.at(lo + i)
		metas, high, low := v.field.Codes(n, 1)
		var x []float32
		if !v.Coded {
			var err error
			if x, err = v.field.Floats(room, n, 1); err != nil {
				return err
			}
		}
		doc := [1]uint32{v.field.Doc(n)}
		for j, b := range [arrayCount][]byte{high, low, kernels.Slice(x), metas, kernels.Slice(doc[:])} {
			own := arrays[j][int64(i)*sizes[j]:][:sizes[j]]
			clear(own[copy(own, b):])
		}
	}
	return nil
}

// proveAll compares what is on the device with the sum of what was copied.
func (v *vectoring) proveAll(d *loader, at kernels.Ptr, sum uint64) error {
	sizes := v.sizes()
	b := cuda.Batch{Stream: d.copyStream}
	b.Fill(d.scratch, 16)
	for j, a := range v.arrays() {
		if sizes[j] == 0 {
			continue
		}
		c := kernels.ImpactCheckParams{At: *a, Words: uint64(sizes[j]*int64(v.N)+7) / 8, First: uint64(*a-at) / 8, Sums: d.scratch}
		b.Launch(kernels.CheckImpacts, int(min(c.Words/256+1, 2048)), 0, kernels.Bytes(&c))
	}
	b.CopyOut(d.pinned[:16], d.scratch)
	if err := Flush(d.dev, &b); err != nil {
		return err
	}
	if got := format.Uint64s(d.pinned[:16]); got[0] != sum {
		return fmt.Errorf("gpuload: a field of vectors is not on the device as it was copied: sums %#x and %#x", got[0], sum)
	}
	return nil
}

// VectorReader reads floats of vectors that are not on the device, for one goroutine.
type VectorReader struct {
	all   []*Vectors
	bases []uint32
	sets  []*vector.Set
	err   error
}

// NewVectorReader returns a VectorReader for a field in segments whose documents begin at bases.
func NewVectorReader(all []*Vectors, bases []uint32) *VectorReader {
	return &VectorReader{all: all, bases: bases, sets: make([]*vector.Set, len(all))}
}

// Nearest returns how near the nearest vector of a document is, which has one.
func (r *VectorReader) Nearest(q *vector.Query, doc uint32) (near float32, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	at, ok := slices.BinarySearch(r.bases, doc)
	if !ok {
		at--
	}
	f, local := r.all[at].field, doc-r.bases[at]
	if r.sets[at] == nil {
		r.sets[at] = f.Set(func(err error) { r.err = err })
	}
	near = float32(math.Inf(-1))
	for i := f.Of(local); i < f.Len() && f.Doc(i) == local; i++ {
		if x := q.Score(r.sets[at].Floats(i), &r.sets[at].Metas[i]); x > near {
			near = x
		}
	}
	return near, r.err
}
