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
func (d *Docs) Load(dev cuda.Device, lists *residency.Lists) (err error) {
	d.dev, d.lists = dev, lists
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if d.N > Most {
		return fmt.Errorf("%w: %d documents, %d are the most", ErrUnsupported, d.N, Most)
	}
	for i := range d.Views {
		if err := d.prepare(i); err != nil {
			return err
		}
	}
	return d.prepareCodes()
}

// prepare copies the document lengths and the live documents of view i to the device, and
// computes norms there.
func (d *Docs) prepare(i int) error {
	for f := range d.Fields {
		if err := d.prepareField(i, f); err != nil {
			return err
		}
	}
	d.Live = append(d.Live, 0)
	return d.prepareLive(i)
}

// prepareField makes the norms of a field in view i. Those of coded lengths are the codes, and all documents
// without lengths have one norm.
func (d *Docs) prepareField(i, field int) error {
	v, own := &d.Views[i], &d.Fields[field]
	if own.Even {
		d.Norms = append(d.Norms, 0)
		for j := range v.Parts {
			d.lists.SetLengths(v.First+j, field, 0, kernels.WidthUnit, false)
		}
		return nil
	}
	size := kernels.Ptr(4)
	if own.Coded {
		size = 1
	}
	norms, err := d.dev.Alloc(int64(size)*int64(v.Docs) + 64)
	if err != nil {
		return err
	}
	d.Norms = append(d.Norms, norms)
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
			err = d.prepareCodedLengths(v.First+j, field, lens.Bytes()[:s.Seg.Meta().Docs], at)
		} else {
			err = d.prepareNorms(v.First+j, field, in.Info().MaxLen, lens, at)
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
	b := layout.NewBuffers(d.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(len(codes) + 64); err != nil {
		return err
	}
	layout.Put(b, codes)
	b.Batch.CopyIn(at, b.In[:len(codes)])
	return residency.Flush(d.dev, &b.Batch)
}

// prepareNorms computes the norms of a segment in a field whose lengths, at most maxLen, have been checked.
func (d *Docs) prepareNorms(number, field int, maxLen uint32, lens segment.LengthTable, norms kernels.Ptr) error {
	s := d.Segments[number].Seg
	m := s.Meta()
	n := int(m.Docs)
	table := make([]float32, int(min(maxLen, maxTable))+1)
	for l := range table {
		table[l] = d.Fields[field].Scorer.Norm(uint32(l))
	}
	size := n * lens.Width()
	at, err := d.dev.Alloc(int64(size) + 64)
	if err != nil {
		return err
	}
	d.lengths = append(d.lengths, at)
	d.lists.SetLengths(number, field, at, lens.Width(), m.ForeignLengths)
	b := layout.NewBuffers(d.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(len(lens.Bytes()) + 4*len(table) + 256); err != nil {
		return err
	}
	if err := b.ReserveOut(4); err != nil {
		return err
	}
	p := kernels.NormParams{Table: layout.Put(b, table), Lengths: at, Norms: norms, Over: b.OutDev,
		N: uint32(n), Width: uint32(lens.Width()), TableLen: uint32(len(table))}
	stored := layout.Put(b, lens.Bytes()[:size])
	b.CopyIn()
	b.Batch.Move(at, stored, int64(size))
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

// prepareLive copies the live documents of view i to the device, if others are deleted.
func (d *Docs) prepareLive(i int) (err error) {
	v := &d.Views[i]
	if !slices.ContainsFunc(v.Parts, func(s residency.Segment) bool { return s.Deletes.Count() > 0 }) {
		return nil
	}
	bits := make([]uint32, (v.Docs+31)/32)
	for w := range bits {
		bits[w] = ^uint32(0)
	}
	for _, s := range v.Parts {
		for doc := range s.Seg.Meta().Docs {
			if s.Deletes.Has(doc) {
				at := s.Base - v.Base + doc
				bits[at/32] &^= 1 << (at % 32)
			}
		}
	}
	if d.Live[i], err = d.dev.Alloc(int64(4*len(bits)) + 64); err != nil {
		return err
	}
	b := layout.NewBuffers(d.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(4*len(bits) + 64); err != nil {
		return err
	}
	layout.Put(b, bits)
	b.Batch.CopyIn(d.Live[i], b.In[:4*len(bits)])
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
	size := 4 * len(codes)
	if d.Codes, err = d.dev.Alloc(int64(size)); err != nil {
		return err
	}
	b := layout.NewBuffers(d.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(size + 64); err != nil {
		return err
	}
	layout.Put(b, codes)
	b.Batch.CopyIn(d.Codes, b.In[:size])
	if err := d.dev.Submit(&b.Batch); err != nil {
		return err
	}
	return d.dev.Wait(0)
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
