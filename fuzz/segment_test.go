package fuzz

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// segmentSections is the order of the sections in a fuzz input: for each a varint
// length and its content.
var segmentSections = func() (ids []format.SectionID) {
	for row := range format.Sections() {
		if row.Kind == format.KindSegment && row.ID != format.SectionPageSums { // which the container writes
			ids = append(ids, row.ID)
		}
	}
	return ids
}()

// seedSegment returns a fuzz input that is a valid segment of n documents.
func seedSegment(f testing.TB, n int, docsCodec, freqsCodec string) []byte {
	var out file
	dc, _ := registry.ByName(docsCodec)
	fc, _ := registry.ByName(freqsCodec)
	lens := make([]uint32, n)
	for i := range lens {
		lens[i] = 3 + uint32(i%2)*2
	}
	b, err := build.New(format.NewFileWriter(&out, format.KindSegment, format.ID{}), build.Options{
		Docs: uint32(n), Lengths: []segment.LengthTable{segment.NewLengthTable(lens)}, Analyzer: "simple", Stored: true, ForeignLengths: true, DocsCodec: dc, FreqsCodec: fc})
	var docs, freqs, twos []uint32
	for i := range n {
		docs, freqs, twos = append(docs, uint32(i)), append(freqs, 1+uint32(i%2)), append(twos, 2+uint32(i%2))
	}
	for i, term := range []string{"all", "also", "any", "few", "one"} {
		k := []int{n, n, 0, min(n, 5), 1}[i]
		if err == nil && k > 0 {
			err = b.AddList([]byte(term), format.Postings{Docs: docs[:k], Freqs: [][]uint32{freqs, twos}[i%2][:k]})
		}
	}
	for i := range n {
		if err == nil {
			err = b.AddDoc(fmt.Appendf(nil, "d%d", i), []byte("text"))
		}
	}
	if err == nil {
		_, err = b.Finish()
	}
	if err != nil {
		f.Fatal(err)
	}
	return inputOf(f, out)
}

// inputOf returns the fuzz input of a valid segment.
func inputOf(f testing.TB, out file) []byte {
	s, err := segment.Open("seed", segment.Aligned(out))
	if err == nil {
		err = check.Segment(context.Background(), s, check.Options{})
	}
	if err != nil {
		f.Fatal(err)
	}
	var input []byte
	for _, id := range segmentSections {
		sec, _ := s.Header().Section(id)
		input = binary.AppendUvarint(input, uint64(sec.Length))
		input = append(input, out[sec.Offset:sec.Offset+sec.Length]...)
	}
	if _, err := segment.Open("seed", segment.Aligned(segmentFile(input))); err != nil {
		f.Fatal(err)
	}
	return input
}

