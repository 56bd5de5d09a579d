package writer

import (
	"context"
	"encoding/binary"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
)

// What one job of a flush encodes: lists with at least chunkPostings postings
// together, or chunkTerms lists.
const (
	chunkPostings = 1 << 15
	chunkTerms    = 1 << 12
)

// encoded is the result of one job: lists back to back in buf.
type encoded struct {
	buf   []byte
	lists []encodedList
}

// encodedList is a build.EncodedList whose bytes end at end of a buffer.
type encodedList struct {
	end  int
	tail *build.Tail
	df   uint32
	kind segment.Kind
}

func (e *encoded) reset() { e.buf, e.lists = e.buf[:0], e.lists[:0] }

// add appends a list whose bytes are at the end of buf.
func (e *encoded) add(l build.EncodedList) {
	e.lists = append(e.lists, encodedList{len(e.buf), l.Tail, l.DF, l.Kind})
}

// list returns list i with its bytes.
func (e *encoded) list(i int) build.EncodedList {
	from := 0
	if i > 0 {
		from = e.lists[i-1].end
	}
	l := e.lists[i]
	return build.EncodedList{Kind: l.kind, DF: l.df, Bytes: e.buf[from:l.end], Tail: l.tail}
}

// recycler hands out results that were consumed again.
type recycler struct{ free chan *encoded }

func newRecycler(n int) recycler { return recycler{make(chan *encoded, n)} }

func (r recycler) get() *encoded {
	select {
	case e := <-r.free:
		e.reset()
		return e
	default:
		return &encoded{}
	}
}

func (r recycler) put(e *encoded) {
	select {
	case r.free <- e:
	default:
	}
}

// writeAccumulator writes all live documents of a as a segment.
func (w *Writer) writeAccumulator(ctx context.Context, a *accumulator) (*liveSegment, error) {
	moved, live := a.renumber()
	lengths := make([]uint32, 0, live)
	for i := range a.docs.n {
		if d := a.docs.at(i); !d.isDead {
			lengths = append(lengths, d.len)
		}
	}
	out, err := w.create(build.Options{Docs: uint32(live), Lengths: []segment.LengthTable{segment.NewLengthTable(lengths)}, Stored: w.opts.Stored})
	if err != nil {
		return nil, err
	}
	defer out.discardUnlessDone()
	terms, err := a.sortTerms(ctx, w.opts.Threads)
	if err != nil {
		return nil, err
	}
	// Documents are added while the first lists are encoded.
	documents := func() error { return a.addDocs(out.builder) }
	if err := w.encodeTerms(ctx, a, out.builder, terms, moved, documents); err != nil {
		return nil, err
	}
	return out.finish()
}

// renumber returns the docIDs that documents get once the dead ones are left out,
// ^0 for those; nil if none is dead. live is how many are left.
func (a *accumulator) renumber() (moved []uint32, live int) {
	live = a.docs.n - a.dead
	if a.dead == 0 {
		return nil, live
	}
	moved = make([]uint32, a.docs.n)
	next := uint32(0)
	for i := range moved {
		if a.docs.at(i).isDead {
			moved[i] = ^uint32(0)
			continue
		}
		moved[i] = next
		next++
	}
	return moved, live
}

