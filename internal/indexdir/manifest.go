package indexdir

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Limits of a manifest.
const (
	// MaxSegments bounds the segments of one commit.
	MaxSegments = 1 << 16
	// MaxDocs bounds the documents of a commit, including deleted ones, so that every
	// global docID fits in a uint32 and the largest uint32 is not a docID.
	MaxDocs = math.MaxUint32
	// MaxAnalyzerName and MaxAnalyzerOptions bound these strings, in bytes, as in a
	// segment.
	MaxAnalyzerName    = 255
	MaxAnalyzerOptions = 1 << 16
	// MaxKeepCommits bounds the number of commits to keep.
	MaxKeepCommits = math.MaxInt32
)

// Manifest is the content of one commit: its segments and their deletes.
type Manifest struct {
	// Version is that of the format in whose form the manifest was read or committed.
	Version format.Version
	// Generation numbers commits from 1; 0 is the index before its first commit.
	Generation uint64
	// NextFile is greater than every file number used so far.
	NextFile uint64
	// Schema describes the documents. Its fields have ids, but for that of the implicit schema.
	Schema *schema.Schema
	// StoredUnknown says that a manifest of the implicit schema leaves it to the segments whether texts are stored, whatever
	// Schema says: one of version 0.2 does, and the empty commit that makes an index.
	StoredUnknown bool
	// KeepCommits is how many commits are kept, or 0 in a manifest of version 0.2, which
	// does not say.
	KeepCommits int
	// Order is by what the documents of each segment are sorted.
	Order Order
	// Ancestry says which commits this one comes from, as far as is known. Commit.Ancestry returns at
	// least the commit itself.
	Ancestry format.Ancestry
	// Meta are what programs keep with the commit: values, none of them empty, by keys of 1 to MaxMetaKey bytes, together up
	// to MaxMeta bytes.
	Meta map[string]string
	// Segments are the segments in docID order.
	Segments []SegmentInfo
}

// Order is an order of documents by their values in a field with a column: by the least of each in
// ascending order, or by the greatest in descending order. Documents without a value come last.
type Order struct {
	Field uint32 // its id; 0: as documents were added, or in any order
	Desc  bool
}

// Analyzer returns the name and options of the analyzer that the segments name: that of the implicit schema. They are empty
// for another schema, whose fields have their own.
func (m *Manifest) Analyzer() (name, options string) {
	if !m.Schema.IsImplicit() {
		return "", ""
	}
	return m.Schema.Fields[0].Analyzer, m.Schema.Fields[0].Options
}

// OrderedBy returns the field by which the documents of each segment are sorted; ok is false if there is none.
func (m *Manifest) OrderedBy() (f *schema.Field, desc, ok bool) {
	if m.Order.Field == 0 {
		return nil, false, false
	}
	f, ok = m.Schema.ByID(m.Order.Field)
	return f, m.Order.Desc, ok
}

// SegmentInfo is the entry of one segment in a manifest.
type SegmentInfo struct {
	// File is the number of the segment's file, at least 1.
	File uint64
	// ID is the id in the segment's header.
	ID format.ID
	// Docs is the number of documents, including deleted ones.
	Docs uint32
	// Postings and Tokens are the numbers of postings and tokens, including those of
	// deleted documents.
	Postings, Tokens uint64
	// DeletesFile is the number of the deletes file, or 0 if nothing is deleted.
	DeletesFile uint64
	// DeletesID is the random id of the deletes file; that of a file of version 0.2 is zero.
	DeletesID format.ID
	// Deleted is the number of deleted documents, and DeletedTokens that of their
	// tokens in the implicit schema. In another DeletedTokens is 0, and Fields have those of each field.
	Deleted       uint32
	DeletedTokens uint64
	// ValuesFile is the number of the file with values that were changed in place, or 0 if none were, and ValuesID its random id.
	ValuesFile uint64
	ValuesID   format.ID
	// FileLen is the length of the segment's file, and Tail the offset in it of the
	// sections that every query reads, which are its end. 0 means unknown: a Tail of
	// version 0.2, a FileLen in its manifests.
	FileLen, Tail int64
	// Fields are the statistics of the schema's fields that have lengths, by ascending id.
	Fields []FieldStats
}

// FieldStats are the statistics of a field in a segment, from which those of the index
// follow.
type FieldStats struct {
	// ID is the field's.
	ID uint32
	// Docs is the number of documents with a length above 0, and Tokens the sum of these
	// lengths, as they can be read back; both with deleted documents.
	Docs   uint32
	Tokens uint64
	// Deleted and DeletedTokens are those of deleted documents.
	Deleted       uint32
	DeletedTokens uint64
}

