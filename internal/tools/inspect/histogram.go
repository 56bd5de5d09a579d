package inspect

import (
	"math/bits"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Histogram counts values.
type Histogram struct {
	Name  string  `json:"name"`
	Title string  `json:"title"`
	Unit  string  `json:"unit"` // of values
	Of    string  `json:"of"`   // what is counted
	Count uint64  `json:"count"`
	Min   uint64  `json:"min"`
	Max   uint64  `json:"max"`
	Mean  float64 `json:"mean"`
	// Quantiles are within 1 % of the values.
	Quantiles []Quantile `json:"quantiles"`
	Bins      []Bin      `json:"bins"` // ascending and adjacent
	// Sampled is set if the values come from the sample.
	Sampled bool `json:"sampled"`

	scale scale
	sum   float64
	hdr   *hdrhistogram.Histogram
	bins  []Bin
}

// Quantile is a value that a share of the values does not exceed.
type Quantile struct {
	Share float64 `json:"share"`
	Value uint64  `json:"value"`
}

// Bin counts the values from From to To.
type Bin struct {
	From  uint64 `json:"from"`
	To    uint64 `json:"to"`
	Count uint64 `json:"count"`
	Sum   uint64 `json:"sum"` // of the values
}

// scale says how values are cut into bins.
type scale int

const (
	linear scale = iota // one bin for each value
	octave              // one bin for 0, and one from each power of two to the next
	fine                // four bins from each power of two to the next
)

// bin returns the bin of a value.
func (s scale) bin(v uint64) int {
	n := bits.Len64(v)
	switch {
	case s == linear:
		return int(v)
	case s == octave:
		return n
	case n <= 3:
		return int(v)
	}
	return 4*(n-2) + int(v>>(n-3)&3)
}

// from returns the least value of a bin.
func (s scale) from(bin int) uint64 {
	switch {
	case s == linear, s == fine && bin < 8, bin == 0:
		return uint64(bin)
	case s == octave:
		return 1 << (bin - 1)
	}
	return uint64(4+bin%4) << (bin/4 - 1)
}

// most is the greatest value that quantiles tell from greater ones.
const most = 1 << 40

func newHistogram(name, title, unit, of string, s scale, sampled bool) *Histogram {
	return &Histogram{Name: name, Title: title, Unit: unit, Of: of, Sampled: sampled, scale: s,
		hdr: hdrhistogram.New(1, most, 2), Quantiles: []Quantile{}, Bins: []Bin{}}
}

// add counts n values v.
func (h *Histogram) add(v, n uint64) {
	if n == 0 {
		return
	}
	if h.Count == 0 || v < h.Min {
		h.Min = v
	}
	h.Max = max(h.Max, v)
	h.Count += n
	h.sum += float64(v) * float64(n)
	h.hdr.RecordValues(int64(min(v, most)), int64(n))
	b := h.scale.bin(v)
	for b >= len(h.bins) {
		at := len(h.bins)
		h.bins = append(h.bins, Bin{From: h.scale.from(at), To: h.scale.from(at+1) - 1})
	}
	h.bins[b].Count += n
	h.bins[b].Sum += v * n
}

// shares are the quantiles that are given.
var shares = []float64{0.1, 0.25, 0.5, 0.75, 0.9, 0.99}

// finish computes what follows from the counts.
func (h *Histogram) finish() {
	if h.Count == 0 {
		return
	}
	h.Mean = h.sum / float64(h.Count)
	for _, s := range shares {
		v := uint64(h.hdr.ValueAtQuantile(100 * s))
		h.Quantiles = append(h.Quantiles, Quantile{s, min(max(v, h.Min), h.Max)})
	}
	h.Bins = slices.Clone(h.bins[slices.IndexFunc(h.bins, func(b Bin) bool { return b.Count > 0 }):])
	h.hdr, h.bins = nil, nil
}