// seedFields returns a fuzz input that is a valid segment with fields.
func seedFields(f testing.TB) []byte {
	var out file
	bp, _ := registry.ByName("bp128")
	const n = 200
	lens := make([]uint32, n)
	all := format.MakePostings(n)
	for i := range lens {
		lens[i], all.Docs[i], all.Freqs[i] = 40, uint32(i), 1
	}
	many := format.Postings{Docs: all.Docs, Freqs: lens}
	gaps := make([]uint32, 40*n)
	for i := range gaps {
		gaps[i] = uint32(i % 7 * (i % 11 / 10) << (i % 20))
	}
	o := build.Options{Docs: n, Stored: true, DocsCodec: bp, FreqsCodec: bp}
	for i, kind := range []schema.Field{
		{Name: "a", Kind: schema.Text, Lengths: schema.LengthsByte, Stored: true}, {Name: "b", Kind: schema.Keyword}, {Name: "c", Kind: schema.Text, Positions: true},
		{Name: "d", Kind: schema.Integer, Stored: true, Column: true}, {Name: "e", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
	} {
		kind.ID = uint32(5 - i)
		of := build.Field{Field: kind}
		if kind.HasLengths() {
			of.Lengths = []segment.LengthTable{segment.NewLengthTable(lens)}
		}
		o.Fields = append(o.Fields, of)
	}
	b, err := build.New(format.NewFileWriter(&out, format.KindSegment, format.ID{}), o)
	for i, p := range []format.Postings{many, all, many.Slice(0, n-1)} {
		if err == nil {
			err = b.BeginField(i)
		}
		if err == nil {
			err = b.AddPositions([]byte("all"), p, gaps[:i/2*40*p.Len()])
		}
	}
	for i, tf := range []uint32{1, 39} { // few positions; 40 in all, as in other documents
		if err == nil {
			err = b.AddPositions([]byte{'b' + byte(i)}, format.Postings{Docs: []uint32{n - 1}, Freqs: []uint32{tf}}, gaps[:tf])
		}
	}
	for i := range n {
		if err == nil {
			err = b.AddDoc(fmt.Appendf(nil, "d%d", i), record.Append(nil, 2, schema.IntegerValue(0, int64(i))))
		}
	}
	if err == nil {
		err = addColumns(b, n)
	}
	if err == nil {
		_, err = b.Finish()
	}
	if err != nil {
		f.Fatal(err)
	}
	return inputOf(f, out)
}

// seedImpacts returns a fuzz input that is a valid segment with a field of impacts, beside one of keywords.
func seedImpacts(f testing.TB) []byte {
	var out file
	bp, _ := registry.ByName("bp128")
	const n = 300
	all := format.MakePostings(n)
	for i := range n {
		all.Docs[i], all.Freqs[i] = uint32(i), uint32(1+i*37%255)
	}
	o := build.Options{Docs: n, DocsCodec: bp, FreqsCodec: bp, Fields: []build.Field{
		{Field: schema.Field{ID: 1, Name: "a", Kind: schema.Impacts}}, {Field: schema.Field{ID: 2, Name: "b", Kind: schema.Keyword}}}}
	b, err := build.New(format.NewFileWriter(&out, format.KindSegment, format.ID{}), o)
	if err == nil {
		err = b.BeginField(0)
	}
	for i, df := range []int{n, 5, 1, 140} {
		if err == nil {
			err = b.AddList([]byte{'a' + byte(i)}, all.Slice(0, df))
		}
	}
	if err == nil {
		err = b.BeginField(1)
	}
	if err == nil {
		err = b.AddList([]byte("all"), format.Postings{Docs: all.Docs, Freqs: slices.Repeat([]uint32{1}, n)})
	}
	for i := range n {
		if err == nil {
			err = b.AddDoc(fmt.Appendf(nil, "d%d", i), nil)
		}
	}
	if err == nil {
		_, err = b.Finish()
	}
	if err != nil {
		f.Fatal(err)
	}
	return inputOf(f, out)
}

// addColumns adds the columns of a segment of seedFields: values that ascend, and several keywords.
func addColumns(b *build.Builder, docs int) error {
	err := b.BeginColumn(3, nil)
	for i := range docs {
		if err == nil {
			err = b.AddColumn(int64(i))
		}
	}
	if err == nil {
		err = b.BeginColumn(4, slices.Values([][]byte{[]byte("debug"), []byte("error"), []byte("warn")}))
	}
	for i := range docs {
		if err == nil {
			err = b.AddColumn([]int64{0, int64(i % 3), 2}[:i%4]...)
		}
	}
	return err
}

// segmentFile makes a file of a fuzz input, with valid checksums.
func segmentFile(input []byte) []byte {
	out := make(file, 0, len(input)+len(input)/256+2*(1+len(segmentSections))*format.PageSize)
	w := format.NewFileWriter(&out, format.KindSegment, format.ID{})
	for _, id := range segmentSections {
		n, k := binary.Uvarint(input)
		if k <= 0 || n > uint64(len(input)-k) {
			break
		}
		content := append([]byte(nil), input[k:k+int(n)]...)
		input = input[k+int(n):]
		if row, _ := id.Info(); n == 0 && (!row.Required || id == format.SectionFields) { // not all segments have it
			continue
		}
		if id == format.SectionPostings {
			for b := content; len(b) >= 64; {
				size := int(binary.LittleEndian.Uint32(b[8:])) * 64
				if size < 64 || size > len(b) {
					break
				}
				binary.LittleEndian.PutUint64(b, xxhash.Sum64(b[8:size]))
				b = b[size:]
			}
		}
		w.Begin(id, 0)
		w.Write(content)
		w.End()
	}
	if _, err := w.Finish(); err != nil {
		return nil
	}
	return out
}

// FuzzSegment reads segments with valid checksums whose sections hold arbitrary
// bytes.
func FuzzSegment(x *testing.F) {
	f := fuzzing.New(x)
	f.Add(seedSegment(f, 3, "bp128", "bp128"))
	f.Add(seedSegment(f, 150, "bp128", "vbyte128"))
	f.Add(seedSegment(f, 1100, "vbyte128", "bp128"))
	f.Add(seedFields(f))
	f.Add(seedImpacts(f))
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > 1<<20 {
			return
		}
		s, err := segment.Open("fuzz", segment.Aligned(segmentFile(input)))
		if err != nil {
			return
		}
		readSegment(s)
		check.Segment(context.Background(), s, check.Options{})
	})
}

