package resident

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/linefit"
	"github.com/pinion-index/pinion/papers/internal/paper"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// Way is a way to search a list: a kernel, and what stands beside the list.
type Way struct {
	Name   string
	kernel kernels.Kernel
	beside func(docs []uint32) extra
}

// extra is what stands beside a list, in host memory.
type extra struct {
	list    own.RawList // without addresses
	aux     []uint32
	lines   []byte
	payload []uint32
}

// localParts is the number of segments with safe ranges of their own.
const localParts = 32

// Ways returns the algorithms of sections 3.2 to 3.4 and HS_LRC of section 4.3.
func Ways() []Way {
	ways := []Way{
		{"BS", own.BS, func([]uint32) extra { return extra{} }},
		{"IS", own.IS, func([]uint32) extra { return extra{} }},
		{"LR", own.LR, safeRange},
		{"LR local", own.LRLocal, localRanges},
	}
	for _, n := range []int{16, 32, 64, 128, 256} {
		ways = append(ways, Way{fmt.Sprintf("HS%d", n), own.HS, func(d []uint32) extra { return buckets(d, n) }})
	}
	for _, n := range []int{128, 256} {
		ways = append(ways, Way{fmt.Sprintf("HS%d_LRC", n), own.HSLRC, func(d []uint32) extra { return bucketLines(d, n) }})
	}
	return ways
}

// Named returns the way with that name.
func Named(name string) Way {
	for _, w := range Ways() {
		if w.Name == name {
			return w
		}
	}
	panic("no way " + name) // a constant of an experiment
}

// position returns where a line puts a docID, by the operations of the kernels.
func position(x uint32, slope, intercept float32) int {
	return int(math.Floor(float64(float32(float32(x)*slope) + intercept)))
}

// spread returns how far the positions of docs are from the line's, in both directions.
func spread(docs []uint32, slope, intercept float32) (left, right uint32) {
	l, r := 0, 0
	for i, d := range docs {
		at := position(d, slope, intercept)
		l, r = max(l, at-i), max(r, i-at)
	}
	return uint32(l), uint32(r)
}

// inverse returns the line through docs as positions on docIDs.
func inverse(docs []uint32) (slope, intercept float32) {
	f := linefit.Of(docs)
	if len(docs) < 2 || !(f.Slope > 0) {
		return 0, 0
	}
	return float32(1 / f.Slope), float32(-f.Intercept / f.Slope)
}

func safeRange(docs []uint32) (x extra) {
	x.list.Slope, x.list.Intercept = inverse(docs)
	x.list.Left, x.list.Right = spread(docs, x.list.Slope, x.list.Intercept)
	return x
}

func localRanges(docs []uint32) (x extra) {
	step := max(1, (len(docs)+localParts-1)/localParts)
	var lines []own.RawLine
	for at := 0; at < len(docs); at += step {
		part := docs[at:min(at+step, len(docs))]
		var l own.RawLine
		l.Slope, l.Intercept = inverse(part)
		l.Left, l.Right = spread(part, l.Slope, l.Intercept)
		lines, x.aux = append(lines, l), append(x.aux, part[0])
	}
	x.list.Parts, x.list.Step, x.lines = uint32(len(lines)), uint32(step), kernels.Slice(lines)
	return x
}

// buckets takes the least number of leading bits for which buckets have at most mean
// elements on average.
func buckets(docs []uint32, mean int) (x extra) {
	last, m := docs[len(docs)-1], 0
	for len(docs) > mean<<m {
		m++
	}
	x.list.Shift = uint32(max(bits.Len32(last)-m, 0))
	x.list.Parts = last>>x.list.Shift + 1
	x.aux = make([]uint32, x.list.Parts+1)
	for _, d := range docs {
		x.aux[d>>x.list.Shift+1]++
	}
	for i := 1; i < len(x.aux); i++ {
		x.aux[i] += x.aux[i-1]
	}
	return x
}

