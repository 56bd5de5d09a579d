package invert

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/lists"
	"github.com/pinion-index/pinion/writer/internal/ordered"
)

// Fields returns the fields of a Builder for the live documents, with their lengths.
func (a *Accumulator) Fields() []build.Field {
	x := a.fields
	out := make([]build.Field, len(x.order))
	for rank, number := range x.order {
		f := &x.fields[number]
		out[rank].Field = f.Field
		if f.length < 0 {
			continue
		}
		lengths := make([]uint32, 0, a.Live())
		for i := range a.docs.n {
			if !a.docs.at(i).isDead {
				lengths = append(lengths, *a.lens.at(i*x.lengths + f.length))
			}
		}
		out[rank].Lengths = []segment.LengthTable{segment.NewLengthTable(lengths)}
	}
	return out
}

// Write adds all live documents and their lists to b, on several goroutines. It
// calls progress with the number of postings done, including those of dead
// documents.
func (a *Accumulator) Write(ctx context.Context, b *build.Builder, spaces Spaces, threads int, progress func(n uint64)) error {
	terms, ends, err := a.sortTerms(ctx, threads)
	if err != nil {
		return err
	}
	if err := a.writeLists(ctx, b, terms, ends, threads, progress); err != nil {
		return err
	}
	if err := a.writeColumns(b, terms, ends); err != nil {
		return err
	}
	return a.writeVectors(ctx, b, spaces, threads)
}

// termJob is terms of one field.
type termJob struct {
	field int // its rank
	terms []sortedTerm
}

// termJobs yields jobs of the terms of all fields, which end at ends.
func termJobs(terms []sortedTerm, ends []int, yield func(termJob) bool) {
	from := 0
	for field, to := range ends {
		for rest := terms[from:to]; len(rest) > 0; {
			n, postings := 0, uint32(0)
			for n < len(rest) && n < lists.ChunkTerms && postings < lists.ChunkPostings {
				postings += rest[n].df
				n++
			}
			if !yield(termJob{field, rest[:n]}) {
				return
			}
			rest = rest[n:]
		}
		from = to
	}
}

// renumber returns the docIDs of documents without the dead ones, which get ^0. It
// returns nil if none is dead.
func (a *Accumulator) renumber() []uint32 {
	if a.dead == 0 {
		return nil
	}
	moved := make([]uint32, a.docs.n)
	next := uint32(0)
	for i := range moved {
		if a.docs.at(i).isDead {
			moved[i] = ^uint32(0)
			continue
		}
		moved[i] = next
		next++
	}
	return moved
}