// Equal reports whether s and t say the same.
func (s SegmentInfo) Equal(t SegmentInfo) bool {
	return s.File == t.File && s.ID == t.ID && s.Docs == t.Docs && s.Postings == t.Postings && s.Tokens == t.Tokens &&
		s.DeletesFile == t.DeletesFile && s.DeletesID == t.DeletesID && s.Deleted == t.Deleted && s.DeletedTokens == t.DeletedTokens &&
		s.ValuesFile == t.ValuesFile && s.ValuesID == t.ValuesID &&
		s.FileLen == t.FileLen && s.Tail == t.Tail && slices.Equal(s.Fields, t.Fields)
}

// ForgetDeletes makes s the entry of a segment without deleted documents.
func (s *SegmentInfo) ForgetDeletes() {
	s.DeletesFile, s.DeletesID, s.Deleted, s.DeletedTokens = 0, format.ID{}, 0, 0
	s.Fields = slices.Clone(s.Fields)
	for i := range s.Fields {
		s.Fields[i].Deleted, s.Fields[i].DeletedTokens = 0, 0
	}
}

// ForgetValues makes s the entry of a segment without values that were changed in place.
func (s *SegmentInfo) ForgetValues() { s.ValuesFile, s.ValuesID = 0, format.ID{} }

// empty returns the manifest without documents of an index with a schema; nil is the implicit one.
func empty(s *schema.Schema) *Manifest {
	if s == nil {
		s = schema.Implicit("", "", false)
	}
	return &Manifest{Schema: s.Clone(), StoredUnknown: s.IsImplicit()}
}

// Clone returns a deep copy of m.
func (m *Manifest) Clone() *Manifest {
	c := *m
	c.Schema = m.Schema.Clone()
	c.Ancestry, c.Meta = m.Ancestry.Clone(), maps.Clone(m.Meta)
	c.Segments = slices.Clone(m.Segments)
	for i := range c.Segments {
		c.Segments[i].Fields = slices.Clone(c.Segments[i].Fields)
	}
	return &c
}

// Docs returns the number of documents in all segments, including deleted ones.
func (m *Manifest) Docs() uint64 {
	var n uint64
	for i := range m.Segments {
		n += uint64(m.Segments[i].Docs)
	}
	return n
}

// Committed returns ErrUncommitted for the empty manifest with which Dir.Lock makes an
// index, nil for any other.
func (m *Manifest) Committed() error {
	if m.Generation == 1 && len(m.Segments) == 0 {
		return store.ErrUncommitted
	}
	return nil
}

// Files returns the names of the segment, deletes and values files.
func (m *Manifest) Files() []string {
	names := make([]string, 0, len(m.Segments))
	for i := range m.Segments {
		s := &m.Segments[i]
		names = append(names, SegmentName(s.File))
		if s.DeletesFile != 0 {
			names = append(names, DeletesName(s.DeletesFile))
		}
		if s.ValuesFile != 0 {
			names = append(names, ValuesName(s.ValuesFile))
		}
	}
	return names
}

// check returns what is wrong with a manifest that was read or is about to be
// written.
func (m *Manifest) check() error {
	switch {
	case m.Generation == 0 || m.Generation > format.MaxFileNumber:
		return fmt.Errorf("impossible commit number %d", m.Generation)
	case m.NextFile == 0 || m.NextFile > format.MaxFileNumber+1:
		return fmt.Errorf("impossible next file number %d", m.NextFile)
	case m.KeepCommits < 0 || m.KeepCommits > MaxKeepCommits:
		return fmt.Errorf("impossible number of commits to keep %d", m.KeepCommits)
	case len(m.Segments) > MaxSegments:
		return fmt.Errorf("%d segments, at most %d are possible", len(m.Segments), MaxSegments)
	}
	if err := m.checkSchema(); err != nil {
		return err
	}
	if err := m.checkOrder(); err != nil {
		return err
	}
	if err := m.Ancestry.Check(m.Generation); err != nil {
		return err
	}
	if err := CheckMeta(m.Meta); err != nil {
		return err
	}
	used := make(map[uint64]struct{}, len(m.Segments))
	var docs, postings, tokens uint64
	for i := range m.Segments {
		s := &m.Segments[i]
		err := s.check(m.NextFile, used)
		if err == nil {
			err = s.checkTokens(m.Schema)
		}
		if err != nil {
			return fmt.Errorf("segment %d: %w", i, err)
		}
		if docs += uint64(s.Docs); docs > MaxDocs {
			return fmt.Errorf("segment %d: more than %d documents in all", i, uint64(MaxDocs))
		}
		if postings+s.Postings < postings || tokens+s.Tokens < tokens {
			return fmt.Errorf("segment %d: the counts of all segments overflow", i)
		}
		postings += s.Postings
		tokens += s.Tokens
	}
	return nil
}

// checkOrder checks m.Order.
func (m *Manifest) checkOrder() error {
	if m.Order == (Order{}) {
		return nil
	}
	if m.Order.Field != 0 {
		if f, ok := m.Schema.ByID(m.Order.Field); ok && f.Column {
			return nil
		}
	}
	return fmt.Errorf("documents sorted by field %d, which has no column", m.Order.Field)
}

