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

	Norms []kernels.Ptr // by view and field, as kernels.FieldScore has them
	Live  kernels.Ptr   // bitmap of the documents that are not deleted; 0 if none is
	Codes kernels.Ptr   // decoded values of quad codes, by field

	dev     cuda.Device
	lists   *residency.Lists
	lengths map[int][]kernels.Ptr // of documents, beside norms that are lengths, by number of the segment
	// More than the numbers of segments and views of this snapshot and those before.
	nextSegment, nextView int
}

// New returns the documents of segments, which get numbers. Each has a view of its own if apart is set, and otherwise they are joined
// (residency.Join).
func New(segments []residency.Segment, fields []Field, apart bool) *Docs {
	for i := range segments {
		segments[i].Number = i
	}
	d := &Docs{Segments: segments, Views: residency.Join(segments, apart), Fields: fields, nextSegment: len(segments)}
	d.nextView = len(d.Views)
	for i := range d.Views {
		d.N += uint64(d.Views[i].Docs)
	}
	return d
}

// Free frees what Load has allocated.
func (d *Docs) Free() {
	d.free(append(d.Norms, d.Codes, d.Live)...)
	for _, own := range d.lengths {
		d.free(own...)
	}
	d.Codes, d.Live, d.Norms, d.lengths = 0, 0, nil, nil
}

func (d *Docs) free(all ...kernels.Ptr) {
	for _, p := range all {
		if p != 0 {
			_ = d.dev.Free(p)
		}
	}
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

// Continue numbers the segments and views of d, which is new, as those of old that they are, and the others as none was.
func (d *Docs) Continue(old *Docs) {
	d.nextSegment, d.nextView = old.nextSegment, old.nextView
	for i := range d.Segments {
		s := &d.Segments[i]
		was := slices.IndexFunc(old.Segments, func(o residency.Segment) bool { return s.Of != nil && s.Of.SameFile(o.Of) })
		if was >= 0 {
			s.Number = old.Segments[was].Number
			continue
		}
		s.Number = d.nextSegment
		d.nextSegment++
	}
	for i := range d.Views {
		v := &d.Views[i]
		was := slices.IndexFunc(old.Views, func(o residency.View) bool { return v.Same(&o) })
		if was >= 0 {
			v.Number = old.Views[was].Number
			continue
		}
		v.Number = d.nextView
		d.nextView++
	}
}
