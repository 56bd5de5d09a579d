package build

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/segment/frequent"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// Options describe a segment to build.
type Options struct {
	// Docs is the number of documents.
	Docs uint32
	// Lengths are the lengths of the documents in tokens, in tables for consecutive
	// documents. Block bounds need them from the beginning. The tables are shared, not
	// copied.
	Lengths []segment.LengthTable
	// Fields are the fields of the index, in bytewise order of their names. Then Lengths and Analyzer are not set, and
	// ForeignLengths only with the field of the implicit schema, for which Lengths, Analyzer and AnalyzerOptions stand too.
	Fields []Field
	// Analyzer and AnalyzerOptions are recorded in META.
	Analyzer, AnalyzerOptions string
	// Stored is whether AddDoc stores the text of every document.
	Stored bool
	// ForeignLengths allows lengths to differ from the sums of frequencies.
	ForeignLengths bool
	// DocsCodec and FreqsCodec encode the blocks of extents. Their block lengths
	// must be equal.
	DocsCodec, FreqsCodec codec.Codec
	// Choose, if not nil, chooses other codecs of the same block length for each list.
	// Blocks copied from another segment keep their codecs if the policy says so.
	Choose choose.Policy
	// Spool holds the streams of later sections and the payloads of long lists in
	// temporary files. Nil keeps them in memory. The caller closes it after Finish.
	Spool *Spool
	// SpoolMemory is how many bytes of each stream are held in memory before they go to
	// a file; 0 means DefaultSpoolMemory.
	SpoolMemory int64
	// TailMemory is how many bytes of a list's payload each ListEncoder holds in
	// memory before they go to files; 0 means 4 MiB. Lists of codecs that need the
	// whole list are held whole.
	TailMemory int64
}

// phase is the progress of one of the two streams of a Builder.
type phase uint8

const (
	phaseNone phase = iota
	phaseOpen
	phaseDone
)

// Builder writes one segment. Lists must be added in the order of their terms and documents
// in the order of their docIDs; all documents come before the first list or after the last.
// After an error the Builder must not be used. It is not safe for concurrent use.
type Builder struct {
	w      *format.FileWriter
	buf    *bufio.Writer // buffers w while POSTINGS is open, or what is written straight
	o      Options
	meta   segment.Meta
	fields []field
	field  int          // whose lists are being added
	enc    *ListEncoder // for AddList

	lists, docs phase
	terms       termsBuilder
	positions   positionsBuilder
	frequent    frequent.Terms
	ids         idsBuilder
	optional    []*optional
	columns     columnsBuilder
	doc         section.Doc
	offset      int64 // bytes written to POSTINGS
	scratch     []byte
}

// buffers are those of Builders that have finished.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 256<<10) }}

// New begins a segment in w, which must be of kind format.KindSegment and have no sections
// yet. Builder.Finish finishes w.
func New(w *format.FileWriter, o Options) (*Builder, error) {
	if f := o.Fields; len(f) == 1 && f[0].Name == "" {
		o.Lengths, o.Analyzer, o.AnalyzerOptions, o.Fields = f[0].Lengths, f[0].Analyzer, f[0].Options, nil
	}
	switch {
	case o.Docs > segment.MaxDocs:
		return nil, fmt.Errorf("segment: %d documents, at most %d are allowed", o.Docs, segment.MaxDocs)
	case o.DocsCodec == nil || o.FreqsCodec == nil || o.DocsCodec.BlockLen() != o.FreqsCodec.BlockLen():
		return nil, errors.New("segment: codecs are missing or differ in block length")
	case len(o.Analyzer) > layout.MaxAnalyzer || len(o.AnalyzerOptions) > layout.MaxOptions:
		return nil, fmt.Errorf("segment: analyzer name over %d bytes or options over %d", layout.MaxAnalyzer, layout.MaxOptions)
	}
	fields, err := newFields(&o)
	if err != nil {
		return nil, err
	}
	b := &Builder{w: w, o: o, buf: buffers.Get().(*bufio.Writer), fields: fields, frequent: frequent.Of(o.Docs)}
	b.buf.Reset(w)
	b.meta = segment.Meta{Docs: o.Docs, Analyzer: o.Analyzer, AnalyzerOptions: o.AnalyzerOptions, Stored: o.Stored, ForeignLengths: o.ForeignLengths}
	if f := &fields[0]; o.Fields == nil {
		b.meta.Tokens, b.meta.MinLen, b.meta.MaxLen, b.meta.LenWidth = f.LengthSum, f.MinLen, f.MaxLen, f.LenWidth
	}
	for _, s := range []*stream{&b.terms.terms, &b.terms.keys, &b.terms.offsets, &b.terms.lists, &b.ids.ids, &b.ids.index} {
		*s = b.newStream()
	}
	b.columns.stream = b.newStream()
	b.positions.parts, b.positions.index = b.newStream(), b.newStream()
	for i := range fields {
		b.positions.on = b.positions.on || fields[i].Positions
	}
	b.ids.hashes = make([]uint32, 0, o.Docs)
	b.beginOptional(section.Options{Docs: o.Docs, Stored: o.Stored})
	return b, nil
}

