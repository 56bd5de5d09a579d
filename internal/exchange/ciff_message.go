package exchange

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/pinion-index/pinion/writer"
)

// The messages of the Common Index File Format, as CommonIndexFileFormat.proto of
// github.com/osirrc/ciff defines them (Lin et al., "Supporting Interoperability
// Between Open-Source Search Engines with the Common Index File Format", SIGIR
// 2020, section 2). A file is one Header, its number of PostingsLists and its
// number of DocRecords, each preceded by its length as a varint. DocIDs in a list
// are gaps: the first is absolute, the others are differences.

// CIFFHeader is the first message of a CIFF file.
type CIFFHeader struct {
	Version     int32
	NumLists    int32   // PostingsList messages in the file
	NumDocs     int32   // DocRecord messages in the file
	TotalLists  int32   // terms of the whole collection; more than NumLists if the file is an extract
	TotalDocs   int32   // documents of the whole collection
	TotalTokens int64   // tokens of the whole collection
	AvgLength   float64 // mean number of tokens of a document
	Description string
}

var errWire = errors.New("malformed protobuf")

// field is one decoded protobuf field of a kind that CIFF uses.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	value uint64 // varint or fixed
	bytes []byte
}

// nextField decodes the field at the beginning of b. It refuses groups.
func nextField(b []byte) (f field, rest []byte, err error) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return f, nil, errWire
	}
	f.num, f.typ, b = num, typ, b[n:]
	switch typ {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(b)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		f.value = uint64(v)
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(b)
	default:
		return f, nil, errWire
	}
	if n < 0 {
		return f, nil, errWire
	}
	return f, b[n:], nil
}

// want checks the wire type of a known field.
func (f field) want(t protowire.Type) error {
	if f.typ != t {
		return fmt.Errorf("%w: field %d has wire type %d", errWire, f.num, f.typ)
	}
	return nil
}

// int32 returns a varint field as a count, which must not be negative.
func (f field) count() (int32, error) {
	if err := f.want(protowire.VarintType); err != nil {
		return 0, err
	}
	if f.value > math.MaxInt32 {
		return 0, fmt.Errorf("field %d is %d, beyond the range of a count", f.num, int64(f.value))
	}
	return int32(f.value), nil
}

