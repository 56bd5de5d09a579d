package inspect

import (
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/segment"
)

// Size is the bytes of one thing.
type Size struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Form counts the lists of one form. Bytes are those of dictionary entries and extents.
type Form struct {
	Form     string `json:"form"`
	Lists    uint64 `json:"lists"`
	Postings uint64 `json:"postings"`
	Bytes    int64  `json:"bytes"`
}

// Payload counts the lists with an extent that have one codec on one side. Bytes are
// those of the payloads, without block endpoints.
type Payload struct {
	Codec    string `json:"codec"`
	Lists    uint64 `json:"lists"`
	Postings uint64 `json:"postings"`
	Bytes    int64  `json:"bytes"`
}

// Sizes say where the bytes of a segment, or of several, go.
type Sizes struct {
	Bytes    int64     `json:"bytes"`
	Sections []Size    `json:"sections"`
	Forms    []Form    `json:"forms"`
	Parts    []Size    `json:"extent_parts"` // those of no bytes are left out
	Docs     []Payload `json:"docs_codecs"`
	Freqs    []Payload `json:"freqs_codecs"`

	parts       []int64 // of extentParts
	docs, freqs [1 << 8]Payload
}

// extentParts are the parts in the order in which they are shown.
var extentParts = []string{"header", "doc-ends", "freq-ends", "skip", "quads", "linear-regression", "hash-buckets",
	"kth-impacts", "docs", "freqs", "padding"}

// newSizes returns the sizes of the sections of s.
func newSizes(s *segment.Segment) *Sizes {
	z := &Sizes{Bytes: s.Header().FileLen, parts: make([]int64, len(extentParts))}
	for k := segment.KindSingleton; k <= segment.KindExtent; k++ {
		z.Forms = append(z.Forms, Form{Form: k.String()})
	}
	z.Sections = []Size{{"header and section table", s.Header().FrontSize()}}
	padding := int64(0)
	for _, e := range s.Header().Sections {
		z.Sections = append(z.Sections, Size{e.ID.String(), e.Length})
		padding += e.PaddedLength() - e.Length
	}
	z.Sections = append(z.Sections, Size{"padding", padding}, Size{"footer", format.FooterSize})
	return z
}

// SectionSizes returns the bytes of each section of segs together, and of what lies between sections.
func SectionSizes(segs []*segment.Segment) []Size {
	all := &Sizes{}
	for _, s := range segs {
		all.add(newSizes(s))
	}
	return all.Sections
}

// list adds a list.
func (z *Sizes) list(e segment.Entry, l *segment.List) {
	f := &z.Forms[e.Kind]
	f.Lists++
	f.Postings += uint64(e.DF)
	f.Bytes += e.Size()
	if e.Kind != segment.KindExtent {
		return
	}
	left := int64(len(l.Extent()))
	f.Bytes += left
	for _, p := range l.Layout() {
		if p.Name != "padding" {
			z.parts[slices.Index(extentParts, p.Name)] += p.Length
			left -= p.Length
		}
	}
	z.parts[len(z.parts)-1] += left
	add := func(p *Payload, s *format.Sequence) {
		p.Lists++
		p.Postings += uint64(e.DF)
		p.Bytes += int64(len(s.Payload))
	}
	add(&z.docs[l.DocsCodec], &l.Docs)
	add(&z.freqs[l.FreqsCodec], &l.Freqs)
}

// finish computes the exported fields.
func (z *Sizes) finish() {
	z.Parts, z.Docs, z.Freqs = []Size{}, []Payload{}, []Payload{}
	for i, n := range z.parts {
		if n > 0 {
			z.Parts = append(z.Parts, Size{extentParts[i], n})
		}
	}
	for id := range z.docs {
		name := codec.ID(id).String()
		if p := z.docs[id]; p.Lists > 0 {
			p.Codec = name
			z.Docs = append(z.Docs, p)
		}
		if p := z.freqs[id]; p.Lists > 0 {
			p.Codec = name
			z.Freqs = append(z.Freqs, p)
		}
	}
}

// add adds the sizes of another segment, neither of them finished.
func (z *Sizes) add(o *Sizes) {
	z.Bytes += o.Bytes
	for _, s := range o.Sections {
		i := slices.IndexFunc(z.Sections, func(x Size) bool { return x.Name == s.Name })
		if i < 0 {
			i = len(z.Sections)
			z.Sections = append(z.Sections, Size{Name: s.Name})
		}
		z.Sections[i].Bytes += s.Bytes
	}
	if z.Forms == nil {
		z.Forms = make([]Form, len(o.Forms))
		z.parts = make([]int64, len(o.parts))
	}
	for i, f := range o.Forms {
		g := &z.Forms[i]
		*g = Form{f.Form, g.Lists + f.Lists, g.Postings + f.Postings, g.Bytes + f.Bytes}
	}
	for i, n := range o.parts {
		z.parts[i] += n
	}
	join := func(to *Payload, p Payload) {
		to.Lists += p.Lists
		to.Postings += p.Postings
		to.Bytes += p.Bytes
	}
	for i := range z.docs {
		join(&z.docs[i], o.docs[i])
		join(&z.freqs[i], o.freqs[i])
	}
}
