package gpu

import (
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/kernels"
)

// modules says which kernels an Executor needs.
type modules struct {
	docs     *docs.Docs
	asStored bool
	impacts  bool // there are fields of impacts
	vectors  bool // there are fields of vectors
}

// stored returns the codecs of the lists that are loaded.
func (m *modules) stored() kernels.CodecSet {
	stored := kernels.CodecsOf(kernels.Raw, kernels.BP128)
	for i := range m.docs.Segments {
		if len(m.docs.Views) < len(m.docs.Segments) {
			break // lists are joined in bp128
		}
		meta := m.docs.Segments[i].Seg.Meta()
		for c := range uint8(64) {
			if (meta.DocsCodecs|meta.FreqsCodecs)>>c&1 != 0 && kernels.Decodable(c) {
				stored |= kernels.CodecsOf(c)
			}
		}
	}
	return stored
}

// kernels returns the kernels that loading lists and ranked queries use, but for those of few queries.
func (m *modules) kernels() []kernels.Kernel {
	stored := m.stored()
	cut, task := kernels.CutTiles, kernels.RankDocs
	if m.docs.Fielded() {
		cut, task = kernels.CutTilesFields, kernels.RankInFields
	}
	ks := []kernels.Kernel{kernels.CheckLists, kernels.For(kernels.CheckPostings, stored)}
	resident := stored
	if !m.asStored {
		resident &= kernels.CodecsOf(kernels.Raw, kernels.BP128, kernels.BP256, kernels.VByte1024) // others are recoded
	}
	if resident != stored {
		ks = append(ks, kernels.For(kernels.MeasurePostings, stored))
	}
	if m.impacts {
		ks = append(ks, kernels.AddImpacts, kernels.CheckImpacts)
	}
	if m.vectors {
		ks = append(ks, kernels.NearScan, kernels.CheckImpacts)
	}
	return append(ks, cut, kernels.For(task, resident), kernels.SelectBest, kernels.For(kernels.MarkPostings, resident))
}

// all returns one kernel or more of each module that a query may need, also those of few queries, of lists of
// only some of the codecs, and of the Stepper.
func (m *modules) all() []kernels.Kernel {
	tasks := []kernels.Task{kernels.CheckPostings, kernels.MeasurePostings, kernels.RecodePostings, kernels.MarkPostings, kernels.SetPostings,
		kernels.Intersect, kernels.FindElements, kernels.RankDocs, kernels.AddDocs}
	if m.docs.Fielded() {
		tasks = append(tasks[:len(tasks)-2], kernels.RankInFields, kernels.AddInFields)
	}
	ks := append(m.kernels(), kernels.CombineSets, kernels.GatherDocs, kernels.DisjunctClauses)
	for _, t := range tasks {
		ks = append(ks, kernels.Variants(t, m.stored())...)
	}
	return ks
}
