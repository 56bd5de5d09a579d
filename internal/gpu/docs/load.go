package docs

import (
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// maxTable is the greatest document length for which prepare knows the norm.
const maxTable = 1 << 26

// Most is the most documents of a snapshot. Kernels go beyond the last document in 32 bits, by
// the accumulators of a thread block, and queries may collect more keys than there are documents.
const Most uint64 = 1<<32 - 1<<20

// Load copies what queries need besides lists to a device. The documents' lengths are those of lists, too.
func (d *Docs) Load(dev cuda.Device, lists *residency.Lists) error {
	return d.LoadAfter(&Docs{dev: dev, lists: lists})
}

// LoadAfter is Load after another snapshot, whose device and lists are those of d from then on. Old has nothing on the device afterwards; what
// both have of documents stays there.
func (d *Docs) LoadAfter(old *Docs) (err error) {
	d.dev, d.lists, d.lengths = old.dev, old.lists, map[int][]kernels.Ptr{}
	defer old.Free()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if d.N > Most {
		return fmt.Errorf("%w: %d documents, %d are the most", ErrUnsupported, d.N, Most)
	}
	for i := range d.Views {
		if err := d.prepare(i, old); err != nil {
			return err
		}
	}
	if err := d.prepareLive(); err != nil {
		return err
	}
	return d.prepareCodes()
}

// prepare copies the document lengths of view i to the device, and computes norms there. Of a view that old has it takes those.
func (d *Docs) prepare(i int, old *Docs) error {
	v := &d.Views[i]
	was := slices.IndexFunc(old.Views, func(o residency.View) bool { return o.Number == v.Number })
	known := was >= 0 && len(old.Norms) > 0
	if known {
		for _, s := range v.Parts {
			d.lengths[s.Number] = old.lengths[s.Number]
			delete(old.lengths, s.Number)
		}
	}
	for f := range d.Fields {
		norms := kernels.Ptr(0)
		if known {
			at := was*len(d.Fields) + f
			norms, old.Norms[at] = old.Norms[at], 0
		}
		if err := d.prepareField(v, f, norms); err != nil {
			return err
		}
	}
	return nil
}

// prepareField makes the norms of a field in a view. Those of coded lengths are the codes, and all documents
// without lengths have one norm. The norms are those of another snapshot, with the lengths of which they are made, unless they are 0.
func (d *Docs) prepareField(v *residency.View, field int, norms kernels.Ptr) (err error) {
	own, known := &d.Fields[field], norms != 0
	if own.Even {
		d.Norms = append(d.Norms, 0)
		for _, s := range v.Parts {
			d.lists.SetLengths(s.Number, field, 0, kernels.WidthUnit, false)
		}
		return nil
	}
	size := kernels.Ptr(4)
	if own.Coded {
		size = 1
	}
	if !known {
		if norms, err = d.dev.Alloc(int64(size)*int64(v.Docs) + 64); err != nil {
			return err
		}
	}
	d.Norms = append(d.Norms, norms)
	if known && own.Coded {
		return nil // they depend on nothing else
	}
	for j := range v.Parts {
		s := &v.Parts[j]
		in, ok := s.In(field)
		if !ok {
			continue
		}
		lens, err := in.Lengths()
		if err != nil {
			return err
		}
		at := norms + size*kernels.Ptr(s.Base-v.Base)
		if own.Coded {
			err = d.prepareCodedLengths(s.Number, field, lens.Bytes()[:s.Seg.Meta().Docs], at)
		} else {
			err = d.prepareNorms(s, field, in.Info().MaxLen, lens, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepareCodedLengths copies a segment's length codes of a field to the device.
func (d *Docs) prepareCodedLengths(number, field int, codes []byte, at kernels.Ptr) error {
	d.lists.SetLengths(number, field, at, kernels.WidthCoded, false)
	return d.upload(at, codes)
}

// prepareNorms computes the norms of a segment in a field whose lengths, at most maxLen, have been checked.
func (d *Docs) prepareNorms(of *residency.Segment, field int, maxLen uint32, lens segment.LengthTable, norms kernels.Ptr) (err error) {
	s := of.Seg
	m := s.Meta()
	n := int(m.Docs)
	table := make([]float32, int(min(maxLen, maxTable))+1)
	for l := range table {
		table[l] = d.Fields[field].Scorer.Norm(uint32(l))
	}
	size := n * lens.Width()
	at := kernels.Ptr(0)
	stored := lens.Bytes()[:size]
	if own := d.lengths[of.Number]; len(own) > field && own[field] != 0 {
		at, stored = own[field], nil // there are the lengths
	} else {
		if at, err = d.dev.Alloc(int64(size) + 64); err != nil {
			return err
		}
		for len(own) <= field {
			own = append(own, 0)
		}
		own[field] = at
		d.lengths[of.Number] = own
		d.lists.SetLengths(of.Number, field, at, lens.Width(), m.ForeignLengths)
	}
	b := layout.NewBuffers(d.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(len(stored) + 4*len(table) + 256); err != nil {
		return err
	}
	if err := b.ReserveOut(4); err != nil {
		return err
	}
	p := kernels.NormParams{Table: layout.Put(b, table), Lengths: at, Norms: norms, Over: b.OutDev,
		N: uint32(n), Width: uint32(lens.Width()), TableLen: uint32(len(table))}
	from := layout.Put(b, stored)
	b.CopyIn()
	if stored != nil {
		b.Batch.Move(at, from, int64(size))
	}
	b.Batch.Fill(p.Over, 4)
	b.Batch.Launch(kernels.NormsOfLengths, (n+255)/256, 0, kernels.Bytes(&p))
	b.Batch.CopyOut(b.Out[:4], b.OutDev)
	if err := residency.Flush(d.dev, &b.Batch); err != nil {
		return err
	}
	if over := format.Uint32s(b.Out[:4])[0]; over > maxLen {
		return s.Raw().Corrupt(format.SectionDocLengths, 0, "a document has %d tokens; META says at most %d", over, maxLen)
	} else if over > 0 {
		return fmt.Errorf("a document has %d tokens: %w", over, ErrUnsupported)
	}
	return nil
}

// prepareLive copies the bitmap of the documents that are not deleted to the device, if others are.
func (d *Docs) prepareLive() (err error) {
	if !slices.ContainsFunc(d.Segments, func(s residency.Segment) bool { return s.Deletes.Count() > 0 }) {
		return nil
	}
	words := make([]uint64, d.Stride()/8)
	for i := range words {
		words[i] = ^uint64(0)
	}
	d.ClearDeleted(words)
	if d.Live, err = d.dev.Alloc(d.Stride()); err != nil {
		return err
	}
	return d.upload(d.Live, kernels.Slice(words))
}

// upload copies bytes to the device.
func (d *Docs) upload(to kernels.Ptr, from []byte) error {
	b := layout.NewBuffers(d.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(len(from) + 64); err != nil {
		return err
	}
	layout.Put(b, from)
	b.Batch.CopyIn(to, b.In[:len(from)])
	return residency.Flush(d.dev, &b.Batch)
}

// prepareCodes copies the decoded values of quad codes to the device. Without fields there are none.
func (d *Docs) prepareCodes() (err error) {
	if len(d.Fields) == 0 {
		return nil
	}
	codes := make([]float32, 0, 512*len(d.Fields))
	for _, f := range d.Fields {
		codes = f.appendCodes(codes)
	}
	if d.Codes, err = d.dev.Alloc(int64(4 * len(codes))); err != nil {
		return err
	}
	return d.upload(d.Codes, kernels.Slice(codes))
}

// appendCodes appends the values of frequency codes, inverse if lengths are coded, and the norms of length codes.
func (f *Field) appendCodes(to []float32) []float32 {
	for c := range 256 {
		tf := float32(format.DecodeTF(uint8(c)))
		if c == 255 {
			tf = float32(math.Inf(1))
		}
		if f.Coded {
			tf = 1 / tf
		}
		to = append(to, tf)
	}
	for c := range 256 {
		to = append(to, f.Scorer.Norm(format.DecodeLen(uint8(c))))
	}
	return to
}
