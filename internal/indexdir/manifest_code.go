package indexdir

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// isFirst reports whether a manifest or deletes file of version v has the form of 0.2, which
// has the implicit schema, and nothing of what came with others.
func isFirst(v format.Version) bool { return v.Major == 0 && v.Minor < 3 }

// Minimum numbers of bytes of what a manifest lists.
const (
	minFirstSegment = 7 + len(format.ID{}) // of version 0.2
	minSegment      = minFirstSegment + 2
	minField        = 7 + 3*8
	minFieldStats   = 5
)

// Flags of a manifest and of a field in it.
const (
	flagSchema = 1 << iota // manifest: the schema is not the implicit one

	flagStored  = 1 << 0 // field: its values are stored
	flagLengths = 1 << 1 // field: its lengths take a byte
	flagColumn  = 1 << 2 // field: it is a column
	flagUnit    = 1 << 3 // field: its unit in this bit and the next

	flagClusters = 1 << 5 // field: its vectors are to be in clusters
	flagOf       = 1 << 6 // field: it has the values of another, whose number is behind all else of it
)

// What a manifest of the implicit schema says of stored texts, behind flagSchema.
const (
	storedUnknown = iota
	storedNo
	storedYes
)

// stored returns what m says of stored texts.
func (m *Manifest) stored() uint64 {
	switch {
	case m.StoredUnknown || !m.Schema.IsImplicit():
		return storedUnknown
	case m.Schema.Fields[0].Stored:
		return storedYes
	}
	return storedNo
}

// AppendManifest appends the encoded manifest, which is the content of the
// section of a manifest file, to dst.
func AppendManifest(dst []byte, m *Manifest) []byte { return appendManifest(dst, m, format.Current()) }

// appendManifest appends the manifest in the form of version v.
func appendManifest(dst []byte, m *Manifest, v format.Version) []byte {
	dst = binary.AppendUvarint(dst, m.Generation)
	dst = binary.AppendUvarint(dst, m.NextFile)
	name, options := m.Analyzer()
	dst = appendString(appendString(dst, name), options)
	if isFirst(v) {
		return appendFirstSegments(dst, m)
	}
	flags, fields := m.stored()<<1, !m.Schema.IsImplicit()
	if fields {
		flags |= flagSchema
	}
	dst = binary.AppendUvarint(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(m.KeepCommits))
	dst = binary.AppendUvarint(dst, m.Order.code())
	if fields {
		dst = appendSchema(dst, m.Schema)
	}
	dst = binary.AppendUvarint(dst, uint64(len(m.Segments)))
	for i := range m.Segments {
		dst = m.Segments[i].append(dst, fields, v)
	}
	return dst
}

// code returns o as a manifest has it.
func (o Order) code() uint64 {
	n := 2 * uint64(o.Field)
	if o.Desc {
		n++
	}
	return n
}

func appendFirstSegments(dst []byte, m *Manifest) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(m.Segments)))
	for i := range m.Segments {
		dst = m.Segments[i].appendFirst(dst)
	}
	return dst
}

// appendFirst appends what version 0.2 has of a segment.
func (s *SegmentInfo) appendFirst(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, s.File)
	dst = append(dst, s.ID[:]...)
	for _, n := range [...]uint64{uint64(s.Docs), s.Postings, s.Tokens, s.DeletesFile, uint64(s.Deleted), s.DeletedTokens} {
		dst = binary.AppendUvarint(dst, n)
	}
	return dst
}

func (s *SegmentInfo) append(dst []byte, fields bool, v format.Version) []byte {
	dst = s.appendFirst(dst)
	if s.DeletesFile != 0 {
		dst = append(dst, s.DeletesID[:]...)
	}
	if v.ChangedValues() {
		if dst = binary.AppendUvarint(dst, s.ValuesFile); s.ValuesFile != 0 {
			dst = append(dst, s.ValuesID[:]...)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(s.FileLen))
	dst = binary.AppendUvarint(dst, uint64(s.Tail))
	if !fields {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Fields)))
	for _, f := range s.Fields {
		for _, n := range [...]uint64{uint64(f.ID), uint64(f.Docs), f.Tokens, uint64(f.Deleted), f.DeletedTokens} {
			dst = binary.AppendUvarint(dst, n)
		}
	}
	return dst
}