func (s *SegmentInfo) check(next uint64, used map[uint64]struct{}) error {
	for _, num := range [...]uint64{s.File, s.DeletesFile, s.ValuesFile} {
		if num == 0 {
			continue
		}
		if num >= next {
			return fmt.Errorf("file number %d is not below the next one, %d", num, next)
		}
		if _, twice := used[num]; twice {
			return fmt.Errorf("file number %d appears twice", num)
		}
		used[num] = struct{}{}
	}
	switch {
	case s.File == 0:
		return errors.New("file number 0")
	case s.Docs > codec.MaxDoc+1:
		return fmt.Errorf("%d documents, at most %d are possible", s.Docs, codec.MaxDoc+1)
	case s.Deleted > s.Docs:
		return fmt.Errorf("%d of %d documents are deleted", s.Deleted, s.Docs)
	case (s.Deleted == 0) != (s.DeletesFile == 0):
		return fmt.Errorf("%d deleted documents in deletes file %d", s.Deleted, s.DeletesFile)
	case s.DeletesFile == 0 && s.DeletesID != format.ID{}:
		return fmt.Errorf("no deletes file, but its id %x", s.DeletesID)
	case s.ValuesFile == 0 && s.ValuesID != format.ID{}:
		return fmt.Errorf("no values file, but its id %x", s.ValuesID)
	case s.FileLen < 0 || s.FileLen > format.MaxFileSize || s.Tail < 0 || s.Tail > s.FileLen:
		return fmt.Errorf("a file of %d bytes with its tail at %d", s.FileLen, s.Tail)
	}
	return nil
}

// checkSchema returns what is wrong with the schema.
func (m *Manifest) checkSchema() error {
	if m.Schema == nil {
		return errors.New("no schema")
	}
	if m.StoredUnknown && !m.Schema.IsImplicit() {
		return errors.New("fields of which it is not known whether they are stored")
	}
	if name, options := m.Analyzer(); len(name) > MaxAnalyzerName || len(options) > MaxAnalyzerOptions {
		return errors.New("analyzer name or options are too long")
	}
	if m.Schema.IsImplicit() {
		return m.Schema.Check()
	}
	for i := range m.Schema.Fields {
		if f := &m.Schema.Fields[i]; f.ID == 0 || f.Index == schema.IndexDefault || f.Kind == schema.Text && f.Analyzer == "" {
			return fmt.Errorf("field %q: its id, index or analyzer are missing", f.Name)
		}
	}
	return m.Schema.Check()
}

// checkTokens returns what is wrong with the numbers of tokens.
func (s *SegmentInfo) checkTokens(sch *schema.Schema) error {
	if sch.IsImplicit() {
		if len(s.Fields) > 0 {
			return errors.New("statistics of fields that have names")
		}
		return s.checkDeletedTokens()
	}
	if s.DeletedTokens != 0 {
		return fmt.Errorf("%d deleted tokens beside those of the fields", s.DeletedTokens)
	}
	last := uint32(0)
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.ID <= last || f.ID >= sch.NextID {
			return fmt.Errorf("statistics of field %d after those of field %d, the next one is %d", f.ID, last, sch.NextID)
		}
		last = f.ID
		if err := f.check(s); err != nil {
			return fmt.Errorf("field %d: %w", f.ID, err)
		}
	}
	return nil
}

// check returns what is wrong with the statistics of a field of s. Each document counted has
// a token.
func (f *FieldStats) check(s *SegmentInfo) error {
	live := f.Docs - f.Deleted
	switch {
	case f.Docs > s.Docs || f.Deleted > min(f.Docs, s.Deleted) || live > s.Docs-s.Deleted:
		return fmt.Errorf("in %d documents, of which %d are deleted; the segment has %d and %d", f.Docs, f.Deleted, s.Docs, s.Deleted)
	case f.DeletedTokens > f.Tokens || f.DeletedTokens < uint64(f.Deleted) || f.Tokens-f.DeletedTokens < uint64(live),
		f.Deleted == 0 && f.DeletedTokens != 0, live == 0 && f.DeletedTokens != f.Tokens:
		return fmt.Errorf("%d of %d documents are deleted, with %d of %d tokens", f.Deleted, f.Docs, f.DeletedTokens, f.Tokens)
	}
	return nil
}

// checkDeletedTokens returns what is wrong with the tokens of deleted documents in the implicit schema.
func (s *SegmentInfo) checkDeletedTokens() error {
	switch {
	case s.DeletedTokens > s.Tokens || s.Deleted == 0 && s.DeletedTokens != 0 || s.Deleted > 0 && s.Deleted == s.Docs && s.DeletedTokens != s.Tokens:
		return fmt.Errorf("%d of %d documents are deleted, with %d of %d tokens", s.Deleted, s.Docs, s.DeletedTokens, s.Tokens)
	}
	return nil
}