// NewListEncoder returns an encoder for lists of this segment. Encoders are independent of
// each other and of the Builder, so each goroutine can have one. It begins with the first
// field (ListEncoder.SetField).
func (b *Builder) NewListEncoder() *ListEncoder { return newListEncoder(&b.o, b.fields) }

// AddList adds the list of the next term. That of a field with positions takes AddPositions.
func (b *Builder) AddList(term []byte, p format.Postings) error { return b.AddPositions(term, p, nil) }

// AddPositions is AddList with the positions of p, given as ListEncoder.AppendPositions takes them.
func (b *Builder) AddPositions(term []byte, p format.Postings, gaps []uint32) error {
	if b.enc == nil {
		b.enc = b.NewListEncoder()
	}
	b.enc.SetField(b.field)
	l, buf, err := b.enc.EncodePositions(b.scratch[:0], p, gaps)
	b.scratch = buf
	if err != nil {
		return fmt.Errorf("segment: list of %q: %w", term, err)
	}
	return b.Append(term, l)
}

// Append adds an encoded list. term must be above the last term of the field in bytewise order.
func (b *Builder) Append(term []byte, l EncodedList) error {
	return b.AppendShared(term[:len(term):len(term)], layout.CommonPrefix(b.terms.prev, term), l)
}

// AppendShared is Append for a term that is known to share exactly its first shared bytes
// with the last term. For the first term of a field shared is 0. Up to 16 bytes of term's capacity may
// be read.
func (b *Builder) AppendShared(term []byte, shared int, l EncodedList) error {
	if b.lists != phaseOpen {
		if err := b.begin(&b.lists, &b.docs, ending{b}.endDocs, format.SectionPostings); err != nil {
			return err
		}
	}
	entry, extent := l.Bytes, b.offset
	if l.Kind == segment.KindExtent {
		var room [20]byte
		entry = appendExtentEntry(room[:0], b.offset, l.DF)
		b.offset += int64(len(l.Bytes)) + l.Tail.Len()
		b.meta.Extents++
		b.meta.DocsCodecs |= 1 << l.Bytes[layout.ExtDocsCodec]
		b.meta.FreqsCodecs |= 1 << l.Bytes[layout.ExtFreqsCodec]
		if _, err := b.buf.Write(l.Bytes); err != nil {
			return err
		}
		if err := l.Tail.copyTo(b.buf); err != nil {
			return err
		}
	} else {
		b.meta.CompactBytes += uint64(len(entry))
	}
	if b.terms.n == 0 {
		b.positions.begin()
	}
	if b.fields[b.field].Positions {
		if err := b.positions.add(&l); err != nil {
			return err
		}
	}
	l.Tail.release()
	if f := &b.fields[b.field]; b.o.Fields != nil {
		f.Terms++
		f.Tokens += l.Tokens
		b.meta.Tokens += l.Tokens
	}
	b.meta.Terms++
	b.meta.Postings += uint64(l.DF)
	b.frequent.Add(b.terms.next(), l.DF)
	return b.terms.add(term, shared, entry, extent)
}

