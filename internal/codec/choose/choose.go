// Package choose selects the codec of a posting list: the one with the lowest estimated
// cost, where
//
//	cost = bytes * NanosPerByte + values * decode time of a value
//
// Bytes are exact (the codecs' DocsSize and FreqsSize) and include the block endpoints.
// Decode times are those of Decode. A byte costs the time to read it before it is
// decoded. The default of 2 ns corresponds to a drive or a network with 500 MB/s. Below
// 0.5 ns, close to the cost of memory, decode time dominates and bp128 nearly always
// wins; from 2 ns on, newpfd does. Results for the lists of the project's test collection
// with at least 128 postings:
//
//	NanosPerByte      0.5        1        2        4       10
//	docIDs, MB      12.18    10.37    10.21    10.21    10.21
//	frequencies, MB  3.86     3.15     2.59     2.57     2.57
//	ns a posting     0.30     0.45     0.52     0.53     0.53
package choose

import (
	"sort"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
)

// Nanos are times in nanoseconds to decode one value: a docID, which includes the prefix sum,
// and a frequency.
type Nanos struct{ Docs, Freqs float64 }

// Decode returns the time to decode one value with a codec, 0 if it is not known. The times
// were measured once, in cache, on the uniform and clustered lists of 2^16 values of the
// benchmarks. Decoders have changed since, but the times have not, so that the same lists
// get the same codecs.
func Decode(id codec.ID) Nanos { return decode[id] }

var decode = map[codec.ID]Nanos{
	codec.BP128:       {0.15, 0.12},
	codec.VByte128:    {0.24, 0.13},
	codec.BP256:       {0.12, 0.09},
	codec.VByte1024:   {0.18, 0.08},
	codec.Rice:        {0.54, 0.41},
	codec.PForDelta:   {0.51, 0.38},
	codec.NewPFD:      {0.30, 0.23},
	codec.ParaPFor:    {0.32, 0.26},
	codec.LRC:         {0.18, 0.23},
	codec.LRCSeg:      {0.21, 0.23},
	codec.SegLRC:      {0.20, 0.23},
	codec.HSLRC:       {0.30, 0.23},
	codec.EF:          {0.49, 0.45},
	codec.BP32:        {1.74, 1.64},
	codec.SIMDBP128:   {0.17, 0.14},
	codec.VarintGB:    {1.78, 1.67},
	codec.StreamVByte: {0.25, 0.14},
}

// Candidates returns the codecs that Default chooses from. They have blocks of 128 values,
// which can be copied between lists, and their sizes are fast to compute. Choosing from
// all codecs lowered the cost of the lists tried, in three document orders, by less than
// 0.1%.
func Candidates() []codec.BlockCodec { return []codec.BlockCodec{bp128.Codec{}, newpfd.Codec{}} }

// Model is a cost model that weighs size against decode time.
type Model struct {
	NanosPerByte float64
	Candidates   []codec.BlockCodec
}

// Default returns the model used for the codec name "auto".
func Default() Model { return Model{NanosPerByte: 2, Candidates: Candidates()} }

// Estimate is the estimated cost of a codec for a list.
type Estimate struct {
	Codec codec.Codec
	Bytes int     // exact; payload and endpoints
	Nanos float64 // estimated time to decode the list
	Cost  float64 // in nanoseconds
}

// Docs returns the candidate with the lowest cost for docs, the first one if several have
// the same cost. The error is a *codec.EncodeError.
func (m Model) Docs(docs []uint32) (codec.BlockCodec, error) {
	return m.least(len(docs), func(c codec.Codec) (int, float64, error) {
		n, err := c.DocsSize(docs)
		return n, decode[c.ID()].Docs, err
	})
}

// Freqs is like Docs for frequencies.
func (m Model) Freqs(freqs []uint32) (codec.BlockCodec, error) {
	return m.least(len(freqs), func(c codec.Codec) (int, float64, error) {
		n, err := c.FreqsSize(freqs)
		return n, decode[c.ID()].Freqs, err
	})
}

func (m Model) least(n int, size func(codec.Codec) (int, float64, error)) (codec.BlockCodec, error) {
	var best codec.BlockCodec
	least := 0.0
	for _, c := range m.Candidates {
		bytes, nanos, err := size(c)
		if err != nil {
			return nil, err
		}
		if e := m.estimate(c, n, bytes, nanos); best == nil || e.Cost < least {
			best, least = c, e.Cost
		}
	}
	return best, nil
}

func (m Model) estimate(c codec.Codec, n, bytes int, nanos float64) Estimate {
	e := Estimate{Codec: c, Bytes: bytes + 4*(codec.Blocks(n, c.BlockLen())+1), Nanos: float64(n) * nanos}
	e.Cost = float64(e.Bytes)*m.NanosPerByte + e.Nanos
	return e
}

// RankDocs returns the cost of each of codecs for docs, in ascending order of cost.
func (m Model) RankDocs(codecs []codec.Codec, docs []uint32) ([]Estimate, error) {
	return m.rank(codecs, len(docs), func(c codec.Codec) (int, float64, error) {
		n, err := c.DocsSize(docs)
		return n, decode[c.ID()].Docs, err
	})
}

// RankFreqs is like RankDocs for frequencies.
func (m Model) RankFreqs(codecs []codec.Codec, freqs []uint32) ([]Estimate, error) {
	return m.rank(codecs, len(freqs), func(c codec.Codec) (int, float64, error) {
		n, err := c.FreqsSize(freqs)
		return n, decode[c.ID()].Freqs, err
	})
}

func (m Model) rank(codecs []codec.Codec, n int, size func(codec.Codec) (int, float64, error)) ([]Estimate, error) {
	out := make([]Estimate, 0, len(codecs))
	for _, c := range codecs {
		bytes, nanos, err := size(c)
		if err != nil {
			return nil, err
		}
		out = append(out, m.estimate(c, n, bytes, nanos))
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Cost < out[j].Cost })
	return out, nil
}