// decode reads the fields of a Header message. Unknown fields are ignored.
func (h *CIFFHeader) decode(b []byte) error {
	for len(b) > 0 {
		f, rest, err := nextField(b)
		if err != nil {
			return err
		}
		b = rest
		switch f.num {
		case 1:
			h.Version, err = f.count()
		case 2:
			h.NumLists, err = f.count()
		case 3:
			h.NumDocs, err = f.count()
		case 4:
			h.TotalLists, err = f.count()
		case 5:
			h.TotalDocs, err = f.count()
		case 6:
			h.TotalTokens, err = int64(f.value), f.want(protowire.VarintType)
		case 7:
			h.AvgLength, err = math.Float64frombits(f.value), f.want(protowire.Fixed64Type)
		case 8:
			h.Description, err = string(f.bytes), f.want(protowire.BytesType)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// append appends the encoded message, preceded by its length.
func (h *CIFFHeader) append(dst []byte) []byte {
	var m []byte
	for i, v := range []int64{int64(h.Version), int64(h.NumLists), int64(h.NumDocs),
		int64(h.TotalLists), int64(h.TotalDocs), h.TotalTokens} {
		m = appendInt(m, protowire.Number(i+1), uint64(v))
	}
	if h.AvgLength != 0 {
		m = protowire.AppendTag(m, 7, protowire.Fixed64Type)
		m = protowire.AppendFixed64(m, math.Float64bits(h.AvgLength))
	}
	if h.Description != "" {
		m = protowire.AppendTag(m, 8, protowire.BytesType)
		m = protowire.AppendString(m, h.Description)
	}
	return protowire.AppendBytes(dst, m)
}

// appendInt appends a varint field unless it is zero, which proto3 omits.
func appendInt(dst []byte, num protowire.Number, v uint64) []byte {
	if v == 0 {
		return dst
	}
	return protowire.AppendVarint(protowire.AppendTag(dst, num, protowire.VarintType), v)
}

// ciffList decodes PostingsList messages into slices that it reuses.
type ciffList struct {
	writer.InvertedList
	df, cf int64
}

// term returns the term of the message without decoding the postings.
func (l *ciffList) term(b []byte) ([]byte, error) {
	for len(b) > 0 {
		f, rest, err := nextField(b)
		if err != nil {
			return nil, err
		}
		if f.num == 1 {
			return f.bytes, f.want(protowire.BytesType)
		}
		b = rest
	}
	return nil, nil
}

// decode reads a PostingsList message and checks it against a collection of docs
// documents. l.Term aliases b.
func (l *ciffList) decode(b []byte, docs int) error {
	l.Term, l.Postings, l.df, l.cf = nil, l.Slice(0, 0), 0, 0
	next := int64(0) // the lowest valid docID of the next posting
	sum := int64(0)
	for len(b) > 0 {
		if n, gap, tf := shortPosting(b); n > 0 {
			b = b[n:]
			if err := l.posting(gap, tf, &next, docs); err != nil {
				return err
			}
			sum += int64(tf)
			continue
		}
		f, rest, err := nextField(b)
		if err != nil {
			return err
		}
		b = rest
		switch f.num {
		case 1:
			l.Term, err = f.bytes, f.want(protowire.BytesType)
		case 2:
			l.df, err = int64(f.value), f.want(protowire.VarintType)
		case 3:
			l.cf, err = int64(f.value), f.want(protowire.VarintType)
		case 4:
			var gap, tf uint64
			if gap, tf, err = posting(f); err == nil {
				err = l.posting(gap, tf, &next, docs)
				sum += int64(tf)
			}
		}
		if err != nil {
			return err
		}
	}
	return l.check(sum)
}

// check compares the postings read with the totals of the message.
func (l *ciffList) check(sum int64) error {
	if err := checkTerm(l.Term); err != nil {
		return err
	}
	switch {
	case l.Len() == 0:
		return fmt.Errorf("term %q has no postings", l.Term)
	case l.df != int64(l.Len()):
		return fmt.Errorf("term %q: df is %d, but %d postings follow", l.Term, l.df, l.Len())
	case l.cf != sum:
		return fmt.Errorf("term %q: cf is %d, but the frequencies sum to %d", l.Term, l.cf, sum)
	}
	return nil
}

// posting appends one posting, given as in the file.
func (l *ciffList) posting(gap, tf uint64, next *int64, docs int) error {
	// Only the first posting may have a gap of zero.
	if l.Len() > 0 && gap == 0 {
		return fmt.Errorf("term %q: posting %d repeats the docID before it", l.Term, l.Len())
	}
	if gap > math.MaxInt32 || *next+int64(gap) >= int64(docs) {
		return fmt.Errorf("term %q: posting %d lies beyond the last of %d documents", l.Term, l.Len(), docs)
	}
	if tf == 0 || tf > math.MaxInt32 {
		return fmt.Errorf("term %q: posting %d has the frequency %d", l.Term, l.Len(), int64(tf))
	}
	*next += int64(gap)
	l.Postings = l.AppendPosting(uint32(*next), uint32(tf))
	return nil
}

// shortPosting decodes a posting field of up to 127 bytes in the layout that all
// encoders use. It returns length 0 for anything else.
func shortPosting(b []byte) (n int, gap, tf uint64) {
	if len(b) < 6 || b[0] != 4<<3|2 || b[1] >= 0x80 || b[2] != 1<<3 {
		return 0, 0, 0
	}
	end := 2 + int(b[1])
	if end > len(b) {
		return 0, 0, 0
	}
	i := 3
	for shift := 0; ; shift += 7 {
		if i >= end || shift > 28 {
			return 0, 0, 0
		}
		c := b[i]
		i++
		gap |= uint64(c&0x7f) << shift
		if c < 0x80 {
			break
		}
	}
	// A frequency below 128 ends the message.
	if i+2 != end || b[i] != 2<<3 || b[i+1] >= 0x80 {
		return 0, 0, 0
	}
	return end, gap, uint64(b[i+1])
}

// posting decodes any Posting message.
func posting(f field) (gap, tf uint64, err error) {
	if err = f.want(protowire.BytesType); err != nil {
		return 0, 0, err
	}
	for b := f.bytes; len(b) > 0; {
		var in field
		if in, b, err = nextField(b); err != nil {
			return 0, 0, err
		}
		switch in.num {
		case 1:
			gap, err = in.value, in.want(protowire.VarintType)
		case 2:
			tf, err = in.value, in.want(protowire.VarintType)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return gap, tf, nil
}

// appendList appends the encoded list, preceded by its length.
func appendList(dst []byte, l *writer.InvertedList, scratch *[]byte) []byte {
	m := protowire.AppendTag((*scratch)[:0], 1, protowire.BytesType)
	m = protowire.AppendBytes(m, l.Term)
	cf := uint64(0)
	for _, f := range l.Freqs {
		cf += uint64(f)
	}
	m = appendInt(m, 2, uint64(l.Len()))
	m = appendInt(m, 3, cf)
	prev := uint32(0)
	for i, d := range l.Docs {
		gap, tf := uint64(d-prev), uint64(l.Freqs[i])
		prev = d
		size := protowire.SizeVarint(tf) + 1
		if gap != 0 {
			size += protowire.SizeVarint(gap) + 1
		}
		m = append(m, 4<<3|2, byte(size))
		m = appendInt(m, 1, gap)
		m = appendInt(m, 2, tf)
	}
	*scratch = m
	return protowire.AppendBytes(dst, m)
}

// ciffDoc is a DocRecord message.
type ciffDoc struct {
	doc    uint32
	id     []byte
	length uint32
}

// decode reads a DocRecord message; d.id aliases b.
func (d *ciffDoc) decode(b []byte) error {
	*d = ciffDoc{}
	for len(b) > 0 {
		f, rest, err := nextField(b)
		if err != nil {
			return err
		}
		b = rest
		var v int32
		switch f.num {
		case 1:
			v, err = f.count()
			d.doc = uint32(v)
		case 2:
			d.id, err = f.bytes, f.want(protowire.BytesType)
		case 3:
			v, err = f.count()
			d.length = uint32(v)
		}
		if err != nil {
			return err
		}
	}
	return checkID(d.id)
}

func (d ciffDoc) append(dst []byte) []byte {
	m := appendInt(nil, 1, uint64(d.doc))
	m = protowire.AppendTag(m, 2, protowire.BytesType)
	m = protowire.AppendBytes(m, d.id)
	m = appendInt(m, 3, uint64(d.length))
	return protowire.AppendBytes(dst, m)
}