func (b *Builder) newStream() stream {
	return stream{limit: cmp.Or(b.o.SpoolMemory, DefaultSpoolMemory), spool: b.o.Spool}
}

// AddDoc adds the next document: its external id and, if Options.Stored is set, its text.
func (b *Builder) AddDoc(id, text []byte) error {
	b.doc = section.Doc{ID: id, Text: text}
	return b.addDoc()
}

// CopyDoc adds document doc of s, whose id and text these are.
func (b *Builder) CopyDoc(s *segment.Segment, doc uint32, id, text []byte) error {
	b.doc = section.Doc{ID: id, Text: text, From: s, Old: doc}
	return b.addDoc()
}

// addDoc adds doc.
func (b *Builder) addDoc() error {
	if err := b.beginDocs(); err != nil {
		return err
	}
	if b.ids.n >= b.o.Docs {
		return fmt.Errorf("segment: more than the %d documents announced", b.o.Docs)
	}
	if err := b.ids.add(b.doc.ID); err != nil {
		return err
	}
	for _, x := range b.optional {
		if err := x.b.Add(&b.doc); err != nil {
			return err
		}
	}
	return nil
}

// CopyDocs adds all documents of s in their order. Of stored text it copies what is compressed
// with dictionaries in whole regions, and compresses the rest anew.
func (b *Builder) CopyDocs(s *segment.Segment) error {
	if err := b.beginDocs(); err != nil {
		return err
	}
	if uint64(b.ids.n)+uint64(s.Meta().Docs) > uint64(b.o.Docs) {
		return fmt.Errorf("segment: more than the %d documents announced", b.o.Docs)
	}
	if err := b.ids.copyFrom(s); err != nil {
		return err
	}
	for _, x := range b.optional {
		if err := x.b.AddAll(s); err != nil {
			return err
		}
	}
	return nil
}

// IDHashes returns the hashes of the ids of the documents added so far (layout.IDHash). It must not be modified.
func (b *Builder) IDHashes() []uint32 { return b.ids.hashes }

func (b *Builder) beginDocs() error {
	if b.docs == phaseOpen {
		return nil
	}
	return b.begin(&b.docs, &b.lists, ending{b}.endLists, b.straight())
}

// begin ends the other stream and opens stream p and its section, unless section is 0.
func (b *Builder) begin(p, other *phase, endOther func() error, section format.SectionID) error {
	if *p == phaseDone {
		return errors.New("segment: lists and documents added in turns")
	}
	if *other == phaseOpen {
		if err := endOther(); err != nil {
			return err
		}
	}
	*p = phaseOpen
	if section != 0 {
		b.w.Begin(section, section.Flags())
	}
	return nil
}

// ending is a Builder as to what ends its parts and writes the file.
type ending struct{ *Builder }

// endLists ends POSTINGS and writes the other sections of lists that are not in the tail.
func (b ending) endLists() error {
	b.lists = phaseDone
	b.terms.finish(b.offset)
	if err := b.endSection(); err != nil {
		return err
	}
	b.positions.finish()
	return b.sections(append([]part{{format.SectionTerms, b.copies(&b.terms.terms)}}, b.positionParts()...))
}

// endDocs ends what is written straight and writes the other sections of documents that are
// not in the tail.
func (b ending) endDocs() error {
	b.docs = phaseDone
	if b.ids.n != b.o.Docs {
		return fmt.Errorf("segment: %d documents added, %d announced", b.ids.n, b.o.Docs)
	}
	b.ids.finish()
	parts := []part{
		{format.SectionIDs, b.copies(&b.ids.ids)},
		{format.SectionIDIndex, b.copies(&b.ids.index)},
		{format.SectionIDHash, func() error { return layout.WriteIDTable(b.w, b.ids.hashes) }},
	}
	more, err := b.endOptional()
	if err != nil {
		return err
	}
	return b.sections(append(parts, more...))
}

