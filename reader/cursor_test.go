package reader_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/reader"
)

// model is the test's own view of a list: a slice and a position.
type model struct {
	postings
	pos int
}

func (m *model) doc() uint32 {
	if m.pos < len(m.docs) {
		return m.docs[m.pos]
	}
	return reader.NoDoc
}

func (m *model) geq(from int, target uint32) int {
	for from < len(m.docs) && m.docs[from] < target {
		from++
	}
	return from
}

// drawPostings draws a list of n postings in documents 0 to limit-1.
func drawPostings(t *rapid.T, n int, limit uint32) postings {
	seed := rapid.Uint64().Draw(t, "seed")
	clustered := rapid.Bool().Draw(t, "clustered")
	next := func() uint64 { // splitmix64
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	set := map[uint32]bool{}
	for len(set) < n {
		d := uint32(next() % uint64(limit))
		run := uint64(1)
		if clustered {
			run = 1 + next()%50
		}
		for ; run > 0 && len(set) < n && d < limit; run, d = run-1, d+1 {
			set[d] = true
		}
	}
	var p postings
	for d := range set {
		p.docs = append(p.docs, d)
	}
	slices.Sort(p.docs)
	for range p.docs {
		f := uint32(next() % 4)
		if next()%20 == 0 {
			f = uint32(next() % 5000)
		}
		p.freqs = append(p.freqs, f+1)
	}
	return p
}

func TestCursor(t *testing.T) {
	longtest.Once(t)
	longtest.Checks(t, 20)
	sizes := []int{1, 2, 127, 128, 129, 255, 256, 257, 1000, 1025, 3000, 9000} // linear regression from 1024 on, buckets from 8192
	for _, cd := range registry.All() {
		t.Run(cd.ID().String(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { checkCursor(t, rt, cd, rapid.SampledFrom(sizes).Draw(rt, "n")) })
		})
	}
}

