package invert

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
)

// Fields say what becomes of the values of a schema's fields. They are shared and not modified.
type Fields struct {
	fields  []fieldPlan // by their numbers in the schema
	order   []int       // numbers in the schema, in bytewise order of names
	lengths int         // fields with lengths
	stored  bool        // values of some field are stored
	once    []bool      // by rank: a term counts once in a document; nil if always all count
}

// fieldPlan is one of Fields.
type fieldPlan struct {
	schema.Field
	rank     uint32 // in the order of names
	length   int    // which of a document's lengths is the field's, -1 if none is
	analyzer analysis.Analyzer
}

// NewFields returns the Fields of s. analyzers has the analyzer of each field, nil for fields
// that are not text.
func NewFields(s *schema.Schema, analyzers []analysis.Analyzer) *Fields {
	x := &Fields{fields: make([]fieldPlan, len(s.Fields))}
	for i := range s.Fields {
		x.order = append(x.order, i)
	}
	slices.SortFunc(x.order, func(a, b int) int { return cmp.Compare(s.Fields[a].Name, s.Fields[b].Name) })
	for rank, i := range x.order {
		f := fieldPlan{Field: s.Fields[i], rank: uint32(rank), length: -1, analyzer: analyzers[i]}
		if f.HasLengths() {
			f.length = x.lengths
			x.lengths++
		}
		x.stored = x.stored || f.Stored
		if f.Indexing() == schema.IndexDocs {
			if x.once == nil {
				x.once = make([]bool, len(s.Fields))
			}
			x.once[rank] = true
		}
		x.fields[i] = f
	}
	return x
}

// A value in the text of a batch: its field's number in two bytes, the length of its content in
// four, the content. That of a number is eight bytes.
const valueHead = 6

// SizeOfValues returns what AddValues adds to Size.
func SizeOfValues(id []byte, values []schema.Value) int {
	n := SizeOf(id, nil)
	for i := range values {
		n += valueHead + sizeOfValue(&values[i])
	}
	return n
}

func sizeOfValue(v *schema.Value) int {
	switch v.Kind {
	case schema.KindText, schema.KindKeyword:
		return len(v.Bytes())
	}
	return 8
}

// AddValues adds a document with values, which must be right for the schema.
func (b *Batch) AddValues(id []byte, values []schema.Value) {
	b.ids = append(b.ids, id...)
	for i := range values {
		v := &values[i]
		b.text = binary.LittleEndian.AppendUint16(b.text, uint16(v.Field))
		b.text = binary.LittleEndian.AppendUint32(b.text, uint32(sizeOfValue(v)))
		switch v.Kind {
		case schema.KindText, schema.KindKeyword:
			b.text = append(b.text, v.Bytes()...)
		case schema.KindFloat:
			b.text = binary.LittleEndian.AppendUint64(b.text, math.Float64bits(v.Float()))
		default:
			b.text = binary.LittleEndian.AppendUint64(b.text, uint64(v.Int()))
		}
	}
	b.ops = append(b.ops, op{uint32(len(b.ids)), uint32(len(b.text)), false})
}

// fieldInverter is what an Inverter needs for values.
type fieldInverter struct {
	*Fields
	tokenizers []analysis.Tokenizer // by the fields' numbers
	seeds      []uint64
	records    []byte // stored values of the batch
}

func (x *Fields) inverter(seed uint64) *fieldInverter {
	v := &fieldInverter{Fields: x}
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

// values inverts the values of document doc of b, its i-th op, and appends its record.
func (v *Inverter) values(b *Batch, i int, doc uint32) {
	x := v.fields
	lens, first := len(b.lens), len(v.postings)
	b.lens = append(b.lens, make([]uint32, x.lengths)...)
	tokens := uint64(0)
	for rest := b.contents(i); len(rest) > 0; {
		number := int(binary.LittleEndian.Uint16(rest))
		n := int(binary.LittleEndian.Uint32(rest[2:]))
		content := rest[valueHead : valueHead+n : valueHead+n]
		rest = rest[valueHead+n:]
		f := &x.fields[number]
		if f.Stored {
			x.records = record.Append(x.records, f.ID, valueOf(f.Kind, content))
		}
		if f.Indexing() == schema.IndexNone {
			continue
		}
		v.tokens.Reset()
		if f.Kind == schema.KindText {
			x.tokenizers[number].Tokenize(&v.tokens, content)
		} else {
			v.tokens.Add(analysis.Token{Term: content, End: n, Increment: 1})
		}
		v.document(b, doc, termSpace{x.seeds[number], f.rank << fieldShift})
		tokens += uint64(v.tokens.Len())
		if f.length >= 0 {
			b.lens[lens+f.length] += uint32(v.tokens.Len())
		}
	}
	if x.once != nil {
		v.countOnce(b, first)
	}
	if tokens == 0 {
		b.Bare++
	}
	b.tokens += tokens
	b.recordEnds = append(b.recordEnds, uint32(len(x.records)))
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

// valueOf returns the value of a content in a batch.
func valueOf(kind schema.Kind, content []byte) schema.Value {
	switch kind {
	case schema.KindText:
		return schema.TextValue(0, content)
	case schema.KindKeyword:
		return schema.KeywordValue(0, content)
	}
	n := binary.LittleEndian.Uint64(content)
	switch kind {
	case schema.KindFloat:
		return schema.FloatValue(0, math.Float64frombits(n))
	case schema.KindTime:
		return schema.NanosValue(0, int64(n))
	}
	return schema.IntegerValue(0, int64(n))
}
