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
	c        source
	from, to int // slabs
}

// A source draws what Parts consist of.
type source interface {
	first(slab int) int        // its first document
	dictionary() (naming, int) // the names of all terms, and how many there are
	describe(d *writer.InvertedDoc, doc int)
	inverted() writer.Inverted // without documents and lists
	// drawer returns a function for one goroutine that appends the postings of the term of a rank
	// in slabs [from, to). DocIDs count from the first document of slab from.
	drawer() func(rank, from, to int, dst format.Postings) format.Postings
}

// Parts cuts the collection into n parts with about the same number of documents, n
// from 1 to Slabs. Together they hold the same documents and postings for every n.
func (c *Collection) Parts(n int) []Part { return cut(c, n) }

func cut(c source, n int) []Part {
	parts := make([]Part, n)
	for i := range parts {
		parts[i] = Part{c, Slabs * i / n, Slabs * (i + 1) / n}
	}
	return parts
}

func (c *Collection) first(slab int) int { return c.firsts[slab] }

func (c *Collection) dictionary() (naming, int) { return c.names, c.spec.Terms }

func (c *Collection) describe(d *writer.InvertedDoc, doc int) { d.Len = c.Length(doc) }

func (c *Collection) inverted() writer.Inverted { return writer.Inverted{ForeignLengths: true} }

func (c *Collection) drawer() func(rank, from, to int, dst format.Postings) format.Postings {
	return newDrawer(c).list
}

// Docs returns the number of documents.
func (p Part) Docs() int { return p.c.first(p.to) - p.c.first(p.from) }

// Inverted returns the documents and lists of the part. The lists are drawn on that
// many goroutines, each of which holds a few of them in memory, until ctx is canceled.
// done is called with the share of the work that is done, up to 1.
func (p Part) Inverted(ctx context.Context, threads int, done func(part float64)) writer.Inverted {
	in := p.c.inverted()
	in.Docs, in.Lists = p.docs(), p.lists(ctx, threads, max(0, len(in.Fields)-1), done)
	return in
}

func (p Part) docs() iter.Seq2[writer.InvertedDoc, error] {
	return func(yield func(writer.InvertedDoc, error) bool) {
		var doc writer.InvertedDoc
		for d := p.c.first(p.from); d < p.c.first(p.to); d++ {
			doc.ID = fmt.Appendf(doc.ID[:0], "d%09d", d)
			p.c.describe(&doc, d)
			if !yield(doc, nil) {
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

// batchNames returns how many names a batch has: fewer where there are few, whose lists are long.
func (n naming) batchNames() int { return min(128, max(1, n.count()>>11)) }

// lists returns the lists, as those of a field of the collection.
func (p Part) lists(ctx context.Context, threads, field int, done func(part float64)) iter.Seq2[writer.InvertedList, error] {
	names, _ := p.c.dictionary()
	return func(yield func(writer.InvertedList, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var term []byte
		n := 0
		for b := range p.batches(ctx, max(threads, 1)) {
			from := 0
			for i, to := range b.ends {
				term = names.append(term[:0], b.ranks[i])
				if to > from && !yield(writer.InvertedList{Term: term, Field: field, Postings: b.postings.Slice(from, to)}, nil) {
					return
				}
				from = to
			}
			n += names.batchNames()
			done(min(1, float64(n)/float64(names.count())))
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
		names, _ := p.c.dictionary()
		total := (names.count() + names.batchNames() - 1) / names.batchNames()
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
				d := p.c.drawer()
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

func (p Part) draw(list func(rank, from, to int, dst format.Postings) format.Postings, b *batch, number int) {
	names, terms := p.c.dictionary()
	b.ranks, b.ends, b.postings = b.ranks[:0], b.ends[:0], b.postings.Slice(0, 0)
	for i := number * names.batchNames(); i < min((number+1)*names.batchNames(), names.count()); i++ {
		rank := names.rank(i)
		if rank >= terms {
			continue
		}
		b.postings = list(rank, p.from, p.to, b.postings)
		b.ranks, b.ends = append(b.ranks, rank), append(b.ends, b.postings.Len())
	}
}
