package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
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
)

// Manifest is the content of one commit: its segments and their deletes.
type Manifest struct {
	// Generation numbers commits from 1; 0 is the index before its first commit.
	Generation uint64
	// NextFile is greater than every file number used so far.
	NextFile uint64
	// Analyzer and AnalyzerOptions identify the analyzer of all segments.
	Analyzer, AnalyzerOptions string
	// Segments are the segments in docID order.
	Segments []SegmentInfo
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
	// Deleted is the number of deleted documents, and DeletedTokens that of their
	// tokens.
	Deleted       uint32
	DeletedTokens uint64
}

// Clone returns a deep copy of m.
func (m *Manifest) Clone() *Manifest {
	c := *m
	c.Segments = slices.Clone(m.Segments)
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

// ErrUncommitted is matched by the error for an index in which no writer has committed yet.
var ErrUncommitted = errors.New("nothing has been committed yet: its first build is at work, or ended early")

// Committed returns ErrUncommitted for the empty manifest with which Dir.Lock makes an
// index, nil for any other.
func (m *Manifest) Committed() error {
	if m.Generation == 1 && len(m.Segments) == 0 {
		return ErrUncommitted
	}
	return nil
}

// Files returns the names of the segment and deletes files.
func (m *Manifest) Files() []string {
	names := make([]string, 0, len(m.Segments))
	for i := range m.Segments {
		s := &m.Segments[i]
		names = append(names, SegmentName(s.File))
		if s.DeletesFile != 0 {
			names = append(names, DeletesName(s.DeletesFile))
		}
	}
	return names
}

// minSegment is the minimum number of bytes of an encoded SegmentInfo.
const minSegment = 7 + len(format.ID{})

// AppendManifest appends the encoded manifest, which is the content of the
// section of a manifest file, to dst.
func AppendManifest(dst []byte, m *Manifest) []byte {
	dst = binary.AppendUvarint(dst, m.Generation)
	dst = binary.AppendUvarint(dst, m.NextFile)
	dst = binary.AppendUvarint(dst, uint64(len(m.Analyzer)))
	dst = append(dst, m.Analyzer...)
	dst = binary.AppendUvarint(dst, uint64(len(m.AnalyzerOptions)))
	dst = append(dst, m.AnalyzerOptions...)
	dst = binary.AppendUvarint(dst, uint64(len(m.Segments)))
	for i := range m.Segments {
		s := &m.Segments[i]
		dst = binary.AppendUvarint(dst, s.File)
		dst = append(dst, s.ID[:]...)
		dst = binary.AppendUvarint(dst, uint64(s.Docs))
		dst = binary.AppendUvarint(dst, s.Postings)
		dst = binary.AppendUvarint(dst, s.Tokens)
		dst = binary.AppendUvarint(dst, s.DeletesFile)
		dst = binary.AppendUvarint(dst, uint64(s.Deleted))
		dst = binary.AppendUvarint(dst, s.DeletedTokens)
	}
	return dst
}

// ReadManifest decodes a manifest file and checks everything that can be checked
// without its segments. name is for errors.
func ReadManifest(name string, d Data) (*Manifest, error) {
	_, b, off, err := readSection(name, d, format.KindManifest, format.SectionManifest)
	if err != nil {
		return nil, err
	}
	m, err := decodeManifest(b, off)
	if err != nil {
		return nil, format.Locate(err, format.Place{File: name, Section: format.SectionManifest.String(), Block: format.NoBlock})
	}
	return m, nil
}

func decodeManifest(b []byte, off int64) (*Manifest, error) {
	r := format.NewBuffer(b, off)
	m := &Manifest{
		Generation:      r.Uvarint(),
		NextFile:        r.Uvarint(),
		Analyzer:        r.String(MaxAnalyzerName),
		AnalyzerOptions: r.String(MaxAnalyzerOptions),
	}
	m.Segments = make([]SegmentInfo, r.Count(MaxSegments, minSegment))
	for i := range m.Segments {
		s := &m.Segments[i]
		s.File = r.Uvarint()
		copy(s.ID[:], r.Bytes(len(s.ID)))
		s.Docs = uint32(r.Count(codec.MaxDoc+1, 0))
		s.Postings = r.Uvarint()
		s.Tokens = r.Uvarint()
		s.DeletesFile = r.Uvarint()
		s.Deleted = uint32(r.Count(codec.MaxDoc+1, 0))
		s.DeletedTokens = r.Uvarint()
	}
	if err := r.Done(); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, format.Corrupt("%s", err)
	}
	return m, nil
}

// check returns what is wrong with a manifest that was read or is about to be
// written.
func (m *Manifest) check() error {
	switch {
	case m.Generation == 0 || m.Generation > MaxFileNumber:
		return fmt.Errorf("impossible commit number %d", m.Generation)
	case m.NextFile == 0 || m.NextFile > MaxFileNumber+1:
		return fmt.Errorf("impossible next file number %d", m.NextFile)
	case len(m.Analyzer) > MaxAnalyzerName || len(m.AnalyzerOptions) > MaxAnalyzerOptions:
		return errors.New("analyzer name or options are too long")
	case len(m.Segments) > MaxSegments:
		return fmt.Errorf("%d segments, at most %d are possible", len(m.Segments), MaxSegments)
	}
	used := make(map[uint64]struct{}, len(m.Segments))
	var docs, postings, tokens uint64
	for i := range m.Segments {
		s := &m.Segments[i]
		if err := s.check(m.NextFile, used); err != nil {
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

func (s *SegmentInfo) check(next uint64, used map[uint64]struct{}) error {
	for _, num := range [...]uint64{s.File, s.DeletesFile} {
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
	case s.DeletedTokens > s.Tokens || s.Deleted == 0 && s.DeletedTokens != 0 || s.Deleted > 0 && s.Deleted == s.Docs && s.DeletedTokens != s.Tokens:
		return fmt.Errorf("%d of %d documents are deleted, with %d of %d tokens", s.Deleted, s.Docs, s.DeletedTokens, s.Tokens)
	}
	return nil
}
