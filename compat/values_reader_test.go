package compat

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// readValues reads section VALUES (section 7.1) behind the id of the file, and gives the documents of p the values that were changed.
func (p *parsed) readValues(c *cursor) {
	type block struct {
		f      *segmentField
		number int
		entry  []byte
		docs   []int // changed, within the block
	}
	var blocks []block
	n, last := c.varint(), 0
	need(n > 0, "no column")
	for range n {
		id := c.varint()
		need(id > last, "field %d behind %d", id, last)
		last = id
		at := slices.IndexFunc(p.fields, func(f *segmentField) bool { return f.id == id })
		need(at >= 0 && p.fields[at].flags&4 != 0 && p.fields[at].kind >= 3 && p.fields[at].kind <= 5, "field %d is no column of numbers", id)
		changed := (&cursor{c.take(c.varint())}).roaring()
		of, next := c.varint(), 0
		need(of > 0 && len(changed) > 0, "no block of field %d", id)
		for range of {
			number := next + c.varint()
			next = number + 1
			b := block{f: p.fields[at], number: number, entry: c.take(40)}
			for len(changed) > 0 && changed[0]/4096 == number {
				b.docs, changed = append(b.docs, changed[0]%4096), changed[1:]
			}
			need(len(b.docs) > 0, "block %d has no changed document", number)
			blocks = append(blocks, b)
		}
		need(len(changed) == 0, "changed documents %d in no block", changed)
	}
	for i, b := range blocks {
		end := len(c.b)
		if i+1 < len(blocks) {
			end = int(u64(blocks[i+1].entry, 24)) - int(u64(b.entry, 24))
		}
		need(i > 0 || u64(b.entry, 24) == 0, "where the first block begins")
		r := &columnReader{docs: p.n}
		first := 4096 * b.number
		r.block(b.entry, c.take(end), min(4096, p.n-first))
		for doc, keys := range r.values {
			var values []string
			for _, key := range keys {
				values = append(values, r.text(b.f.kind, key))
			}
			column := p.columns[b.f.name]
			if !slices.Contains(b.docs, doc) {
				need(slices.Equal(values, column[first+doc]), "document %d was not changed, and has %q in the place of %q", first+doc, values, column[first+doc])
				continue
			}
			column[first+doc] = values
			if b.f.flags&1 != 0 {
				p.docs[first+doc].text = changedRecord(p.docs[first+doc].text, b.f, keys)
			}
		}
	}
	need(len(c.b) == 0, "bytes behind the blocks")
}

// changedRecord returns a record (section 4.8) with other values of a field.
func changedRecord(record string, f *segmentField, keys []int64) (out string) {
	var own []byte
	for _, key := range keys {
		if f.kind == 4 {
			text := (&columnReader{}).text(4, key)
			x, err := strconv.ParseFloat(text, 64)
			need(err == nil, "%q", text)
			own = binary.LittleEndian.AppendUint64(binary.AppendUvarint(own, uint64(4*f.id+1)), math.Float64bits(x))
			continue
		}
		if f.kind == 5 {
			key *= []int64{1, 1e3, 1e6, 1e9}[f.flags>>3&3]
		}
		own = binary.AppendVarint(binary.AppendUvarint(own, uint64(4*f.id)), key)
	}
	put := false
	for c := (&cursor{[]byte(record)}); len(c.b) > 0; {
		before := c.b
		head := c.varint()
		switch head & 3 {
		case 0:
			c.varint()
		case 1:
			c.take(8)
		case 2:
			c.str()
		default:
			need(false, "form 3")
		}
		if head>>2 != f.id {
			out += string(before[:len(before)-len(c.b)])
		} else if !put {
			out, put = out+string(own), true
		}
	}
	if !put {
		out += string(own)
	}
	return out
}
