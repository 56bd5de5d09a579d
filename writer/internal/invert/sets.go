package invert

import (
	"encoding/binary"
	"iter"

	"github.com/pinion-index/pinion/schema"
)

// A change of values in the text of a batch: the number of the field in two bytes, and the keys of its values, eight bytes each.
const (
	setHead = 2
	keySize = 8
)

// SizeOfSet returns what Set adds to Batch.Size for so many values.
func SizeOfSet(id []byte, values int) int { return sizeOf(id, setHead+keySize*values) }

// Set adds a change of what the document with an id has in a field, given by its number in the schema, a column of numbers: from now
// on these values of it.
func (x *Fields) Set(b *Batch, id []byte, field int, values []schema.Value) {
	b.text = binary.LittleEndian.AppendUint16(b.text, uint16(field))
	unit := x.fields[field].Unit
	for _, v := range values {
		b.text = binary.LittleEndian.AppendUint64(b.text, uint64(v.Key(unit)))
	}
	b.add(id, opSet)
}

// Set is what a document has from now on in a field.
type Set struct {
	Field  int     // number in the schema
	Values []int64 // keys
}

// setOverhead is about what an id and a Set take beside the bytes of the id and the values.
const setOverhead = 160

func setBytes(id []byte, values int) int { return setOverhead + len(id) + keySize*values }

// setValues absorbs op i of b, a change of values.
func (a *Accumulator) setValues(b *Batch, i int) {
	text := b.contents(i)
	s := Set{Field: int(binary.LittleEndian.Uint16(text))}
	for text = text[setHead:]; len(text) > 0; text = text[keySize:] {
		s.Values = append(s.Values, int64(binary.LittleEndian.Uint64(text)))
	}
	if a.sets == nil {
		a.sets = make(map[string][]Set)
	}
	id := b.id(i)
	all := a.sets[string(id)]
	a.setBytes += setBytes(id, len(s.Values))
	for j := range all {
		if all[j].Field == s.Field {
			a.setBytes -= setBytes(id, len(all[j].Values))
			all[j] = s
			return
		}
	}
	a.sets[string(id)] = append(all, s)
}

// Sets yields ids, and what documents with them have from now on: those of a, or of earlier segments after the deletions of a. The
// order is any.
func (a *Accumulator) Sets() iter.Seq2[string, []Set] {
	return func(yield func(string, []Set) bool) {
		for id, sets := range a.sets {
			if !yield(id, sets) {
				return
			}
		}
	}
}

// SetIDs returns how many ids Sets yields.
func (a *Accumulator) SetIDs() int { return len(a.sets) }

// OnlySets reports whether nothing was absorbed but changes of values.
func (a *Accumulator) OnlySets() bool { return a.docs.n == 0 && a.deletes.n == 0 }

// forgetSets forgets the changes of the values of the document with an id, which is replaced or deleted.
func (a *Accumulator) forgetSets(id []byte) {
	if a.sets == nil {
		return
	}
	for _, s := range a.sets[string(id)] {
		a.setBytes -= setBytes(id, len(s.Values))
	}
	delete(a.sets, string(id))
}
