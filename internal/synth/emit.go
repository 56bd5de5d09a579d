package synth

import (
	"context"
	"fmt"
	"iter"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/writer"
)

// Part is a range of documents of a collection, for writer.AddInverted.
type Part struct {
	c        *Collection
	from, to int // slabs
}

// Parts cuts the collection into n parts with about the same number of documents, n
// from 1 to Slabs. Together they hold the same documents and postings for every n.
func (c *Collection) Parts(n int) []Part {
	parts := make([]Part, n)
	for i := range parts {
		parts[i] = Part{c, Slabs * i / n, Slabs * (i + 1) / n}
	}
	return parts
}

// Docs returns the number of documents.
func (p Part) Docs() int { return p.c.first[p.to] - p.c.first[p.from] }

// Inverted returns the documents and lists of the part. The lists are drawn on that
// many goroutines, each of which holds a few of them in memory, until ctx is canceled.
// done is called with the share of the work that is done, up to 1.
func (p Part) Inverted(ctx context.Context, threads int, done func(part float64)) writer.Inverted {
	return writer.Inverted{Docs: p.docs(), Lists: p.lists(ctx, threads, done), ForeignLengths: true}
}

func (p Part) docs() iter.Seq2[writer.InvertedDoc, error] {
	return func(yield func(writer.InvertedDoc, error) bool) {
		var id []byte
		for d := p.c.first[p.from]; d < p.c.first[p.to]; d++ {
			id = fmt.Appendf(id[:0], "d%09d", d)
			if !yield(writer.InvertedDoc{ID: id, Len: p.c.Length(d)}, nil) {
				return
			}
		}
	}
}

// batch holds the lists of consecutive names.
type batch struct {
	ranks    []int
	ends     []int
	postings format.Postings
	ready    chan *batch
}

const batchNames = 128

func (p Part) lists(ctx context.Context, threads int, done func(part float64)) iter.Seq2[writer.InvertedList, error] {
	return func(yield func(writer.InvertedList, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var term []byte
		n := 0
		for b := range p.batches(ctx, max(threads, 1)) {
			from := 0
			for i, to := range b.ends {
				term = p.c.Term(term[:0], b.ranks[i])
				if to > from && !yield(writer.InvertedList{Term: term, Postings: b.postings.Slice(from, to)}, nil) {
					return
				}
				from = to
			}
			n += batchNames
			done(min(1, float64(n)/float64(p.c.names.count())))
		}
		if err := ctx.Err(); err != nil {
			yield(writer.InvertedList{}, err)
		}
	}
}

// batches draws lists in order of their names on several goroutines. It holds at most
// two batches per goroutine.
func (p Part) batches(ctx context.Context, threads int) iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		total := (p.c.names.count() + batchNames - 1) / batchNames
		ring := make([]*batch, 2*threads)
		free := make(chan int, len(ring)) // numbers of batches to draw
		for i := range ring {
			ring[i] = &batch{ready: make(chan *batch, 1)}
			if i < total {
				free <- i
			}
		}
		for range threads {
			go func() {
				d := newDrawer(p.c)
				for {
					select {
					case <-ctx.Done():
						return
					case i, ok := <-free:
						if !ok {
							return
						}
						b := ring[i%len(ring)]
						p.draw(d, b, i)
						b.ready <- b
					}
				}
			}()
		}
		defer close(free)
		for i := range total {
			b := ring[i%len(ring)]
			select {
			case <-ctx.Done():
				return
			case <-b.ready:
			}
			if !yield(b) {
				return
			}
			if next := i + len(ring); next < total {
				free <- next
			}
		}
	}
}

func (p Part) draw(d *drawer, b *batch, number int) {
	b.ranks, b.ends, b.postings = b.ranks[:0], b.ends[:0], b.postings.Slice(0, 0)
	for i := number * batchNames; i < min((number+1)*batchNames, p.c.names.count()); i++ {
		rank := p.c.names.rank(i)
		if rank >= p.c.spec.Terms {
			continue
		}
		b.postings = d.list(rank, p.from, p.to, b.postings)
		b.ranks, b.ends = append(b.ranks, rank), append(b.ends, b.postings.Len())
	}
}
