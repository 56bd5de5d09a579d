package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/segment"
)

// batchPostings is the number of postings that are measured together: as many as fit
// into the second-level cache in any codec.
const batchPostings = 1 << 15

// CodecMeter adds up sizes and times of codecs, a batch of lists at a time.
type CodecMeter struct {
	codecs      []codec.Codec
	docs, freqs sideMeter
	batch       []format.Postings
	batched     int
	Done        uint64 // postings
}

// NewCodecMeter returns a CodecMeter of these codecs.
func NewCodecMeter(codecs []codec.Codec) *CodecMeter {
	return &CodecMeter{codecs: codecs,
		docs:  sideMeter{side: codecbench.Docs, codecs: codecs, sums: make([]codecSum, len(codecs)), inIndex: map[codec.ID]int{}},
		freqs: sideMeter{side: codecbench.Freqs, codecs: codecs, sums: make([]codecSum, len(codecs)), inIndex: map[codec.ID]int{}}}
}

// List adds a list of the index.
func (m *CodecMeter) List(ctx context.Context, l *segment.List) error {
	p, err := codecbench.Read(l)
	if err != nil {
		return err
	}
	m.docs.inIndex[codec.ID(l.DocsCodec)]++
	m.freqs.inIndex[codec.ID(l.FreqsCodec)]++
	return m.Add(ctx, p)
}

// Add adds a list, and measures when a batch is full.
func (m *CodecMeter) Add(ctx context.Context, p format.Postings) error {
	m.batch = append(m.batch, p)
	m.batched += len(p.Docs)
	if m.batched < batchPostings {
		return nil
	}
	return m.Flush(ctx)
}

// Flush measures what has been added.
func (m *CodecMeter) Flush(ctx context.Context) error {
	if m.batched == 0 {
		return nil
	}
	for _, s := range []*sideMeter{&m.docs, &m.freqs} {
		if err := s.measure(ctx, m.batch, m.batched); err != nil {
			return err
		}
	}
	m.Done += uint64(m.batched)
	m.batch, m.batched = m.batch[:0], 0
	return nil
}

// Tables returns the means per posting.
func (m *CodecMeter) Tables() (docs, freqs CodecTable) {
	return m.docs.table(m.Done), m.freqs.table(m.Done)
}

// sideMeter is one side of the lists.
type sideMeter struct {
	side    codecbench.Side
	codecs  []codec.Codec
	sums    []codecSum // of codecs
	auto    codecSum
	choices []choiceSum // of choose.Candidates
	inIndex map[codec.ID]int
}

// codecSum holds sums over all lists so far: bytes and nanoseconds, not yet divided by
// the number of postings.
type codecSum struct {
	bytes          int64
	decode, encode float64
	model          float64 // decode time according to the model
}

type choiceSum struct {
	lists    int
	postings uint64
	bytes    []float64 // by candidate, and nanoseconds
	nanos    []float64
}

func (s *sideMeter) measure(ctx context.Context, lists []format.Postings, n int) error {
	for i, c := range s.codecs {
		if err := ctx.Err(); err != nil {
			return err
		}
		encode := func(p format.Postings, dst []byte, ends []uint32) ([]byte, error) {
			return s.side.Append(c, dst, ends, p)
		}
		if err := s.sums[i].measure(c, s.side, lists, n, encode); err != nil {
			return fmt.Errorf("%v: %w", c.ID(), err)
		}
	}
	return s.choose(lists)
}

// measure measures how fast lists with n postings are encoded and decoded.
func (sum *codecSum) measure(c codec.Codec, side codecbench.Side, lists []format.Postings, n int,
	encode func(format.Postings, []byte, []uint32) ([]byte, error)) error {
	e, err := codecbench.Encode(c, side, lists)
	if err != nil {
		return err
	}
	dst := make([]uint32, codecbench.Row)
	decode, err := nanos(n, func() error { return e.Decode(dst) })
	if err != nil {
		return err
	}
	var buf []byte
	most := 0
	for _, s := range e.Seqs {
		most = max(most, len(s.Ends))
	}
	ends := make([]uint32, most)
	took, err := nanos(n, func() (err error) {
		for _, p := range lists {
			if buf, err = encode(p, buf[:0], ends); err != nil {
				return err
			}
		}
		return nil
	})
	sum.bytes += int64(e.Bytes())
	sum.decode += decode
	sum.encode += took
	sum.model += float64(n) * modelNanos(c.ID(), side)
	return err
}

func modelNanos(id codec.ID, side codecbench.Side) float64 {
	if side == codecbench.Docs {
		return choose.Decode(id).Docs
	}
	return choose.Decode(id).Freqs
}