// addDocs adds ids and stored text of the live documents.
func (a *accumulator) addDocs(b *build.Builder) error {
	if len(a.stored.blocks) == 0 {
		for i := range a.docs.n {
			if !a.docs.at(i).isDead {
				if err := b.AddDoc(a.id(i), nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
	i := 0
	return a.stored.each(func(text []byte) error {
		doc := i
		i++
		if a.docs.at(doc).isDead {
			return nil
		}
		return b.AddDoc(a.id(doc), text)
	})
}

// encodeTerms encodes the lists of terms on several goroutines and appends them
// in order, after calling documents.
func (w *Writer) encodeTerms(ctx context.Context, a *accumulator, b *build.Builder, terms []sortedTerm, moved []uint32, documents func() error) error {
	ahead := 2*w.opts.Threads + 2
	results := newRecycler(ahead)
	progress := w.progress("flush", a.postings)
	at := 0
	documentsDone := false
	err := ordered(ctx, w.opts.Threads, ahead,
		func(_ context.Context, yield func([]sortedTerm) bool) error {
			for rest := terms; len(rest) > 0; {
				n, postings := 0, uint32(0)
				for n < len(rest) && n < chunkTerms && postings < chunkPostings {
					postings += rest[n].df
					n++
				}
				if !yield(rest[:n]) {
					return nil
				}
				rest = rest[n:]
			}
			return nil
		},
		func() func(context.Context, []sortedTerm) (*encoded, error) {
			g := gatherer{a: a, moved: moved, enc: b.NewListEncoder()}
			return func(_ context.Context, terms []sortedTerm) (*encoded, error) {
				e := results.get()
				return e, g.encode(e, terms)
			}
		},
		func(e *encoded) error {
			if !documentsDone {
				documentsDone = true
				if err := documents(); err != nil {
					return err
				}
			}
			for i := range e.lists {
				t := terms[at]
				at++
				l := e.list(i)
				progress.add(uint64(t.df))
				if l.DF == 0 {
					continue
				}
				if err := b.Append(termOf(a.terms.at(t.record)), l); err != nil {
					return err
				}
			}
			results.put(e)
			return nil
		})
	if err == nil && !documentsDone {
		err = documents()
	}
	progress.done()
	return err
}

// gatherer collects the runs of terms and encodes them.
type gatherer struct {
	a           *accumulator
	moved       []uint32
	enc         *build.ListEncoder
	runs        [lookAhead][]uint32
	docs, freqs []uint32
}

// encode encodes the lists of terms into e.
func (g *gatherer) encode(e *encoded, terms []sortedTerm) error {
	for len(terms) > 0 {
		group := terms[:min(lookAhead, len(terms))]
		g.walk(group)
		for i, t := range group {
			g.gather(t, g.runs[i])
			if len(g.docs) == 0 {
				e.add(build.EncodedList{})
				continue
			}
			l, buf, err := g.enc.Encode(e.buf, g.docs, g.freqs)
			if err != nil {
				return err
			}
			e.buf = buf
			e.add(l)
		}
		terms = terms[len(group):]
	}
	return nil
}

// walk sets runs to the references of the terms' runs, latest first. It takes a
// step in every chain by turns, so that their cache misses overlap.
func (g *gatherer) walk(terms []sortedTerm) {
	var at [lookAhead]uint32
	for i, t := range terms {
		at[i] = binary.LittleEndian.Uint32(g.a.terms.at(t.record)[recLast:])
		g.runs[i] = g.runs[i][:0]
	}
	for more := true; more; {
		more = false
		for i := range terms {
			if ref := at[i]; ref != 0 {
				g.runs[i] = append(g.runs[i], ref)
				at[i] = uint32At(g.a.run(ref))
				more = true
			}
		}
	}
}

// gather sets docs and freqs to the postings of t in runs, latest run first.
func (g *gatherer) gather(t sortedTerm, runs []uint32) {
	if cap(g.docs) < int(t.df) {
		n := int(t.df) + int(t.df)/4
		g.docs, g.freqs = make([]uint32, n), make([]uint32, n)
	}
	docs, freqs := g.docs[:t.df], g.freqs[:t.df]
	k := 0
	for i := len(runs) - 1; i >= 0; i-- {
		k = unpackRun(docs, freqs, k, g.a.run(runs[i]))
	}
	if g.moved != nil {
		k = move(docs, freqs, g.moved)
	}
	g.docs, g.freqs = docs[:k], freqs[:k]
}

// run returns the words from the run's header on.
func (a *accumulator) run(ref uint32) []uint16 {
	return a.pages[ref>>pageShift][(ref&(1<<pageShift-1))*2:]
}

// unpackRun stores the postings of a run from docs[k] and freqs[k] on and returns
// k after them.
func unpackRun(docs, freqs []uint32, k int, run []uint16) int {
	base := uint32At(run[2:])
	words := run[runHeader : runHeader+int(run[4])]
	for i := 0; i < len(words); i++ {
		v := uint32(words[i])
		tf := v & 7
		if tf == 0 {
			tf = uint32At(words[i+1:])
			i += 2
		}
		docs[k], freqs[k] = base+v>>3, tf
		k++
	}
	return k
}

// move renumbers postings in place and drops those of dead documents.
func move(docs, freqs, moved []uint32) int {
	k := 0
	for i, d := range docs {
		if to := moved[d]; to != ^uint32(0) {
			docs[k], freqs[k] = to, freqs[i]
			k++
		}
	}
	return k
}