func appendSchema(dst []byte, s *schema.Schema) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.NextID))
	dst = binary.AppendUvarint(dst, uint64(len(s.Fields)))
	for i := range s.Fields {
		f := &s.Fields[i]
		flags := uint64(0)
		if f.Stored {
			flags |= flagStored
		}
		if f.Lengths == schema.LengthsByte {
			flags |= flagLengths
		}
		if f.Column {
			flags |= flagColumn
		}
		flags |= flagUnit * uint64(f.Unit)
		if f.Clusters {
			flags |= flagClusters
		}
		if f.Of != "" {
			flags |= flagOf
		}
		dst = binary.AppendUvarint(dst, uint64(f.ID))
		dst = appendString(dst, f.Name)
		dst = binary.AppendUvarint(dst, uint64(f.Kind))
		dst = binary.AppendUvarint(dst, record.Indexed(f))
		dst = binary.AppendUvarint(dst, flags)
		dst = appendString(dst, f.Analyzer)
		dst = appendString(dst, f.Options)
		weight := f.Boost
		if f.Kind == schema.Impacts {
			weight = f.Scale
		}
		for _, x := range [...]float64{f.K1, f.B, weight} {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
		}
		if f.Kind == schema.Vector {
			dst = record.AppendVectors(dst, f)
		}
		if f.Of != "" {
			dst = binary.AppendUvarint(dst, uint64(s.Number(f.Of)))
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// DecodeManifest is ReadManifest of the content of a file.
func DecodeManifest(name string, b []byte) (*Manifest, error) { return ReadManifest(name, content(b)) }

// ReadManifest decodes a manifest file and checks everything that can be checked
// without its segments. name is for errors.
func ReadManifest(name string, d store.Data) (*Manifest, error) {
	h, b, off, err := readSection(name, d, format.KindManifest, format.SectionManifest)
	if err != nil {
		return nil, err
	}
	m, err := decodeManifest(b, off, h.Version)
	if err != nil {
		return nil, format.Locate(err, format.Place{File: name, Section: format.SectionManifest.String(), Block: format.NoBlock})
	}
	for _, part := range []struct {
		id     format.SectionID
		decode func(b []byte, off int64) error
	}{
		{format.SectionAncestry, func(b []byte, off int64) (err error) {
			var e *format.Error
			if err = m.Ancestry.UnmarshalBinary(b); errors.As(err, &e) && e.Offset >= 0 {
				e.Offset += off
			}
			if err == nil {
				if e := m.Ancestry.Check(m.Generation); e != nil {
					err = format.Corrupt("%s", e)
				}
			}
			return err
		}},
		{format.SectionCommitMeta, func(b []byte, off int64) (err error) {
			m.Meta, err = decodeMeta(b, off)
			return err
		}},
	} {
		if _, has := h.Section(part.id); !has {
			continue
		}
		if b, off, err = contentOf(name, d, h, part.id); err != nil {
			return nil, err
		}
		if err := part.decode(b, off); err != nil {
			return nil, format.Locate(err, format.Place{File: name, Section: part.id.String(), Block: format.NoBlock})
		}
	}
	return m, nil
}

// decodeManifest decodes the manifest in a file of version v.
func decodeManifest(b []byte, off int64, v format.Version) (*Manifest, error) {
	r := format.NewBuffer(b, off)
	m := &Manifest{
		Version:       v,
		Generation:    r.Uvarint(),
		NextFile:      r.Uvarint(),
		Schema:        schema.Implicit(r.String(MaxAnalyzerName), r.String(MaxAnalyzerOptions), false),
		StoredUnknown: true,
	}
	least, fields := minFirstSegment, false
	if !isFirst(v) {
		least = minSegment
		flags := r.Count(math.MaxInt32, 0)
		fields = flags&flagSchema != 0
		m.readStored(r, flags>>1&3, fields)
		m.KeepCommits = r.Count(MaxKeepCommits, 0)
		if flags&^7 != 0 {
			r.Fail("flags that this build does not know")
		}
		order := r.Uvarint()
		if m.Order = (Order{Field: uint32(order / 2), Desc: order%2 != 0}); m.Order.code() != order {
			r.Fail("documents sorted by a field of an impossible id")
		}
		if fields {
			if m.Schema.Fields[0].Analyzer != "" || m.Schema.Fields[0].Options != "" {
				r.Fail("an analyzer for all fields beside those of the schema")
			}
			if m.Schema = decodeSchema(r); m.Schema.IsImplicit() {
				r.Fail("a field without a name")
			}
		}
	}
	m.Segments = make([]SegmentInfo, r.Count(MaxSegments, least))
	for i := range m.Segments {
		s := &m.Segments[i]
		s.decodeFirst(r)
		if !isFirst(v) {
			s.decodeRest(r, fields, v)
		}
	}
	if err := r.Done(); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, format.Corrupt("%s", err)
	}
	return m, nil
}

// readStored takes what the flags of a manifest say of stored texts.
func (m *Manifest) readStored(r *format.Buffer, word int, fields bool) {
	if m.StoredUnknown = word == storedUnknown && !fields; word > storedYes || word != storedUnknown && fields {
		r.Fail("impossible word of stored texts, %d", word)
	}
	m.Schema.Fields[0].Stored = word == storedYes
}

func (s *SegmentInfo) decodeFirst(r *format.Buffer) {
	s.File = r.Uvarint()
	copy(s.ID[:], r.Bytes(len(s.ID)))
	s.Docs = uint32(r.Count(codec.MaxDoc+1, 0))
	s.Postings = r.Uvarint()
	s.Tokens = r.Uvarint()
	s.DeletesFile = r.Uvarint()
	s.Deleted = uint32(r.Count(codec.MaxDoc+1, 0))
	s.DeletedTokens = r.Uvarint()
}

func (s *SegmentInfo) decodeRest(r *format.Buffer, fields bool, v format.Version) {
	if s.DeletesFile != 0 {
		copy(s.DeletesID[:], r.Bytes(len(s.DeletesID)))
	}
	if v.ChangedValues() {
		if s.ValuesFile = r.Uvarint(); s.ValuesFile != 0 {
			copy(s.ValuesID[:], r.Bytes(len(s.ValuesID)))
		}
	}
	s.FileLen = int64(r.Count(format.MaxFileSize, 0))
	s.Tail = int64(r.Count(format.MaxFileSize, 0))
	if !fields {
		return
	}
	if n := r.Count(math.MaxInt32, minFieldStats); n > 0 {
		s.Fields = make([]FieldStats, n)
	}
	for i := range s.Fields {
		s.Fields[i] = FieldStats{
			ID:   uint32(r.Count(math.MaxUint32, 0)),
			Docs: uint32(r.Count(codec.MaxDoc+1, 0)), Tokens: r.Uvarint(),
			Deleted: uint32(r.Count(codec.MaxDoc+1, 0)), DeletedTokens: r.Uvarint(),
		}
	}
}

func decodeSchema(r *format.Buffer) *schema.Schema {
	s := &schema.Schema{NextID: uint32(r.Count(math.MaxUint32, 0))}
	s.Fields = make([]schema.Field, r.Count(schema.MaxFields, minField))
	sources := make([]int, len(s.Fields)) // of each field, 1 + the number of the one whose values it has
	for i := range s.Fields {
		f := &s.Fields[i]
		f.ID = uint32(r.Count(math.MaxUint32, 0))
		f.Name = r.String(schema.MaxName)
		f.Kind = schema.Kind(r.Count(math.MaxUint8, 0))
		record.SetIndexed(f, uint8(r.Count(math.MaxUint8, 0)))
		flags := r.Uvarint()
		f.Stored = flags&flagStored != 0
		if flags&flagLengths != 0 {
			f.Lengths = schema.LengthsByte
		}
		f.Column = flags&flagColumn != 0
		f.Unit = schema.Unit(flags / flagUnit % 4)
		f.Clusters = flags&flagClusters != 0
		if flags >= 2*flagOf {
			r.Fail("field %q has flags %#x that this build does not know", f.Name, flags)
		}
		f.Analyzer = r.String(schema.MaxName)
		f.Options = r.String(schema.MaxOptions)
		for _, x := range [...]*float64{&f.K1, &f.B, &f.Boost} {
			*x = math.Float64frombits(r.Uint64())
		}
		if f.Kind == schema.Impacts {
			f.Scale, f.Boost = f.Boost, 0
		}
		if f.Kind == schema.Vector {
			record.ParseVectors(r, f)
		}
		if flags&flagOf != 0 {
			sources[i] = 1 + r.Count(uint64(len(s.Fields)-1), 0)
		}
	}
	for i, of := range sources {
		if of > 0 && r.Err() == nil {
			s.Fields[i].Of = s.Fields[of-1].Name
		}
	}
	return s
}
