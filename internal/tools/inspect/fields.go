package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Fields returns the fields of the schema in a manifest, or, without a manifest, of the first of
// segments. An index without a schema has none.
func Fields(m *indexdir.Manifest, segs []*segment.Segment) (all []schema.Field) {
	switch {
	case m != nil && !m.Schema.IsImplicit():
		return m.Schema.Fields
	case m != nil || len(segs) == 0 || segs[0].Meta().Fields == 0:
		return nil
	}
	for i := range segs[0].Fields() {
		all = append(all, segs[0].Fields()[i].Field)
	}
	return all
}

// FieldSummary is what an index has of a field.
type FieldSummary struct {
	Name      string          `json:"name"`
	Documents uint64          `json:"documents"` // with a token or vector in the field, or all of other fields without lengths; no deleted ones
	Tokens    uint64          `json:"tokens"`    // the sum of their lengths; 0 of a field without lengths
	AvgLength float64         `json:"average_length"`
	Terms     uint64          `json:"terms"`              // of each segment
	Vectors   uint64          `json:"vectors,omitempty"`  // of Documents
	Clusters  *ClusterSummary `json:"clusters,omitempty"` // of Vectors
	Bytes     int64           `json:"bytes"`              // of dictionary, lists, positions, lengths, column and vectors
}

// SummarizeFields returns what the index has of each field of its schema: by the manifest, unless
// there is none, and by the segments that can be read.
func SummarizeFields(x *Index) ([]FieldSummary, error) {
	out, segs := []FieldSummary{}, x.Segments()
	for _, f := range x.Fields() {
		sum := FieldSummary{Name: f.Name}
		sum.documents(&f, x.Manifest, segs)
		if err := sum.vectors(&f, x.Segs); err != nil {
			return nil, err
		}
		if sum.Documents > 0 {
			sum.AvgLength = float64(sum.Tokens) / float64(sum.Documents)
		}
		for _, s := range segs {
			i, ok := s.FieldByID(f.ID)
			if !ok {
				continue
			}
			n, err := fieldBytes(s, i)
			if err != nil {
				return nil, err
			}
			sum.Terms += s.Fields()[i].Terms
			sum.Bytes += n
		}
		out = append(out, sum)
	}
	return out, nil
}

// documents counts documents and tokens.
func (sum *FieldSummary) documents(f *schema.Field, m *indexdir.Manifest, segs []*segment.Segment) {
	if f.Indexing() == schema.IndexNone {
		return
	}
	if m == nil {
		for _, s := range segs {
			if i, ok := s.FieldByID(f.ID); ok {
				sum.Documents += uint64(s.Fields()[i].Docs)
				sum.Tokens += s.Fields()[i].LengthSum
			}
		}
		return
	}
	for i := range m.Segments {
		info := &m.Segments[i]
		if !f.HasLengths() {
			sum.Documents += uint64(info.Docs - info.Deleted)
		} else if x, ok := info.Field(f.ID); ok {
			sum.Documents += uint64(x.Docs - x.Deleted)
			sum.Tokens += x.Tokens - x.DeletedTokens
		}
	}
}