// readSegment uses every view of s.
func readSegment(s *segment.Segment) {
	var l segment.List
	var rows segment.Rows
	it := s.Lists().Terms()
	for it.Next() {
		v := s.Field(s.FieldOf(it.Entry()))
		v.Lookup(it.Term())
		lens, _ := v.Lengths()
		if s.Lists().Init(&l, it.Entry()) != nil {
			continue
		}
		for rows.Reset(&l); rows.Next(); {
			lens.GatherLengths(rows.Freqs, rows.Docs)
		}
		l.MaxWeight()
		l.Bound(l.Quad)
		for b := range l.Blocks {
			l.Range(l.Last(b))
			l.Bucket(l.Last(b))
		}
		l.Layout()
		readPositions(&l)
	}
	s.Lists().Terms().SeekGE([]byte("b"))
	s.Lists().Prefix([]byte("a")).Next()
	for i := range s.Fields() {
		s.Field(i).Terms([]byte("a")).SeekGE([]byte("al"))
		s.Field(i).Lookup([]byte("all"))
	}
	s.Lists().Frequent()
	for i := range s.Fields() {
		if c, ok, err := s.Field(i).Column(); ok && err == nil {
			readColumn(c)
		}
	}
	var id []byte
	for doc := range min(s.Meta().Docs, 64) {
		id, _ = s.Documents().AppendID(id[:0], doc)
		s.Documents().FindID(id)
		s.Documents().AppendStored(nil, doc)
		s.Documents().Length(doc)
	}
}

// readPositions uses the positions of l, if it has some.
func readPositions(l *segment.List) {
	p, err := l.Positions()
	if err != nil {
		return
	}
	r := p.Reader()
	var freqs [1 << 16]uint32
	for block := range min(l.Blocks, 64) {
		n, total, before := copy(freqs[:], l.Small().Freqs), uint32(0), uint32(0)
		if n == 0 {
			n, _ = l.DecodeFreqs(freqs[:], block, 1)
		}
		for _, tf := range freqs[:n] {
			total += tf
			if _, err := r.Append(nil, block, before, min(tf, 300)); err != nil {
				break
			}
			before += tf
		}
		p.AppendBlock(nil, block, total)
		p.RawBlock(block)
	}
}

// readColumn uses what c has.
func readColumn(c *segment.Column) {
	var values segment.ColumnValues
	var docs [segment.ColumnBlock / 64]uint64
	is := c.Info()
	for b := range c.Blocks() {
		c.Read(b, &values)
		c.Range(b, is.Min+1, is.Max, &docs)
		c.In(b, []int64{is.Min, is.Min + 2, is.Min + 4, is.Min + 6, is.Min + 8, is.Max}, &docs)
		c.Append(nil, uint32(b)*segment.ColumnBlock)
	}
	for word, err := range c.Keywords(0) {
		if err != nil {
			break
		}
		c.Ordinal(word)
	}
	c.Keyword(nil, int64(is.Keywords)-1)
}
