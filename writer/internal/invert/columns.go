package invert

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// batchColumn has the values that the documents of a batch have in a field with a column, in the
// order of the documents.
type batchColumn struct {
	docs []uint32 // of each value
	keys []int64  // of numbers their Key, of keywords which of the batch's terms they are, or emptyKeyword
}

// emptyKeyword is the key of the empty keyword, which is no term.
const emptyKeyword = -1

func (c *batchColumn) add(doc uint32, key int64) {
	c.docs = append(c.docs, doc)
	c.keys = append(c.keys, key)
}

// cut drops the values of document doc, the last one.
func (c *batchColumn) cut(doc uint32) {
	n := len(c.docs)
	for n > 0 && c.docs[n-1] == doc {
		n--
	}
	c.docs, c.keys = c.docs[:n], c.keys[:n]
}

func (c *batchColumn) reset() { c.docs, c.keys = c.docs[:0], c.keys[:0] }

// bareKeyword adds a value of a field of keywords with a column that is not indexed: a term of
// the field without a posting. The empty one has none.
func (v *Inverter) bareKeyword(b *Batch, doc uint32, number int, content []byte) {
	f, before := &v.fields.fields[number], len(v.postings)
	v.tokens.Reset()
	v.tokens.Add(analysis.Token{Term: content, End: len(content), Increment: 1})
	v.document(b, doc, termSpace{seed: v.fields.seeds[number], field: f.rank << fieldShift}, new(int64))
	if len(v.postings) == before {
		return
	}
	term := v.postings[before].term
	b.columns[f.column].add(doc, int64(term))
	v.postings = v.postings[:before]
	b.terms[term].doc = 0
	b.terms[term].df--
}

// column is a batchColumn of all documents of an Accumulator. Keywords are references of records, or emptyKeyword.
type column struct {
	docs chunks[uint32]
	keys chunks[int64]
}

// columnValueBytes is what a value of a column takes.
const columnValueBytes = 4 + 8

func (c *column) reset() {
	c.docs.reset()
	c.keys.reset()
}

// columnBytes returns what the columns take.
func (a *Accumulator) columnBytes() (n int) {
	for i := range a.columns {
		n += a.columns[i].docs.n * columnValueBytes
	}
	return n
}

// absorbColumns adds the columns of b, the terms of which have been absorbed. Its first document
// is base.
func (a *Accumulator) absorbColumns(b *Batch, base uint32) {
	for i := range b.columns {
		from, to := &b.columns[i], &a.columns[i]
		keywords := a.fields.keywords(i)
		for j, key := range from.keys {
			if keywords && key != emptyKeyword {
				key = int64(b.terms[key].doc)
			}
			to.docs.append(base + from.docs[j])
			to.keys.append(key)
		}
	}
}

// keywords reports whether a column has keywords.
func (x *Fields) keywords(column int) bool {
	i := slices.IndexFunc(x.fields, func(f fieldPlan) bool { return f.column == column })
	return x.fields[i].Kind == schema.Keyword
}

// isIndexed reports whether the field of a rank is indexed.
func (x *Fields) isIndexed(rank int) bool {
	return x.fields[x.order[rank]].Indexing() != schema.IndexNone
}

// writeColumns adds the columns of the live documents to b. The terms of each field end at ends.
func (a *Accumulator) writeColumns(b *build.Builder, terms []sortedTerm, ends []int) error {
	if len(a.columns) == 0 {
		return nil
	}
	from := 0
	for rank, number := range a.fields.order {
		to := ends[rank]
		if f := &a.fields.fields[number]; f.column >= 0 {
			c := &a.columns[f.column]
			var dictionary iter.Seq[[]byte]
			if f.Kind == schema.Keyword {
				dictionary = a.dictionary(c, terms[from:to])
			}
			if err := b.BeginColumn(rank, dictionary); err != nil {
				return err
			}
			if err := a.writeColumn(b, c, dictionary != nil); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// ordinalBytes are the bytes of a record behind the rank of its term's field: which keyword the
// term is in the dictionary of a column.
const ordinalBytes = 4

func ordinalOf(rec []byte) []byte {
	n := int(binary.LittleEndian.Uint16(rec[recLen:]))
	return rec[recTerm+n+2:]
}

// dictionary sets the ordinals of terms, those of the field of c, and returns the keywords that
// live documents have.
func (a *Accumulator) dictionary(c *column, terms []sortedTerm) iter.Seq[[]byte] {
	const used = 1
	for _, t := range terms {
		binary.LittleEndian.PutUint32(ordinalOf(a.terms.at(t.record)), 0)
	}
	first := uint32(0) // ordinal of the first term: 1 behind the empty keyword
	for i := range c.docs.n {
		switch key := *c.keys.at(i); {
		case a.docs.at(int(*c.docs.at(i))).isDead:
		case key == emptyKeyword:
			first = 1
		default:
			binary.LittleEndian.PutUint32(ordinalOf(a.terms.at(uint32(key))), used)
		}
	}
	keywords := make([]uint32, 0, len(terms)) // records
	for _, t := range terms {
		if o := ordinalOf(a.terms.at(t.record)); binary.LittleEndian.Uint32(o) == used {
			binary.LittleEndian.PutUint32(o, first+uint32(len(keywords)))
			keywords = append(keywords, t.record)
		}
	}
	return func(yield func([]byte) bool) {
		if first > 0 && !yield(nil) {
			return
		}
		for _, ref := range keywords {
			if !yield(termOf(a.terms.at(ref))) {
				return
			}
		}
	}
}

// writeColumn adds the values of the live documents to the column of b that has been begun.
func (a *Accumulator) writeColumn(b *build.Builder, c *column, keywords bool) error {
	v := segment.ColumnValues{Numbers: make([]int64, segment.ColumnBlock)}
	n := 0 // documents in v, none with several values
	flush := func() error {
		err := b.AddColumnValues(&v, 0, n)
		clear(v.Present[:])
		n = 0
		return err
	}
	var several []int64
	at := 0
	for doc := range a.docs.n {
		first := at
		for at < c.docs.n && *c.docs.at(at) == uint32(doc) {
			at++
		}
		if a.docs.at(doc).isDead {
			continue
		}
		if at-first > 1 {
			several = several[:0]
			for ; first < at; first++ {
				several = append(several, a.columnKey(c, first, keywords))
			}
			if err := flush(); err != nil {
				return err
			}
			if err := b.AddColumn(several...); err != nil {
				return err
			}
			continue
		}
		if first < at {
			v.Present[n/64] |= 1 << (n % 64)
			v.Numbers[n] = a.columnKey(c, first, keywords)
		}
		if n++; n == segment.ColumnBlock {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// columnKey returns value i of c.
func (a *Accumulator) columnKey(c *column, i int, keywords bool) int64 {
	key := *c.keys.at(i)
	switch {
	case keywords && key == emptyKeyword:
		return 0
	case keywords:
		return int64(binary.LittleEndian.Uint32(ordinalOf(a.terms.at(uint32(key)))))
	}
	return key
}
