package resident

import (
	"fmt"
	"math"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/papers/internal/paper"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// The steps of a query of Ding 2009, table 3.
const (
	Initialization = "initialization"
	Decompression  = "decompression"
	Intersection   = "intersection"
	Scoring        = "scoring"
	TopK           = "top-k"
)

// Index is compressed lists on the device with what their scores need.
type Index struct {
	m       *Memory
	list    []kernels.Ptr // descriptors
	last    []kernels.Ptr // skip headers
	n       []int
	docs    int
	norms   kernels.Ptr
	Norms   []float32 // by docID
	Weights []float32 // by list
}

// Compress encodes lists of docs documents in a codec with blocks of 128, and copies them
// to the device. Lengths of documents, which the norms stand for, are made up.
func Compress(m *Memory, c codec.Codec, lists [][]uint32, freqs [][]uint8, docs int) (*Index, error) {
	if c.BlockLen() != 128 {
		return nil, fmt.Errorf("resident: blocks of %d, not 128", c.BlockLen())
	}
	x := &Index{m: m, docs: docs, Norms: paper.Norms(docs)}
	x.norms = m.Put(kernels.Slice(x.Norms))
	all := make([]encoded, len(lists))
	paper.Each(len(lists), func(i int) { all[i] = encode(c, lists[i], freqs[i]) })
	for i, l := range lists {
		e := &all[i]
		if e.err != nil {
			return nil, e.err
		}
		desc := kernels.ListDesc{Docs: m.Put(pad(e.docs)), Freqs: m.Put(pad(e.freqs)), DocEnds: m.Put(kernels.Slice(e.docEnds)), FreqEnds: m.Put(kernels.Slice(e.freqEnds)),
			Last: m.Put(kernels.Slice(e.last)), N: uint32(len(l)), Blocks: uint32(len(e.last)), DocWords: uint32(len(e.docs) / 4), FreqWords: uint32(len(e.freqs) / 4),
			DocsCodec: uint8(c.ID()), FreqsCodec: uint8(c.ID()), LogBlock: 7, MaxDoc: uint32(docs)}
		x.list, x.last, x.n = append(x.list, m.Put(kernels.Bytes(&desc))), append(x.last, desc.Last), append(x.n, len(l))
		x.Weights = append(x.Weights, float32(1.9*math.Log1p(float64(docs)/float64(len(l)))))
	}
	return x, m.Err()
}

// encoded is a list in a codec, in host memory.
type encoded struct {
	docs, freqs             []byte
	docEnds, freqEnds, last []uint32
	err                     error
}

func encode(c codec.Codec, docs []uint32, freqs []uint8) (e encoded) {
	f := make([]uint32, len(docs))
	for j, v := range freqs[:len(docs)] {
		f[j] = max(uint32(v), 1)
	}
	nb := codec.Blocks(len(docs), 128)
	e.docEnds, e.freqEnds, e.last = make([]uint32, nb+1), make([]uint32, nb+1), make([]uint32, nb)
	for j := range e.last {
		e.last[j] = docs[min(128*j+128, len(docs))-1]
	}
	if e.docs, e.err = c.AppendDocs(nil, e.docEnds, docs); e.err == nil {
		e.freqs, e.err = c.AppendFreqs(nil, e.freqEnds, f)
	}
	return e
}

// pad adds the bytes that decoders read beyond a payload.
func pad(b []byte) []byte { return append(b, make([]byte, format.ReadablePadding)...) }

// Runner answers queries on an Index, one at a time, step by step.
type Runner struct {
	x      *Index
	levels int
	k      int
	// Candidates, their positions in the list of a step, and their scores; before and
	// after a compaction.
	docs, positions, scores [2]kernels.Ptr
	compact                 [2]compaction
	heads                   compaction
	finder                  *finder
	needed, ranks           kernels.Ptr
	blocks, freqs           kernels.Ptr // decoded
	within                  kernels.Ptr
	acc                     kernels.Ptr
	best                    own.BestParams
	out                     []byte
	marks                   []string // steps, by the event after them
	g                       cuda.Batch
}

// NewRunner makes room for queries of the k best documents whose first list has up to
// first postings and any list up to most. Levels are those of Parallel Merge Find.
func (x *Index) NewRunner(first, most, k, levels int) *Runner {
	m := x.m
	r := &Runner{x: x, levels: levels, k: k, finder: newFinder(m, first), heads: newCompaction(m, first), needed: m.Room(4 * first), ranks: m.Room(4 * first),
		within: m.Room(4 * first), acc: m.Room(4 * x.docs), out: m.Pinned(8*k + 8)}
	for i := range r.docs {
		// The first list is decoded in whole blocks.
		r.docs[i], r.positions[i], r.scores[i] = m.Room(4*(first+128)), m.Room(4*first), m.Room(4*first)
		r.compact[i] = newCompaction(m, first)
	}
	r.blocks, r.freqs = m.Room(512*blocks(most, 128)), m.Room(512*blocks(most, 128))
	n := max(first, x.docs)
	for i := range r.best.Maxima {
		n = blocks(n, own.Group)
		r.best.Maxima[i] = m.Room(8 * n)
	}
	r.best.Out, r.best.K = m.Room(8*k+8), uint32(k)
	r.best.OutCount = r.best.Out + kernels.Ptr(8*k)
	return r
}

// Answer is the best documents of a query, as keys: the bits of the score, then those of
// the docID inverted.
type Answer struct {
	Keys  []uint64
	Took  map[string]float64 // seconds of each step, between events
	Whole float64            // of the query, with launches and waiting
}

// step ends a step: the time since the end of the one before is its own.
func (r *Runner) step(name string) {
	r.g.Record(len(r.marks) + 1)
	r.marks = append(r.marks, name)
}

func (r *Runner) begin() time.Time {
	r.g.Reset()
	r.marks = r.marks[:0]
	start := time.Now()
	r.g.Record(0)
	return start
}

func (r *Runner) end(start time.Time) (a Answer, err error) {
	r.g.CopyOut(r.out, r.best.Out)
	if _, err = r.x.m.Run(&r.g); err != nil {
		return a, err
	}
	a.Whole, a.Took = time.Since(start).Seconds(), map[string]float64{}
	for i, name := range r.marks {
		a.Took[name] += r.x.m.Between(i, i+1)
	}
	words := format.Uint32s(r.out)
	for i := range words[2*r.k] {
		a.Keys = append(a.Keys, uint64(words[2*i])|uint64(words[2*i+1])<<32)
	}
	return a, r.x.m.Err()
}

// And answers a conjunction: decode the first list; then, for each other list, find the
// blocks that the candidates need, decode these, search in them, keep what is found, and
// add its scores.
func (r *Runner) And(q []int) (Answer, error) {
	x, g := r.x, &r.g
	start := r.begin()
	n, at := x.n[q[0]], 0
	if blocks(n, 128) > 0 {
		g.Launch(own.Decode, blocks(blocks(n, 128), 8), 0,
			kernels.Bytes(&own.BlockParams{List: x.list[q[0]], Docs: r.docs[0], N: uint32(blocks(n, 128))}))
	}
	r.step(Decompression)
	score := own.ScoreParams{List: x.list[q[0]], Docs: r.docs[0], Norms: x.norms, Scores: r.scores[0], N: uint32(n), Weight: x.Weights[q[0]], First: 1}
	g.Launch(own.Score, blocks(n, 256), 0, kernels.Bytes(&score))
	r.step(Scoring)
	count := kernels.Ptr(0) // of the candidates, once the device alone knows it
	for _, l := range q[1:] {
		nb := blocks(x.n[l], 128)
		r.finder.launch(g, own.FindParams{A: r.docs[at], B: x.last[l], Count: count, NA: uint32(n), NB: uint32(nb)}, r.levels)
		tiles := blocks(n, own.KeepTile)
		heads := own.HeadParams{Blocks: r.finder.positions, Count: count, Counts: r.heads.counts, Starts: r.heads.starts, Out: r.needed, Ranks: r.ranks,
			NA: uint32(n), NB: uint32(nb)}
		g.Launch(own.CountHeads, tiles, 0, kernels.Bytes(&heads))
		needed := r.heads.scan(g, n)
		g.Launch(own.PlaceHeads, tiles, 0, kernels.Bytes(&heads))
		r.step(Intersection)
		g.Launch(own.Decode, blocks(min(n, nb), 8), 0,
			kernels.Bytes(&own.BlockParams{List: x.list[l], Blocks: r.needed, Count: needed, Docs: r.blocks}))
		r.step(Decompression)
		g.Launch(own.Within, blocks(n, 256), 0, kernels.Bytes(&own.WithinParams{A: r.docs[at], Count: count, Blocks: r.finder.positions,
			Ranks: r.ranks, Docs: r.blocks, Positions: r.within, NA: uint32(n), NB: uint32(nb)}))
		next := 1 - at
		keep := own.KeepParams{A: r.docs[at], Positions: r.within, Scores: r.scores[at], Count: count, Counts: r.compact[next].counts, Starts: r.compact[next].starts,
			Out: r.docs[next], OutPositions: r.positions[next], OutScores: r.scores[next], NA: uint32(n), NB: math.MaxUint32}
		g.Launch(own.Count, tiles, 0, kernels.Bytes(&keep))
		total := r.compact[next].scan(g, n)
		g.Launch(own.Keep, tiles, 0, kernels.Bytes(&keep))
		r.step(Intersection)
		at, count = next, total
		score = own.ScoreParams{List: x.list[l], Docs: r.docs[at], Positions: r.positions[at], Count: count, Norms: x.norms, Scores: r.scores[at],
			N: uint32(n), Weight: x.Weights[l]}
		g.Launch(own.Score, blocks(n, 256), 0, kernels.Bytes(&score))
		r.step(Scoring)
	}
	best := r.best
	best.Scores, best.Docs, best.Count, best.N = r.scores[at], r.docs[at], count, uint32(n)
	r.top(best)
	return r.end(start)
}

// Or answers a disjunction with an accumulator for every document.
func (r *Runner) Or(q []int) (Answer, error) {
	x, g := r.x, &r.g
	start := r.begin()
	g.Fill(r.acc, int64(4*x.docs))
	r.step(Initialization)
	for _, l := range q {
		nb := blocks(x.n[l], 128)
		g.Launch(own.Decode, blocks(nb, 8), 0, kernels.Bytes(&own.BlockParams{List: x.list[l], Docs: r.blocks, Freqs: r.freqs, N: uint32(nb)}))
		r.step(Decompression)
		g.Launch(own.Add, blocks(x.n[l], 256), 0, kernels.Bytes(&own.ScoreParams{Docs: r.blocks, Freqs: r.freqs, Norms: x.norms, Scores: r.acc,
			N: uint32(x.n[l]), Weight: x.Weights[l]}))
		r.step(Scoring)
	}
	best := r.best
	best.Scores, best.N = r.acc, uint32(x.docs)
	r.top(best)
	return r.end(start)
}

// top launches the selection with as few levels of maxima as leave one group.
func (r *Runner) top(p own.BestParams) {
	launchBest(&r.g, p)
	r.step(TopK)
}

// launchBest launches the selection of the best of p.N candidates.
func launchBest(g *cuda.Batch, p own.BestParams) {
	n := max(int(p.N), 1)
	for p.Levels = 0; p.Levels == 0 || n > own.Group; p.Levels++ {
		n = blocks(n, own.Group)
		p.Level = p.Levels
		g.Launch(own.Maxima, n, 0, kernels.Bytes(&p))
	}
	g.Launch(own.Extract, 1, 0, kernels.Bytes(&p))
}
