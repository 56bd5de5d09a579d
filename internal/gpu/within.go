package gpu

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Execute answers queries as Executor.Execute does, but only with documents that pass filter i: the results are those of
// queries whose Filter is its bitmap, but the device answers them. Their own Filter must be nil. Options.CPU
// answers what the device cannot, with the same documents.
func (b *FilterBits) Execute(ctx context.Context, i int, queries []search.Query) ([]search.Result, error) {
	ctx = orBackground(ctx)
	if err := b.enter(i); err != nil {
		return nil, err
	}
	defer b.leave()
	for n := range queries {
		if queries[n].Filter != nil {
			return nil, &search.NumberError{Number: n, Err: fmt.Errorf("%w: gpuload: a query with a Filter under another", query.ErrInvalid)}
		}
	}
	e := &execution{x: b.x, ctx: ctx, queries: queries, results: make([]search.Result, len(queries)), within: &within{b, i}}
	return e.execute()
}

// within are the documents that may be hits of an execution's queries; nil stands for all.
type within struct {
	bits *FilterBits
	i    int
}

// of restricts a plan, or marks it for the CPU.
func (w *within) of(p *plan) {
	if w == nil {
		return
	}
	p.within = w.bits.at + kernels.Ptr(w.i*w.bits.stride)
	if p.ask != nil && p.ask.filters() {
		p.leave(reasonTwice)
	}
}

// filter restricts queries of the CPU, which it owns.
func (w *within) filter(ctx context.Context, queries []search.Query) error {
	if w == nil || w.bits.x.options.CPU == nil {
		return nil
	}
	words, err := w.bits.appendWords(ctx, nil, w.i)
	if err != nil {
		return err
	}
	bits := docset.NewGlobal(docset.FromWords(words))
	for i := range queries {
		queries[i].Filter = bits
	}
	return nil
}