// nanos returns how long f takes: the fastest of a few runs. If n, the number of values
// that f handles, is small, each run calls f many times.
func nanos(n int, f func() error) (float64, error) {
	times := 1 + batchPostings/4/n
	many := func() error {
		for range times {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
	best := 0.0
	for i := range 3 {
		d, err := codecbench.Fastest(0, many)
		if err != nil {
			return 0, err
		}
		if ns := float64(d.Nanoseconds()) / float64(times); i == 0 || ns < best {
			best = ns
		}
	}
	return best, nil
}

// choose adds auto's choice for each list, and what it needs.
func (s *sideMeter) choose(lists []format.Postings) error {
	candidates := choose.Default().Candidates
	if s.choices == nil {
		s.choices = make([]choiceSum, len(candidates))
		for i := range s.choices {
			s.choices[i] = choiceSum{bytes: make([]float64, len(candidates)), nanos: make([]float64, len(candidates))}
		}
	}
	taken := make([][]format.Postings, len(candidates))
	for _, p := range lists {
		best, err := s.rank(p)
		if err != nil {
			return err
		}
		taken[best] = append(taken[best], p)
	}
	for i, c := range candidates {
		n := 0
		for _, p := range taken[i] {
			n += len(p.Docs)
		}
		if n == 0 {
			continue
		}
		err := s.auto.measure(c, s.side, taken[i], n, func(p format.Postings, dst []byte, ends []uint32) ([]byte, error) {
			chosen, err := autoChoice(s.side, p)
			if err != nil {
				return nil, err
			}
			return s.side.Append(chosen, dst, ends, p)
		})
		if err != nil {
			return fmt.Errorf("auto: %w", err)
		}
	}
	return nil
}

func autoChoice(side codecbench.Side, p format.Postings) (codec.BlockCodec, error) {
	if side == codecbench.Docs {
		return choose.Default().Docs(p.Docs)
	}
	return choose.Default().Freqs(p.Freqs)
}

// rank adds the costs of a list in every candidate to the candidate that auto chooses,
// and returns the number of that candidate.
func (s *sideMeter) rank(p format.Postings) (best int, err error) {
	chosen, err := autoChoice(s.side, p)
	if err != nil {
		return 0, err
	}
	candidates := make([]codec.Codec, len(choose.Default().Candidates))
	for i, c := range choose.Default().Candidates {
		candidates[i] = c
		if c.ID() == chosen.ID() {
			best = i
		}
	}
	var ranked []choose.Estimate
	if s.side == codecbench.Docs {
		ranked, err = choose.Default().RankDocs(candidates, p.Docs)
	} else {
		ranked, err = choose.Default().RankFreqs(candidates, p.Freqs)
	}
	if err != nil {
		return 0, err
	}
	sum := &s.choices[best]
	sum.lists++
	sum.postings += uint64(len(p.Docs))
	for _, e := range ranked {
		i := slices.IndexFunc(candidates, func(c codec.Codec) bool { return c.ID() == e.Codec.ID() })
		sum.bytes[i] += float64(e.Bytes) * choose.Default().NanosPerByte
		sum.nanos[i] += e.Nanos
	}
	return best, nil
}

// table returns the means per posting.
func (s *sideMeter) table(postings uint64) (t CodecTable) {
	row := func(name string, sum codecSum) CodecSize {
		n := float64(max(postings, 1))
		return CodecSize{Codec: name, Bytes: sum.bytes, Bits: 8 * float64(sum.bytes) / n, DecodeNS: sum.decode / n, EncodeNS: sum.encode / n,
			Cost: Cost{float64(sum.bytes) * choose.Default().NanosPerByte / n, sum.model / n}}
	}
	for i, c := range s.codecs {
		r := row(c.ID().String(), s.sums[i])
		r.InIndex = s.inIndex[c.ID()]
		r.Candidate = slices.ContainsFunc(choose.Default().Candidates, func(x codec.BlockCodec) bool { return x.ID() == c.ID() })
		t.Codecs = append(t.Codecs, r)
	}
	slices.SortStableFunc(t.Codecs, func(a, b CodecSize) int { return cmp.Compare(a.Cost.sum(), b.Cost.sum()) })
	t.Auto = row("auto", s.auto)
	t.Choices = []Choice{}
	for i, sum := range s.choices {
		c := Choice{Codec: choose.Default().Candidates[i].ID().String(), Lists: sum.lists, Postings: sum.postings}
		n := float64(max(sum.postings, 1))
		for k, x := range choose.Default().Candidates {
			c.Costs = append(c.Costs, CandidateCost{x.ID().String(), Cost{sum.bytes[k] / n, sum.nanos[k] / n}})
		}
		t.Choices = append(t.Choices, c)
	}
	return t
}
