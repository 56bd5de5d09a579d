// Package docs has what a device knows of the documents of a snapshot beside their lists: norms and lengths by field, which
// documents are not deleted, and decoded values of codes.
//
//	docs.go  Docs and its fields
//	load.go  what is copied to a device
//	sets.go  sets of documents as bitmaps in host memory
package docs

import (
	"errors"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
)

// ErrUnsupported means that a device cannot answer queries of these documents.
var ErrUnsupported = errors.New("gpuload: query not supported on the device")

// Field is a field of the documents that is indexed. The implicit schema has one, without a name.
type Field struct {
	Name    string
	ID      uint32 // in segments
	Scorer  *search.Scorer
	Coded   bool // the lengths are length codes
	Even    bool // there are no lengths
	Impacts bool // terms have weights
}

// Docs are the documents of a snapshot. What Load sets is on the device.
type Docs struct {
	Segments []residency.Segment
	Views    []residency.View
	Fields   []Field // at least one
	N        uint64
	Aligned  bool // bitmaps of all documents have a whole word where each view begins

	Norms []kernels.Ptr // by view and field, as kernels.FieldScore has them
	Live  []kernels.Ptr // by view; 0 if none is deleted
	Codes kernels.Ptr   // decoded values of quad codes, by field

	dev     cuda.Device
	lists   *residency.Lists
	lengths []kernels.Ptr // of documents, beside norms that are lengths
}

// New returns the documents of segments. Each has a view of its own if apart is set, and otherwise they are joined in one.
func New(segments []residency.Segment, fields []Field, apart bool) *Docs {
	d := &Docs{Segments: segments, Views: residency.Join(segments, apart), Fields: fields}
	d.Aligned = !slices.ContainsFunc(d.Views, func(v residency.View) bool { return v.Base%32 != 0 })
	for i := range d.Views {
		d.N += uint64(d.Views[i].Docs)
	}
	return d
}

// Free frees what Load has allocated.
func (d *Docs) Free() {
	for _, p := range slices.Concat([]kernels.Ptr{d.Codes}, d.Norms, d.lengths, d.Live) {
		if p != 0 {
			_ = d.dev.Free(p)
		}
	}
	d.Codes, d.Norms, d.lengths, d.Live = 0, nil, nil, nil
}

// Bytes returns how much memory lengths and norms take, at least.
func (d *Docs) Bytes() (size int64) {
	for _, f := range d.Fields {
		switch {
		case f.Coded:
			size += int64(d.N)
		case !f.Even:
			size += 5 * int64(d.N) // or more, if lengths take more than a byte
		}
	}
	return size
}

// Fielded reports whether the index has named fields, of which none need be indexed: its queries take the kernels for fields, and the norms of each.
func (d *Docs) Fielded() bool { return len(d.Fields) != 1 || d.Fields[0].Name != "" }

// Scoring returns how postings of a field are scored in a view.
func (d *Docs) Scoring(view, field int) kernels.FieldScore {
	s := kernels.FieldScore{Norms: d.Norms[view*len(d.Fields)+field], Codes: d.Codes + kernels.Ptr(field*codesSize)}
	if d.Fields[field].Coded {
		s.Coded = 1
	}
	return s
}

// codesSize is the size of the decoded values of a field's quad codes: float32 for 256 frequencies and 256 norms.
const codesSize = 4 * 512

// Terms returns the number of terms of the dictionaries.
func (d *Docs) Terms() (n uint64) {
	for _, s := range d.Segments {
		n += s.Seg.Meta().Terms
	}
	return n
}

// MostBytes returns more than all lists take on the device, however they are stored there,
// with presence words and with what a load needs for a while. To allocate 100 GB takes a
// driver 3 ms, and to free it 63.
func (d *Docs) MostBytes() int64 {
	const recoded, present, others = 8, 4, 16 << 20 // bytes of a posting in bp128, and in presence words; heads and such
	most := int64(others)
	for i := range d.Segments {
		s := d.Segments[i].Seg
		n := min(s.Meta().Postings, 1<<40)
		postings, _ := s.Header().Section(format.SectionPostings)
		most += 2*postings.Length + (recoded+present)*int64(n)
	}
	return most
}
