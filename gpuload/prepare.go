package gpuload

import (
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// maxTable is the greatest document length for which prepare knows the norm.
const maxTable = 1 << 26

// mostDocs is the most documents of a snapshot. Kernels go beyond the last document in 32 bits, by
// the accumulators of a thread block, and queries may collect more keys than there are documents.
const mostDocs uint64 = 1<<32 - 1<<20

// prepare copies the document lengths and the live documents of view i to the device, and
// computes norms there.
func (x *Executor) prepare(i int) error {
	for f := range x.fields {
		if err := x.prepareField(i, f); err != nil {
			return err
		}
	}
	x.live = append(x.live, 0)
	return x.prepareLive(i)
}

// prepareField makes the norms of a field in view i. Those of coded lengths are the codes, and all documents
// without lengths have one norm.
func (x *Executor) prepareField(i, field int) error {
	v, own := &x.views[i], &x.fields[field]
	if own.even {
		x.norms = append(x.norms, 0)
		for j := range v.Parts {
			x.lists.SetLengths(v.First+j, field, 0, kernels.WidthUnit, false)
		}
		return nil
	}
	size := kernels.Ptr(4)
	if own.coded {
		size = 1
	}
	norms, err := x.dev.Alloc(int64(size)*int64(v.Docs) + 64)
	if err != nil {
		return err
	}
	x.norms = append(x.norms, norms)
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
		if own.coded {
			err = x.prepareCodedLengths(v.First+j, field, lens.Bytes()[:s.Seg.Meta().Docs], at)
		} else {
			err = x.prepareNorms(v.First+j, field, in.Info().MaxLen, lens, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepareCodedLengths copies a segment's length codes of a field to the device.
func (x *Executor) prepareCodedLengths(number, field int, codes []byte, at kernels.Ptr) error {
	x.lists.SetLengths(number, field, at, kernels.WidthCoded, false)
	b := layout.NewBuffers(x.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(len(codes) + 64); err != nil {
		return err
	}
	layout.Put(b, codes)
	b.Batch.CopyIn(at, b.In[:len(codes)])
	return residency.Flush(x.dev, &b.Batch)
}

// prepareNorms computes the norms of a segment in a field whose lengths, at most maxLen, have been checked.
func (x *Executor) prepareNorms(number, field int, maxLen uint32, lens segment.LengthTable, norms kernels.Ptr) error {
	s := x.segments[number].Seg
	m := s.Meta()
	n := int(m.Docs)
	table := make([]float32, int(min(maxLen, maxTable))+1)
	for l := range table {
		table[l] = x.fields[field].scorer.Norm(uint32(l))
	}
	size := n * lens.Width()
	at, err := x.dev.Alloc(int64(size) + 64)
	if err != nil {
		return err
	}
	x.lengths = append(x.lengths, at)
	x.lists.SetLengths(number, field, at, lens.Width(), m.ForeignLengths)
	b := layout.NewBuffers(x.dev, new(layout.Peak))
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
	if err := residency.Flush(x.dev, &b.Batch); err != nil {
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
func (x *Executor) prepareLive(i int) (err error) {
	v := &x.views[i]
	if !slices.ContainsFunc(v.Parts, func(s residency.Segment) bool { return s.Deletes.Count() > 0 }) {
		return nil
	}
	bits := make([]uint32, (v.Docs+31)/32)
	for w := range bits {
		bits[w] = ^uint32(0)
	}
	for _, s := range v.Parts {
		for d := range s.Seg.Meta().Docs {
			if s.Deletes.Has(d) {
				at := s.Base - v.Base + d
				bits[at/32] &^= 1 << (at % 32)
			}
		}
	}
	if x.live[i], err = x.dev.Alloc(int64(4*len(bits)) + 64); err != nil {
		return err
	}
	b := layout.NewBuffers(x.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(4*len(bits) + 64); err != nil {
		return err
	}
	layout.Put(b, bits)
	b.Batch.CopyIn(x.live[i], b.In[:4*len(bits)])
	return residency.Flush(x.dev, &b.Batch)
}

// prepareCodes copies the decoded values of quad codes to the device.
func (x *Executor) prepareCodes() (err error) {
	codes := make([]float32, 0, 512*len(x.fields))
	for _, f := range x.fields {
		codes = f.appendCodes(codes)
	}
	size := 4 * len(codes)
	if x.codes, err = x.dev.Alloc(int64(size)); err != nil {
		return err
	}
	b := layout.NewBuffers(x.dev, new(layout.Peak))
	defer b.Close()
	if err := b.ReserveIn(size + 64); err != nil {
		return err
	}
	layout.Put(b, codes)
	b.Batch.CopyIn(x.codes, b.In[:size])
	if err := x.dev.Submit(&b.Batch); err != nil {
		return err
	}
	return x.dev.Wait(0)
}

// appendCodes appends the values of frequency codes, inverse if lengths are coded, and the norms of length codes.
func (f *field) appendCodes(to []float32) []float32 {
	for c := range 256 {
		tf := float32(format.DecodeTF(uint8(c)))
		if c == 255 {
			tf = float32(math.Inf(1))
		}
		if f.coded {
			tf = 1 / tf
		}
		to = append(to, tf)
	}
	for c := range 256 {
		to = append(to, f.scorer.Norm(format.DecodeLen(uint8(c))))
	}
	return to
}
