package ao

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/linefit"
)

// searcher looks docIDs up in an uncompressed list. has returns how many elements of the
// list and of what stands beside it were read.
type searcher interface {
	has(x uint32) (found bool, reads int)
	extra() int // bytes beside the list
}

// way makes a searcher for a list.
type way struct {
	name string
	make func(docs []uint32) searcher
}

// ways are the search algorithms of sections 3.2 to 3.4.
func ways() []way {
	return []way{
		{"BS", func(d []uint32) searcher { return binary(d) }},
		{"LR", func(d []uint32) searcher { return newSafe(d) }},
		{"LR local", func(d []uint32) searcher { return newLocal(d, 32) }},
		{"HS256", func(d []uint32) searcher { return newHash(d, 256) }},
		{"HS128", func(d []uint32) searcher { return newHash(d, 128) }},
		{"HS32", func(d []uint32) searcher { return newHash(d, 32) }},
		{"HS16", func(d []uint32) searcher { return newHash(d, 16) }},
		{"IS", func(d []uint32) searcher { return interpolation(d) }},
	}
}

// within searches docs[lo:hi] by halves.
func within(docs []uint32, lo, hi int, x uint32) (bool, int) {
	reads := 0
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		reads++
		switch v := docs[m]; {
		case v < x:
			lo = m + 1
		case v > x:
			hi = m
		default:
			return true, reads
		}
	}
	return false, reads
}

type binary []uint32

func (b binary) has(x uint32) (bool, int) { return within(b, 0, len(b), x) }
func (binary) extra() int                 { return 0 }

// safe searches the safe range of a line (section 3.3).
type safe struct {
	docs []uint32
	f    linefit.Fit
}

func newSafe(docs []uint32) *safe { return &safe{docs, linefit.Of(docs)} }

func (s *safe) has(x uint32) (bool, int) {
	lo, hi := safeRange(&s.f, len(s.docs), x)
	return within(s.docs, lo, hi, x)
}

// safeRange returns the positions that x can have; one more on either side is for
// rounding.
func safeRange(f *linefit.Fit, n int, x uint32) (lo, hi int) {
	at := (float64(x) - f.Intercept) / f.Slope
	lo = int(max(math.Floor(at-f.Left)-1, 0))
	return min(lo, n), int(min(max(math.Ceil(at+f.Right)+2, 0), float64(n)))
}

func (*safe) extra() int { return 16 }

// local divides the list and has a safe range for each part.
type local struct {
	docs  []uint32
	step  int
	heads []uint32
	fits  []linefit.Fit
}

func newLocal(docs []uint32, parts int) *local {
	l := &local{docs: docs, step: max(1, (len(docs)+parts-1)/parts)}
	for at := 0; at < len(docs); at += l.step {
		l.heads = append(l.heads, docs[at])
		l.fits = append(l.fits, linefit.Of(docs[at:min(at+l.step, len(docs))]))
	}
	return l
}

func (l *local) has(x uint32) (bool, int) {
	i, reads := 0, 0
	for lo, hi := 0, len(l.heads); lo < hi; { // the last part that begins at or before x
		m := int(uint(lo+hi) >> 1)
		reads++
		if l.heads[m] <= x {
			i, lo = m, m+1
		} else {
			hi = m
		}
	}
	part := l.docs[i*l.step : min((i+1)*l.step, len(l.docs))]
	lo, hi := safeRange(&l.fits[i], len(part), x)
	found, more := within(part, lo, hi, x)
	return found, reads + more + 1 // one for the line
}

func (l *local) extra() int { return 20 * len(l.heads) }

// hash searches the bucket of the leading bits (section 3.4).
type hash struct {
	docs    []uint32
	offsets []uint32 // of the buckets, and the end
	shift   int
}

// newHash takes the least number of bits for which buckets have at most mean elements on
// average.
func newHash(docs []uint32, mean int) *hash {
	m := 0
	for len(docs) > mean<<m {
		m++
	}
	h := &hash{docs: docs, shift: max(bits.Len32(docs[len(docs)-1])-m, 0)}
	h.offsets = make([]uint32, int(docs[len(docs)-1]>>h.shift)+2)
	for _, d := range docs {
		h.offsets[d>>h.shift+1]++
	}
	for i := 1; i < len(h.offsets); i++ {
		h.offsets[i] += h.offsets[i-1]
	}
	return h
}

func (h *hash) has(x uint32) (bool, int) {
	b := x >> h.shift
	if int(b)+1 >= len(h.offsets) {
		return false, 0
	}
	found, reads := within(h.docs, int(h.offsets[b]), int(h.offsets[b+1]), x)
	return found, reads + 2
}

func (h *hash) extra() int { return 4 * len(h.offsets) }

// interpolation is interpolation search; each step reads both ends and the guess.
type interpolation []uint32

func (p interpolation) has(x uint32) (bool, int) {
	lo, hi, reads := 0, len(p)-1, 0
	for lo <= hi {
		a, b := p[lo], p[hi]
		reads += 2
		if x < a || x > b {
			return false, reads
		}
		if a == b {
			return a == x, reads
		}
		m := lo + int(uint64(x-a)*uint64(hi-lo)/uint64(b-a))
		reads++
		switch v := p[m]; {
		case v < x:
			lo = m + 1
		case v > x:
			hi = m - 1
		default:
			return true, reads
		}
	}
	return false, reads
}

func (interpolation) extra() int { return 0 }

// skipping is the CPU's baseline: a pointer that moves along the last docID of each run of
// 128, and then within the run.
type skipping struct {
	docs, last []uint32
}

func newSkipping(docs []uint32) *skipping {
	s := &skipping{docs: docs}
	for at := 0; at < len(docs); at += 128 {
		s.last = append(s.last, docs[min(at+128, len(docs))-1])
	}
	return s
}

// keep leaves those of some, which ascend, that the list has.
func (s *skipping) keep(some []uint32) []uint32 {
	out, run := some[:0], 0
	for _, x := range some {
		if s.last[run] < x { // gallop
			step := 1
			for run+step < len(s.last) && s.last[run+step] < x {
				run += step
				step *= 2
			}
			lo, hi := run+1, min(run+step+1, len(s.last))
			for lo < hi {
				if m := int(uint(lo+hi) >> 1); s.last[m] < x {
					lo = m + 1
				} else {
					hi = m
				}
			}
			if run = lo; run >= len(s.last) {
				break
			}
		}
		if found, _ := within(s.docs, run*128, min(run*128+128, len(s.docs)), x); found {
			out = append(out, x)
		}
	}
	return out
}
