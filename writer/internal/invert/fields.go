package invert

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Fields say what becomes of the values of a schema's fields. They are shared and not modified.
type Fields struct {
	fields  []fieldPlan // by their numbers in the schema
	order   []int       // numbers in the schema, in bytewise order of names
	lengths int         // fields with lengths
	text    bool        // of the implicit schema: what a batch has of a document, and what is stored of it, is its text alone
	stored  bool        // values of some field are stored
	columns int         // fields with a column
	vectors int         // fields of vectors
	once    []bool      // by rank: a term counts once in a document; nil if always all count
	places  []bool      // by rank: the places of terms are kept; nil if nowhere
}

// fieldPlan is one of Fields.
type fieldPlan struct {
	schema.Field
	rank     uint32 // in the order of names
	length   int    // which of a document's lengths is the field's, -1 if none is
	column   int    // which of the columns is the field's, -1 if none is
	vector   int    // which of the fields of vectors it is, -1 if it is none
	copies   []int  // numbers of the fields that have its values, too
	analyzer analysis.Analyzer
}

// NewFields returns the Fields of s. analyzers has the analyzer of each field, nil for fields
// that are not text.
func NewFields(s *schema.Schema, analyzers []analysis.Analyzer) *Fields {
	x := &Fields{fields: make([]fieldPlan, len(s.Fields)), text: s.IsImplicit()}
	for i := range s.Fields {
		x.order = append(x.order, i)
	}
	slices.SortFunc(x.order, func(a, b int) int { return cmp.Compare(s.Fields[a].Name, s.Fields[b].Name) })
	for rank, i := range x.order {
		f := fieldPlan{Field: s.Fields[i], rank: uint32(rank), length: -1, column: -1, vector: -1, analyzer: analyzers[i]}
		if f.HasLengths() {
			f.length = x.lengths
			x.lengths++
		}
		if f.Column {
			f.column = x.columns
			x.columns++
		}
		if f.Kind == schema.Vector {
			f.vector = x.vectors
			x.vectors++
		}
		x.stored = x.stored || f.Stored
		if f.Indexing() == schema.IndexDocs {
			if x.once == nil {
				x.once = make([]bool, len(s.Fields))
			}
			x.once[rank] = true
		}
		if f.Positions {
			if x.places == nil {
				x.places = make([]bool, len(s.Fields))
			}
			x.places[rank] = true
		}
		x.fields[i] = f
	}
	for i := range s.Fields {
		if of := s.Fields[i].Of; of != "" {
			f := &x.fields[s.Number(of)]
			f.copies = append(f.copies, i)
		}
	}
	return x
}

// A value in the text of a batch: its field's number in two bytes, the length of its content in
// four, the content. That of a number is eight bytes.
const valueHead = 6

// SizeOf returns what Add adds to the Size of a batch.
func (x *Fields) SizeOf(id []byte, values []schema.Value) int {
	if x.text {
		return sizeOf(id, len(values[0].Bytes()))
	}
	n := 0
	for i := range values {
		n += valueHead + SizeOfValue(&values[i])
	}
	return sizeOf(id, n)
}

// SizeOfValue returns the bytes of a value.
func SizeOfValue(v *schema.Value) int {
	switch v.Kind {
	case schema.Text, schema.Keyword:
		return len(v.Bytes())
	case schema.Impacts:
		terms, size := v.ImpactsLen()
		return impactHead*terms + size
	case schema.Vector:
		return len(v.VectorBytes())
	}
	return 8
}

// Add adds a document with values, which must be right for the schema, to b.
func (x *Fields) Add(b *Batch, id []byte, values []schema.Value) {
	for i := range values {
		v := &values[i]
		if !x.text {
			b.text = binary.LittleEndian.AppendUint16(b.text, uint16(v.Field))
			b.text = binary.LittleEndian.AppendUint32(b.text, uint32(SizeOfValue(v)))
		}
		b.text = appendContent(b.text, v)
	}
	b.add(id, opAdd)
}

// cut returns the first value of contents, and the others.
func (x *Fields) cut(contents []byte) (number int, content, rest []byte) {
	if x.text {
		return 0, contents, nil
	}
	number = int(binary.LittleEndian.Uint16(contents))
	size := int(binary.LittleEndian.Uint32(contents[2:]))
	return number, contents[valueHead : valueHead+size : valueHead+size], contents[valueHead+size:]
}

// appendContent appends the content of a value, of SizeOfValue bytes.
func appendContent(dst []byte, v *schema.Value) []byte {
	switch v.Kind {
	case schema.Text, schema.Keyword:
		return append(dst, v.Bytes()...)
	case schema.Impacts:
		return appendImpacts(dst, *v)
	case schema.Vector:
		return append(dst, v.VectorBytes()...)
	}
	return binary.LittleEndian.AppendUint64(dst, v.Bits())
}

// fieldInverter is what an Inverter needs for values.
type fieldInverter struct {
	*Fields
	tokenizers []analysis.Tokenizer // by the fields' numbers
	seeds      []uint64
	records    []byte  // stored values of the batch
	at         []int64 // by the fields' numbers: the place of the last token in a document
}

func (x *Fields) inverter(seed uint64) *fieldInverter {
	v := &fieldInverter{Fields: x, at: make([]int64, len(x.fields))}
	for i := range x.fields {
		f := &x.fields[i]
		var t analysis.Tokenizer
		if f.analyzer != nil {
			t = f.analyzer.Tokenizer()
		}
		v.tokenizers = append(v.tokenizers, t)
		v.seeds = append(v.seeds, mix(seed^mix2, uint64(f.rank)^mix0))
	}
	return v
}

