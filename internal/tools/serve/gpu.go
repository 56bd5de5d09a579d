package serve

import (
	"context"
	"slices"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// gpuAnswer is what a GPU and the CPU together do for a query, beside what the CPU alone has answered.
type gpuAnswer struct {
	Answers string // which processors answer
	Took    string // of the search; empty if the Executor did not take it
	Hits    int
	Differ  bool   // its hits are others than those of the CPU
	Plan    string // who would answer, and why
}

// askGPU answers a query with an Executor, and compares the hits with those of the CPU, which the page shows.
func (a *found) askGPU(ctx context.Context, gpu *gpuload.Executor, x *source) error {
	r := pinion.Request{Query: a.node, Limit: a.K, After: a.after}
	if a.by != nil {
		r.Sort = []pinion.Sort{{Field: a.by[0].Field, Desc: a.by[0].Desc}}
	}
	began := time.Now()
	pages, err := gpu.Execute(ctx, x.snapshot, []pinion.Request{r})
	if err != nil {
		return err
	}
	own := &gpuAnswer{Answers: gpu.Answers()}
	if p := pages[0]; p != nil {
		own.Took, own.Hits = cli.Seconds(time.Since(began)), len(p.Hits)
		own.Differ = !slices.EqualFunc(p.Hits, a.hits, func(h pinion.Hit, of search.Hit) bool { return h.Doc == of.Doc && h.Score == of.Score })
	}
	if own.Plan, err = gpu.Explain(ctx, x.snapshot, r); err != nil {
		return err
	}
	a.GPU = own
	return nil
}

// Warm has the Executor of the options open devices for the index, as a first search does.
func (s *Server) Warm(ctx context.Context) error {
	v, end := s.view()
	defer end()
	if v.gpu == nil || v.main.searcher == nil {
		return nil
	}
	_, err := v.gpu.Execute(ctx, v.main.snapshot, []pinion.Request{{Query: query.All{}, Limit: 1}})
	return err
}
