package reader

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Manifest says of what files a commit consists. It is for programs that keep the commits of an index elsewhere than in a directory,
// and name files otherwise there: in a bucket, say. FORMAT.md of package format specifies its bytes. A Manifest does not change. The
// zero value names nothing.
type Manifest struct {
	is  indexdir.Manifest
	raw []byte
}

// CommitFile is a file that a commit consists of, beside its manifest.
type CommitFile struct {
	// Name is that in a directory.
	Name string
	// Kind is format.KindSegment, format.KindDeletes for a file that says which documents of a segment are deleted, or
	// format.KindValues for one with values of a segment that were changed in place.
	Kind format.Kind
	// Segment is the random id of the segment, Deletes that of a deletes file, and Values that of a values file. They identify the
	// content, but for deletes files of version 0.2, which have no id.
	Segment, Deletes, Values format.ID
	// Size is how many bytes a segment has. It is 0 for other files, and where a manifest of version 0.2 does not say it.
	Size int64
}

// ManifestNames returns the names in a directory of the two files of the manifest of a generation. Their content is the same.
func ManifestNames(generation uint64) [2]string {
	return [2]string{indexdir.ManifestName(generation), indexdir.MirrorName(generation)}
}

// ParseManifest returns the manifest whose file is b, which must not be changed. name is for errors, which match format.ErrCorrupt or
// are of another kind of package format.
func ParseManifest(name string, b []byte) (*Manifest, error) {
	m, err := indexdir.DecodeManifest(name, b)
	if err != nil {
		return nil, err
	}
	return &Manifest{*m, b}, nil
}

// NewestManifest returns the manifest of the newest commit in a directory. If there is no index, the error matches format.ErrNotAnIndex.
func NewestManifest(fs store.ReadFS) (*Manifest, error) {
	d, err := indexdir.OpenFS(fs)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		return nil, err
	}
	defer c.Release()
	return made(c.Manifest.Clone())
}

// JoinManifests returns the manifest of the first commit of an index that consists of the segments of parts, in their order, and is
// otherwise as the first part says. There must be one part at least, and no document in two segments. The number of the
// commit is 2, as in a directory, where an empty one comes first.
func JoinManifests(parts ...*Manifest) (*Manifest, error) {
	if len(parts) == 0 || slices.Contains(parts, nil) {
		return nil, fmt.Errorf("%w: an index of no parts, or of one that is nil", store.ErrInvalid)
	}
	m := parts[0].is.Clone()
	m.NextFile, m.Segments = 1, nil
	for _, p := range parts {
		for _, s := range p.is.Segments {
			s.File = m.NextFile
			m.NextFile++
			if s.DeletesFile != 0 {
				s.DeletesFile = m.NextFile
				m.NextFile++
			}
			if s.ValuesFile != 0 {
				s.ValuesFile = m.NextFile
				m.NextFile++
			}
			m.Segments = append(m.Segments, s)
		}
	}
	return after(m, nil)
}

// After returns the manifest of the commit that follows the one of before and has what m has. If before is nil, it is the first
// commit, of number 2.
func (m *Manifest) After(before *Manifest) (*Manifest, error) { return after(m.is.Clone(), before) }

// after is After for a manifest that it may change.
func after(m *indexdir.Manifest, before *Manifest) (*Manifest, error) {
	m.Generation, m.Ancestry = 2, format.Ancestry{} // that of the empty commit is 1
	if before != nil {
		m.Generation, m.Ancestry = max(before.is.Generation, 1)+1, before.is.Ancestry
	}
	m.Ancestry = m.Ancestry.Next(m.Generation, rand.Uint64()) // another commit of this number has another name
	return made(m)
}

// made returns a manifest that was not read, with its bytes.
func made(m *indexdir.Manifest) (*Manifest, error) {
	raw, err := indexdir.EncodeManifest(m)
	if err != nil {
		return nil, err
	}
	return &Manifest{*m, raw}, nil
}

// Bytes returns the content of m's files. It must not be changed.
func (m *Manifest) Bytes() []byte { return m.raw }

// Generation returns the number of the commit.
func (m *Manifest) Generation() uint64 { return m.is.Generation }

// Schema returns a copy of the schema, or nil for the zero value.
func (m *Manifest) Schema() *schema.Schema { return m.is.Schema.Clone() }

// KeepCommits returns how many commits are to be kept, this one included, or 0 if the manifest, of version 0.2, does not say it.
func (m *Manifest) KeepCommits() int { return m.is.KeepCommits }

// Order returns the name of the field by whose values the documents of each segment are sorted, and whether the greatest come
// first. ok is false if there is none.
func (m *Manifest) Order() (field string, desc, ok bool) {
	f, desc, ok := m.is.OrderedBy()
	if !ok {
		return "", false, false
	}
	return f.Name, desc, true
}

// Files returns the files of the commit: segments in the order of their documents, each before its deletes and values files.
func (m *Manifest) Files() []CommitFile {
	files := make([]CommitFile, 0, len(m.is.Segments))
	for i := range m.is.Segments {
		s := &m.is.Segments[i]
		files = append(files, CommitFile{Name: indexdir.SegmentName(s.File), Kind: format.KindSegment, Segment: s.ID, Size: s.FileLen})
		if s.DeletesFile != 0 {
			files = append(files, CommitFile{Name: indexdir.DeletesName(s.DeletesFile), Kind: format.KindDeletes, Segment: s.ID, Deletes: s.DeletesID})
		}
		if s.ValuesFile != 0 {
			files = append(files, CommitFile{Name: indexdir.ValuesName(s.ValuesFile), Kind: format.KindValues, Segment: s.ID, Values: s.ValuesID})
		}
	}
	return files
}

// Equal reports whether m and n say the same of their commits, but for which commits these come from.
func (m *Manifest) Equal(n *Manifest) bool {
	if m.is.Schema == nil || n.is.Schema == nil {
		return m.is.Schema == n.is.Schema
	}
	return bytes.Equal(indexdir.AppendManifest(nil, &m.is), indexdir.AppendManifest(nil, &n.is)) && maps.Equal(m.is.Meta, n.is.Meta)
}