// addDocs adds ids and stored text of the live documents to b.
func (a *Accumulator) addDocs(b *build.Builder) error {
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

// writeLists encodes the lists of terms on several goroutines and appends them in
// order. The documents are added while the first lists are encoded.
func (a *Accumulator) writeLists(ctx context.Context, b *build.Builder, terms []sortedTerm, ends []int, threads int, progress func(n uint64)) error {
	ahead := 2*threads + 2
	results := lists.NewRecycler(ahead)
	moved := a.renumber()
	at, field := 0, -1
	documentsDone := false
	err := ordered.Run(ctx, lists.Threads(threads, a.postings), ahead,
		func(_ context.Context, yield func(termJob) bool) error {
			termJobs(terms, ends, yield)
			return nil
		},
		func() func(context.Context, termJob) (*lists.Encoded, error) {
			g := gatherer{a: a, moved: moved, enc: b.NewListEncoder()}
			return func(_ context.Context, j termJob) (*lists.Encoded, error) {
				e := results.Get()
				g.enc.SetField(j.field)
				g.keeps = a.fields.keepsPlaces(uint32(j.field))
				return e, g.encode(e, j.terms)
			}
		},
		func(e *lists.Encoded) error {
			if !documentsDone {
				documentsDone = true
				if err := a.addDocs(b); err != nil {
					return err
				}
			}
			for i := range e.Len() {
				if field < 0 || at == ends[field] {
					for field++; at == ends[field]; field++ {
					}
					if a.fields.isIndexed(field) { // else its terms have no postings: they are a column's
						if err := b.BeginField(field); err != nil {
							return err
						}
					}
				}
				t := terms[at]
				at++
				l := e.List(i)
				progress(uint64(t.df))
				if l.DF == 0 {
					continue
				}
				if err := b.Append(termOf(a.terms.at(t.record)), l); err != nil {
					return err
				}
			}
			results.Put(e)
			return nil
		})
	if err == nil && !documentsDone {
		err = a.addDocs(b)
	}
	return err
}

// gatherer collects the runs of terms and encodes them.
type gatherer struct {
	a     *Accumulator
	moved []uint32
	enc   *build.ListEncoder
	runs  [lookAhead][]uint32
	list  format.Postings // room for a list, and then the list
	keeps bool            // the field has positions
	gaps  []uint32        // of the list
}

// encode encodes the lists of terms into e.
func (g *gatherer) encode(e *lists.Encoded, terms []sortedTerm) error {
	for len(terms) > 0 {
		group := terms[:min(lookAhead, len(terms))]
		g.walk(group)
		for i, t := range group {
			g.gather(t, g.runs[i])
			if g.list.Len() == 0 {
				e.AddEmpty()
				continue
			}
			if err := e.Encode(g.enc, g.list, g.gaps); err != nil {
				return err
			}
		}
		terms = terms[len(group):]
	}
	return nil
}

// walk sets runs to the references of the terms' runs, latest first. It advances
// the chains in turn, so that their cache misses overlap.
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
	n := int(t.df)
	if cap(g.list.Docs) < n {
		g.list = format.MakePostings(n + n/4)
	}
	docs, freqs, k := g.list.Docs[:n], g.list.Freqs[:n], 0
	g.gaps = g.gaps[:0]
	for i := len(runs) - 1; i >= 0; i-- {
		run, first := g.a.run(runs[i]), k
		k = unpackRun(docs, freqs, k, run)
		if g.keeps {
			g.addGaps(run, freqs[first:k])
		}
	}
	if g.moved != nil {
		if g.keeps {
			g.gaps = dropGaps(g.gaps, docs, freqs, g.moved)
		}
		k = move(docs, freqs, g.moved)
	}
	g.list.Docs, g.list.Freqs = docs[:k], freqs[:k]
}

// run returns the words of a page from the run's header on.
func (a *Accumulator) run(ref uint32) []uint16 {
	return a.pages[ref>>pageShift][(ref&(1<<pageShift-1))*2:]
}

// unpackRun stores the postings of a run in docs and freqs from index k on, and
// returns the next index.
func unpackRun(docs, freqs []uint32, k int, run []uint16) int {
	base := uint32At(run[2:])
	words := run[runHeader : runHeader+int(run[4]&^gapsApart)]
	for i := 0; i < len(words); i++ {
		v := uint32(words[i])
		tf := v & 7
		if tf == 0 {
			i++
			if tf = uint32(words[i]); tf > maxShortTF {
				i++
				tf = tf&maxShortTF | uint32(words[i])<<15
			}
		}
		docs[k], freqs[k] = base+v>>3, tf
		k++
	}
	return k
}

// addGaps appends the gaps of a run, whose frequencies are freqs.
func (g *gatherer) addGaps(run []uint16, freqs []uint32) {
	total := 0
	for _, tf := range freqs {
		total += int(tf)
	}
	behind := run[runHeader+int(run[4]&^gapsApart):]
	if run[4]&gapsApart != 0 {
		g.gaps = append(g.gaps, g.a.gaps[uint32At(behind)]...)
		return
	}
	n := len(g.gaps)
	g.gaps = slices.Grow(g.gaps, total)[:n+total]
	unpackGaps(g.gaps[n:], behind)
}

// dropGaps drops the gaps of dead documents.
func dropGaps(gaps, docs, freqs, moved []uint32) []uint32 {
	kept, from := gaps[:0], 0
	for i, d := range docs {
		to := from + int(freqs[i])
		if moved[d] != ^uint32(0) {
			kept = append(kept, gaps[from:to]...)
		}
		from = to
	}
	return kept
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