// endSection ends the open section, which is written through buf.
func (b ending) endSection() error {
	if err := b.buf.Flush(); err != nil {
		return err
	}
	return b.w.End()
}

// part is a section that is written as a whole.
type part struct {
	id    format.SectionID
	write func() error
}

// sections writes whole sections.
func (b ending) sections(parts []part) error {
	for _, p := range parts {
		b.w.Begin(p.id, p.id.Flags())
		if err := p.write(); err != nil {
			return err
		}
		if err := b.w.End(); err != nil {
			return err
		}
	}
	return nil
}

// copies returns a function that writes the streams to the open section.
func (b ending) copies(streams ...*stream) func() error {
	return func() error {
		for _, s := range streams {
			if err := s.copyTo(b.w); err != nil {
				return err
			}
		}
		return nil
	}
}

// Finish writes the remaining sections, the tail last, and finishes the file. The caller syncs
// and closes it.
func (b *Builder) Finish() (*format.Header, error) {
	if err := (ending{b}).endStreams(); err != nil {
		return nil, err
	}
	bounds, err := ending{b}.endColumns()
	if err != nil {
		return nil, err
	}
	if err := (ending{b}).endVectors(); err != nil {
		return nil, err
	}
	tail, err := ending{b}.tail(bounds)
	if err != nil {
		return nil, err
	}
	if err := (ending{b}).sections(tail); err != nil {
		return nil, err
	}
	b.buf.Reset(nil)
	buffers.Put(b.buf)
	b.buf, b.optional = nil, nil
	return b.w.Finish()
}

// tail returns the sections of the tail. bounds is COLUMNBOUNDS, nil without columns.
func (b ending) tail(bounds []byte) ([]part, error) {
	tail := []part{
		{format.SectionTermIndex, b.copies(&b.terms.keys, &b.terms.offsets)},
		{format.SectionDocLengths, b.writeLengths},
	}
	if b.meta.Extents > 0 {
		tail = append(tail, part{format.SectionLists, b.copies(&b.terms.lists)})
	}
	if b.positions.has {
		tail = append(tail, part{format.SectionPositionIndex, b.copies(&b.positions.index)})
	}
	if b.o.Docs > layout.FrequentOver {
		tail = append(tail, part{format.SectionFrequent, b.writes(segment.AppendFrequent(nil, b.frequent.Sorted()))})
	}
	if bounds != nil {
		tail = append(tail, part{format.SectionColumnBounds, b.writes(bounds)})
	}
	if b.o.Fields != nil {
		fields, err := b.endFields()
		if err != nil {
			return nil, err
		}
		tail = append(tail, part{format.SectionFields, b.writes(fields)})
	}
	return append(tail, part{format.SectionMeta, b.writes(segment.AppendMeta(nil, &b.meta))}), nil
}

// writes returns a function that writes content to the open section.
func (b ending) writes(content []byte) func() error {
	return func() error {
		_, err := b.w.Write(content)
		return err
	}
}

// endStreams ends the open stream and writes those that never began.
func (b ending) endStreams() error {
	if b.docs == phaseOpen {
		if err := b.endDocs(); err != nil {
			return err
		}
	}
	if b.lists == phaseNone {
		if err := b.begin(&b.lists, &b.docs, b.endDocs, format.SectionPostings); err != nil {
			return err
		}
	}
	if b.lists == phaseOpen {
		if err := b.endLists(); err != nil {
			return err
		}
	}
	if b.docs == phaseNone {
		if err := b.beginDocs(); err != nil {
			return err
		}
		return b.endDocs()
	}
	return nil
}

// Meta returns the content of META, which is complete after Finish.
func (b *Builder) Meta() segment.Meta { return b.meta }