// vectors counts vectors and their documents.
func (sum *FieldSummary) vectors(f *schema.Field, segs []*Segment) (err error) {
	if f.Kind != schema.Vector {
		return nil
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for _, g := range segs {
		i, ok := g.FieldByID(f.ID)
		if !ok {
			continue
		}
		deleted := g.Deleted
		if g.Deletes.Count() == 0 {
			deleted = nil
		}
		docs, n, err := vectors.Count(g.Segment, i, deleted)
		if err != nil {
			return err
		}
		sum.Documents += docs
		sum.Vectors += n
		if err := sum.clusters(g.Segment, i); err != nil {
			return err
		}
	}
	if c := sum.Clusters; c != nil {
		c.Mean, c.Distance = float64(c.Vectors)/float64(c.Clusters), c.Distance/float64(c.Vectors)
	}
	return nil
}

// ClusterSummary is what segments have of the clusters of a field, deleted documents included.
type ClusterSummary struct {
	Segments int     `json:"segments"` // that have some
	Versions int     `json:"versions"` // how many different ones
	Clusters int     `json:"clusters"` // of all segments
	Vectors  int     `json:"vectors"`
	Mean     float64 `json:"mean"` // vectors of a cluster in a segment
	Largest  int     `json:"largest"`
	Distance float64 `json:"mean_distance"` // of vectors from the points of their clusters
	versions []uint64
}

// clusters adds those of field i of s.
func (sum *FieldSummary) clusters(s *segment.Segment, i int) error {
	x, err := vectors.Open(s, i)
	if err != nil || x == nil || x.Clusters == nil {
		return err
	}
	if sum.Clusters == nil {
		sum.Clusters = new(ClusterSummary)
	}
	c := sum.Clusters
	if c.Segments++; !slices.Contains(c.versions, x.Clusters.Version) {
		c.versions = append(c.versions, x.Clusters.Version)
	}
	c.Versions = len(c.versions)
	c.Clusters, c.Vectors, c.Distance = c.Clusters+x.Clusters.Len(), c.Vectors+x.Len(), c.Distance+float64(x.Clusters.Spread)*float64(x.Len())
	for n := range x.Clusters.Len() {
		c.Largest = max(c.Largest, len(x.Clusters.List(uint32(n))))
	}
	return nil
}

// fieldBytes returns the bytes of the dictionary, lists, positions, lengths, column and vectors of field i of s.
func fieldBytes(s *segment.Segment, i int) (n int64, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	f := &s.Fields()[i]
	n = int64(f.LenWidth) * int64(s.Meta().Docs)
	if c, ok, err := s.Field(i).Column(); err != nil {
		return 0, err
	} else if ok {
		n += int64(c.Info().Bytes)
	}
	if v := f.Vectors; v != nil {
		codes, floats := f.VectorsEnd(s.Meta().Docs)
		n += codes - v.CodesAt + floats - v.FloatsAt
	}
	if f.Blocks == 0 {
		return n, nil
	}
	blocks := s.Meta().Counts().TermBlocks
	between := func(id format.SectionID, at int64) (int64, error) {
		lo, err := wordAt(s, id, at+int64(f.FirstBlock))
		if err != nil {
			return 0, err
		}
		hi, err := wordAt(s, id, at+int64(f.FirstBlock+f.Blocks))
		return hi - lo, err
	}
	terms, err := between(format.SectionTermIndex, blocks)
	if err != nil {
		return 0, err
	}
	n += terms + 16*int64(f.Blocks)
	if f.Positions {
		positions, err := between(format.SectionPositionIndex, 0)
		if err != nil {
			return 0, err
		}
		n += positions + 8*int64(f.Blocks)
	}
	if _, ok := s.Header().Section(format.SectionLists); !ok { // no list has an extent
		return n, nil
	}
	lists, err := between(format.SectionLists, 0)
	return n + lists + 8*int64(f.Blocks), err
}

// wordAt returns a word of a section.
func wordAt(s *segment.Segment, id format.SectionID, i int64) (int64, error) {
	b, err := s.Raw().SectionBytes(id, 8*i, 8)
	if err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint64(b)), nil
}

// ErrField is matched by the errors of ChooseField.
var ErrField = errors.New("the terms of an index with a schema are those of its fields")

// ChooseField returns the id of the field with a name: 0 for "" without a schema.
func ChooseField(fields []schema.Field, name string) (id uint32, err error) {
	i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == name })
	switch {
	case i >= 0:
		return fields[i].ID, nil
	case len(fields) == 0 && name == "":
		return 0, nil
	case len(fields) == 0:
		return 0, fmt.Errorf("no field %s: the index has no schema", cli.Quote(name))
	}
	var all, indexed []string
	for _, f := range fields {
		all = append(all, cli.Quote(f.Name))
		if f.Indexing() != schema.IndexNone {
			indexed = append(indexed, cli.Quote(f.Name))
		}
	}
	switch {
	case name != "":
		return 0, fmt.Errorf("no field %s; there are %s", cli.Quote(name), strings.Join(all, ", "))
	case len(indexed) == 0:
		return 0, fmt.Errorf("%w, and none of them is indexed", ErrField)
	}
	return 0, fmt.Errorf("%w; name one with --field: %s", ErrField, strings.Join(indexed, ", "))
}

// LookupIn returns the entry of a term in the field of s with an id, which is 0 without a schema.
func LookupIn(s *segment.Segment, id uint32, term []byte) (e segment.Entry, ok bool, err error) {
	f, ok := s.FieldByID(id)
	switch {
	case !ok && id == 0:
		return e, false, ErrField
	case !ok:
		return e, false, nil
	}
	return s.Field(f).Lookup(term)
}

// LengthIn returns the length of a document of s in the field with an id, which is 0 without a
// schema: 0 if the field has no lengths, or s does not have the field.
func LengthIn(s *segment.Segment, id, doc uint32) (uint32, error) {
	f, ok := s.FieldByID(id)
	if !ok || !s.Fields()[f].HasLengths() {
		return 0, nil
	}
	t, err := s.Field(f).Lengths()
	return t.Get(doc), err
}