func checkCursor(t *testing.T, rt *rapid.T, cd codec.Codec, n int) {
	limit := uint32(n) * rapid.SampledFrom([]uint32{1, 2, 20, 1000}).Draw(rt, "sparsity")
	limit = min(limit, max(1<<14, uint32(n)))
	c := &content{docs: limit, lists: map[string]postings{"x": drawPostings(rt, n, limit)}, codec: cd.ID()}
	s := open(t, c)
	lens := c.lengths()
	cur := cursor(t, s, 0, "x")
	defer cur.Close()
	m := &model{postings: c.lists["x"]}
	shallow := uint32(0) // highest target of Shallow
	if cur.Len() != n {
		rt.Fatalf("Len %d, want %d", cur.Len(), n)
	}
	for i, d := range m.docs {
		if !cur.ListMax().Dominates(m.freqs[i], lens[d]) {
			rt.Fatalf("posting %d is above the bound of the list", i)
		}
	}
	check := func(what string, got uint32) {
		if got != m.doc() || cur.Doc() != got || cur.Pos() != min(m.pos, n) || cur.Err() != nil {
			rt.Fatalf("%s: doc %d at %d, want %d at %d: %v", what, got, cur.Pos(), m.doc(), m.pos, cur.Err())
		}
	}
	check("init", cur.Doc())
	for range rapid.IntRange(1, 60).Draw(rt, "steps") {
		switch op := rapid.SampledFrom([]string{"next", "geq", "geq", "chunk", "freq", "block", "docs", "shallow", "strategy"}).Draw(rt, "op"); op {
		case "next":
			m.pos = min(m.pos+1, n)
			check(op, cur.Next())
		case "geq":
			target := rapid.Uint32Range(0, limit).Draw(rt, "target")
			if d := m.doc(); rapid.Bool().Draw(rt, "near") && d != reader.NoDoc {
				target = d + rapid.Uint32Range(0, limit/uint32(n)*300).Draw(rt, "step")
			}
			m.pos = m.geq(m.pos, target)
			check(op, cur.NextGEQ(target))
		case "chunk":
			target := rapid.Uint32Range(0, limit).Draw(rt, "target")
			from := m.geq(m.pos, target)
			chunk, first := cur.ChunkOf(target)
			switch whole := cur.List().Quads != nil && cd.BlockLen() >= len(chunk); {
			case !whole || from == n:
				if chunk != nil {
					rt.Fatalf("a chunk from posting %d on for one from %d on", first, from)
				}
				if whole {
					m.pos = n
				}
			case chunk == nil || from < first || from >= first+len(chunk):
				rt.Fatalf("no chunk of posting %d, but one from %d on", from, first)
			default:
				end := min((first/cd.BlockLen()+1)*cd.BlockLen(), n)
				for i, d := range chunk {
					if want := uint32(reader.NoDoc); first+i < end && d != m.docs[first+i] || first+i >= end && d != want {
						rt.Fatalf("posting %d of a chunk from %d on is of document %d", i, first, d)
					}
				}
				m.pos = max(m.pos, first)
			}
			check(op, cur.Doc())
		case "freq":
			want := uint32(0)
			if m.pos < n {
				want = m.freqs[m.pos]
			}
			if f := cur.Freq(); f != want {
				rt.Fatalf("freq %d, want %d", f, want)
			}
			check(op, cur.Doc())
		case "block":
			size := cd.BlockLen()
			if cur.List().Quads == nil {
				size = n
			}
			m.pos = min((m.pos/size+1)*size, n)
			if ok := cur.NextBlock(); ok != (m.pos < n) {
				rt.Fatalf("NextBlock %v at %d", ok, m.pos)
			}
			check(op, cur.Doc())
		case "docs":
			docs, freqs := cur.Docs(), cur.Freqs()
			if len(docs) != len(freqs) || len(docs) == 0 != (m.pos >= n) {
				rt.Fatalf("%d docIDs, %d frequencies at %d", len(docs), len(freqs), m.pos)
			}
			if !slices.Equal(docs, m.docs[min(m.pos, n):][:len(docs)]) || !slices.Equal(freqs, m.freqs[min(m.pos, n):][:len(docs)]) {
				rt.Fatalf("block differs at %d", m.pos)
			}
			check(op, cur.Doc())
		case "shallow":
			target := rapid.Uint32Range(0, limit).Draw(rt, "target")
			last := cur.Shallow(target)
			shallow = max(shallow, target)
			from := m.geq(0, target)
			if from == n {
				if last != reader.NoDoc && last >= target {
					rt.Fatalf("shallow block ends on %d", last)
				}
				break
			}
			if last < target || last == reader.NoDoc && shallow == target {
				rt.Fatalf("shallow block of %d ends on %d", target, last)
			}
			if target < shallow || m.pos > from {
				break // the pointer is already past it
			}
			for i := from; i < n && m.docs[i] <= last; i++ {
				if !cur.BlockMax().Dominates(m.freqs[i], lens[m.docs[i]]) {
					rt.Fatalf("posting %d is above the bound of its block", i)
				}
			}
			check(op, cur.Doc())
		case "strategy":
			cur.SetStrategy(reader.Strategy(rapid.IntRange(0, 2).Draw(rt, "strategy")))
		}
	}
}

// Cursors do not allocate once they exist.
func TestCursorAllocates(t *testing.T) {
	longtest.Once(t)
	const n = 100000
	c := &content{docs: 3 * n, lists: map[string]postings{"small": {[]uint32{1, 5, 9}, ones(3)}}}
	var p postings
	for i := range uint32(n) {
		p.docs = append(p.docs, 3*i)
	}
	p.freqs = ones(n)
	c.lists["large"] = p
	s := open(t, c)
	seg := s.Segments()[0]
	cur := reader.NewCursor()
	defer cur.Close()
	var bound format.Quad
	allocs := testing.AllocsPerRun(10, func() {
		for _, term := range []string{"small", "large"} {
			e, _, _ := seg.Lookup([]byte(term))
			cur.Init(seg, e)
			for d := cur.Doc(); d != reader.NoDoc; d = cur.NextGEQ(d + 50) {
				cur.Freq()
				cur.Shallow(d + 1000)
				bound |= cur.BlockMax()
			}
			cur.Init(seg, e)
			for ok := true; ok; ok = cur.NextBlock() {
				cur.Freqs()
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestNextGEQExtremes(t *testing.T) {
	c := &content{docs: 1000, lists: map[string]postings{"x": {[]uint32{0, 999}, ones(2)}}}
	s := open(t, c)
	cur := cursor(t, s, 0, "x")
	if cur.NextGEQ(0) != 0 || cur.NextGEQ(1) != 999 || cur.NextGEQ(5) != 999 {
		t.Fatal("wrong docID")
	}
	for range 2 {
		if cur.NextGEQ(math.MaxUint32) != reader.NoDoc || cur.Next() != reader.NoDoc || cur.NextBlock() || cur.Freq() != 0 {
			t.Fatal("not at the end")
		}
	}
}