func bucketLines(docs []uint32, mean int) extra {
	x := buckets(docs, mean)
	lines := make([]own.RawBucket, x.list.Parts)
	for h := range lines {
		b := &lines[h]
		b.Word = uint32(len(x.payload))
		part := docs[x.aux[h]:x.aux[h+1]]
		if len(part) == 0 {
			continue
		}
		if s, _ := inverse(part); s > 0 {
			b.Slope, b.Inverse = 1/s, s
		}
		devs := make([]int64, len(part))
		least := int64(math.MaxInt64)
		for i, d := range part {
			devs[i] = int64(d) - int64(math.Floor(float64(float32(i)*b.Slope)))
			least = min(least, devs[i])
		}
		b.Base = uint32(least)
		all := uint64(0)
		for _, v := range devs {
			all |= uint64(v - least)
		}
		b.Width = uint32(bits.Len64(all))
		x.payload = append(x.payload, make([]uint32, (len(part)*int(b.Width)+31)/32)...)
		l, r := 0, 0
		for i, d := range part {
			putBits(x.payload[b.Word:], i*int(b.Width), int(b.Width), uint32(devs[i]-least))
			at := position(d-b.Base, b.Inverse, 0)
			l, r = max(l, at-i), max(r, i-at)
		}
		b.Left, b.Right = uint32(l), uint32(r)
	}
	x.lines = kernels.Slice(lines)
	return x
}

// putBits adds a value of width bits at a bit of zeros.
func putBits(words []uint32, at, width int, v uint32) {
	if width == 0 {
		return
	}
	words[at>>5] |= v << (at & 31)
	if at&31+width > 32 {
		words[at>>5+1] |= v >> (32 - at&31)
	}
}

// Lists are uncompressed lists on a device.
type Lists struct {
	docs [][]uint32
	at   []kernels.Ptr
	m    *Memory
}

// Load copies lists to the device.
func Load(m *Memory, lists [][]uint32) *Lists {
	l := &Lists{docs: lists, m: m}
	n := 0
	for _, d := range lists {
		n += len(d)
	}
	all := make([]uint32, 0, n)
	p := m.Room(4 * n)
	for _, d := range lists {
		l.at = append(l.at, p+kernels.Ptr(4*len(all)))
		all = append(all, d...)
	}
	m.Set(p, kernels.Slice(all))
	return l
}

// Searched are lists with a structure for one way of searching.
type Searched struct {
	*Lists
	Way
	Bytes int64   // of the structures, or with HS_LRC of all that a search reads
	m     *Memory // of the structures
	descs kernels.Ptr
}

// For builds the structures of a way for all lists, in a Memory of their own.
func (l *Lists) For(m *Memory, w Way) *Searched {
	s := &Searched{Lists: l, Way: w, m: m}
	descs := make([]own.RawList, len(l.docs))
	all := make([]extra, len(l.docs))
	paper.Each(len(all), func(i int) {
		if len(l.docs[i]) > 0 {
			all[i] = w.beside(l.docs[i])
		}
	})
	var aux, payload []uint32
	var lines []byte
	type offsets struct{ aux, lines, payload int }
	at := make([]offsets, len(l.docs))
	for i, d := range l.docs {
		x := all[i]
		at[i] = offsets{4 * len(aux), len(lines), 4 * len(payload)}
		aux, lines, payload = append(aux, x.aux...), append(lines, x.lines...), append(payload, x.payload...)
		x.list.Docs, x.list.N = l.at[i], uint32(len(d))
		descs[i] = x.list
	}
	s.Bytes = int64(4*len(aux) + len(lines) + 4*len(payload))
	payload = append(payload, 0, 0) // kernels read beyond the end
	a, b, c := m.Put(kernels.Slice(aux)), m.Put(lines), m.Put(kernels.Slice(payload))
	for i := range descs {
		descs[i].Aux, descs[i].Lines, descs[i].Payload = a+kernels.Ptr(at[i].aux), b+kernels.Ptr(at[i].lines), c+kernels.Ptr(at[i].payload)
	}
	s.descs = m.Put(kernels.Slice(descs))
	return s
}