// values inverts the values of document doc of b, its i-th op, and appends its record. If the document is bad, ok is false,
// nothing of it is left but its op, and b.Bad says why.
func (v *Inverter) values(b *Batch, i int, doc uint32) (ok bool) {
	x := v.fields
	lens, first, gaps, records := len(b.lens), len(v.postings), len(v.places.gaps), len(x.records)
	x.begin(b)
	tokens := uint64(0)
	rest := b.contents(i)
	for more := x.text || len(rest) > 0; more; more = len(rest) > 0 {
		number, content, others := x.cut(rest)
		rest = others
		if f := &x.fields[number]; f.Stored && !x.text {
			x.records = record.Append(x.records, f.ID, f.value(content))
		}
		n, err := v.value(b, doc, number, content)
		for _, other := range x.fields[number].copies {
			if err != nil {
				break
			}
			var more uint32
			more, err = v.value(b, doc, other, content)
			n += more
		}
		if err != nil {
			v.undo(b, doc, first, gaps)
			b.lens, x.records = b.lens[:lens], x.records[:records]
			b.refuse(i, err)
			return false
		}
		tokens += uint64(n)
	}
	if x.once != nil {
		v.countOnce(b, first)
	}
	if tokens == 0 {
		b.Bare++
	}
	b.tokens += tokens
	switch {
	case x.text && x.stored: // none is refused: it has no positions
		b.storedEnds = append(b.storedEnds, b.ops[i].textEnd)
	case x.stored:
		b.storedEnds = append(b.storedEnds, uint32(len(x.records)))
	}
	return true
}

// begin begins a document of b.
func (x *fieldInverter) begin(b *Batch) {
	for len(b.columns) < x.columns {
		b.columns = append(b.columns, batchColumn{})
	}
	for len(b.vectors) < x.vectors {
		b.vectors = append(b.vectors, batchVectors{})
	}
	b.lens = append(b.lens, make([]uint32, x.lengths)...)
	for number := range x.at {
		x.at[number] = beforeFirst - valueGap
	}
}

// value inverts a value of document doc, the last one of b, and returns how many tokens it has.
func (v *Inverter) value(b *Batch, doc uint32, number int, content []byte) (tokens uint32, err error) {
	x := v.fields
	f := &x.fields[number]
	switch {
	case f.vector >= 0:
		b.vectors[f.vector].add(doc, content)
	case f.column < 0:
	case f.Kind != schema.Keyword:
		b.columns[f.column].add(doc, f.value(content).Key(f.Unit))
	case len(content) == 0:
		b.columns[f.column].add(doc, emptyKeyword)
	}
	if f.Indexing() == schema.IndexNone {
		if f.column >= 0 && f.Kind == schema.Keyword {
			v.bareKeyword(b, doc, number, content)
		}
		return 0, nil
	}
	if f.Kind == schema.Impacts {
		return v.impacts(b, doc, number, content), nil
	}
	v.tokens.Reset()
	if f.Kind == schema.Text {
		x.tokenizers[number].Tokenize(&v.tokens, content)
	} else {
		v.tokens.Add(analysis.Token{Term: content, End: len(content), Increment: 1})
	}
	x.at[number] += valueGap
	return v.text(b, doc, number)
}

// text inverts v.tokens, which follow what document doc, the last one of b, has in a field, and returns their number.
func (v *Inverter) text(b *Batch, doc uint32, number int) (tokens uint32, err error) {
	x := v.fields
	f := &x.fields[number]
	before, at := len(v.postings), &x.at[number]
	tokens = v.document(b, doc, termSpace{x.seeds[number], f.rank << fieldShift, f.Positions}, at)
	if tokens > 0 && *at > segment.MaxPosition && f.Positions {
		return 0, fmt.Errorf("field %q: position %d, at most %d is possible", f.Name, *at, segment.MaxPosition)
	}
	if f.column >= 0 && len(v.postings) > before { // not for one that the document has had
		b.columns[f.column].add(doc, int64(v.postings[before].term))
	}
	if f.length >= 0 {
		b.lens[len(b.lens)-x.lengths+f.length] += tokens
	}
	return tokens, nil
}

// undo takes back the postings of document doc, the last one of b, which begin at first, their gaps and its columns. Its
// terms may stay, without postings.
func (v *Inverter) undo(b *Batch, doc uint32, first, gaps int) {
	for _, p := range v.postings[first:] {
		t := &b.terms[p.term]
		t.doc, t.df = 0, t.df-1
	}
	v.postings = v.postings[:first]
	v.places.gaps, v.places.last = v.places.gaps[:gaps], v.places.last[:min(first, len(v.places.last))]
	for i := range b.columns {
		b.columns[i].cut(doc)
	}
	for i := range b.vectors {
		b.vectors[i].cut(doc)
	}
}

// countOnce makes the terms of a document, whose postings begin at first, count once in fields
// where they do.
func (v *Inverter) countOnce(b *Batch, first int) {
	for i := range v.postings[first:] {
		if p := &v.postings[first+i]; v.fields.once[b.terms[p.term].n>>fieldShift] {
			p.tf = 1
		}
	}
}

// value returns the value of a content in a batch, as the field has it.
func (f *fieldPlan) value(content []byte) schema.Value {
	switch f.Kind {
	case schema.Text:
		return schema.TextValue(0, content)
	case schema.Keyword:
		return schema.KeywordValue(0, content)
	}
	return schema.BitsValue(0, f.Kind, binary.LittleEndian.Uint64(content)).Floor(f.Unit)
}
