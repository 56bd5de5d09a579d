package reader_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/reader"
)

// benchDocs is the number of documents in the benchmark segment.
const benchDocs = 1 << 22

// benchLists are uniform and clustered lists of several densities, as in Mallia
// 2019.
func benchLists(b *testing.B) (*reader.Snapshot, []string) {
	c := &content{docs: benchDocs, lists: map[string]postings{}, id: func(d uint32) string { return fmt.Sprintf("%07x", d) }}
	var terms []string
	for _, n := range []int{1 << 14, 1 << 17, 1 << 20} {
		for kind, docs := range map[string][]uint32{
			"uniform":   synthetic.Uniform(1, n, benchDocs),
			"clustered": synthetic.Clustered(1, n, benchDocs),
		} {
			name := fmt.Sprintf("%s-%d", kind, n)
			c.lists[name] = postings{docs, synthetic.Freqs(1, n, 1000)}
		}
		terms = append(terms, fmt.Sprintf("uniform-%d", n), fmt.Sprintf("clustered-%d", n))
	}
	return open(b, c), terms
}

// BenchmarkNextGEQ moves through a list in random steps of skip postings on average.
// BenchmarkShallow moves only the block pointer, so it measures just the search
// for the block.
func BenchmarkNextGEQ(b *testing.B) { benchSeek(b, (*reader.Cursor).NextGEQ) }

// BenchmarkShallow: see BenchmarkNextGEQ.
func BenchmarkShallow(b *testing.B) { benchSeek(b, (*reader.Cursor).Shallow) }

func benchSeek(b *testing.B, move func(*reader.Cursor, uint32) uint32) {
	s, terms := benchLists(b)
	for _, term := range terms {
		c := cursor(b, s, 0, term)
		e, _, _ := s.Segments()[0].Lookup([]byte(term))
		for _, skip := range []int{1, 10, 100, 1000, 10000} {
			if skip*8 > c.Len() {
				continue
			}
			r := rand.New(rand.NewPCG(1, 1))
			gap := uint32(benchDocs / c.Len() * skip)
			steps := make([]uint32, 1<<12)
			for i := range steps {
				steps[i] = 1 + r.Uint32N(2*gap)
			}
			for _, by := range []reader.Strategy{reader.Gallop, reader.SafeRange, reader.Buckets} {
				b.Run(fmt.Sprintf("%s/skip=%d/%s", term, skip, by), func(b *testing.B) {
					b.ReportAllocs()
					c.Init(s.Segments()[0], e)
					c.SetStrategy(by)
					target, i := uint32(0), 0
					for b.Loop() {
						target += steps[i&(len(steps)-1)]
						i++
						if move(c, target) == reader.NoDoc {
							c.Init(s.Segments()[0], e)
							c.SetStrategy(by)
							target = 0
						}
					}
				})
			}
		}
	}
}

// BenchmarkScan reads every posting of a list.
func BenchmarkScan(b *testing.B) {
	s, terms := benchLists(b)
	for _, term := range terms {
		e, _, _ := s.Segments()[0].Lookup([]byte(term))
		c := cursor(b, s, 0, term)
		n := c.Len()
		run := func(name string, f func() uint32) {
			b.Run(term+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				var sum uint32
				for b.Loop() {
					c.Init(s.Segments()[0], e)
					sum += f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/posting")
			})
		}
		run("next", func() (sum uint32) {
			for d := c.Doc(); d != reader.NoDoc; d = c.Next() {
				sum += d
			}
			return sum
		})
		run("next-freq", func() (sum uint32) {
			for d := c.Doc(); d != reader.NoDoc; d = c.Next() {
				sum += d + c.Freq()
			}
			return sum
		})
		run("blocks", func() (sum uint32) {
			for ok := true; ok; ok = c.NextBlock() {
				for _, d := range c.Docs() {
					sum += d
				}
			}
			return sum
		})
		run("blocks-freqs", func() (sum uint32) {
			for ok := true; ok; ok = c.NextBlock() {
				docs, freqs := c.Docs(), c.Freqs()
				freqs = freqs[:len(docs)]
				for i, d := range docs {
					sum += d + freqs[i]
				}
			}
			return sum
		})
	}
}

// BenchmarkHold is what every query adds.
func BenchmarkHold(b *testing.B) {
	s := open(b, twoLists())
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if s.Hold() == nil {
				s.Unhold()
			}
		}
	})
}
