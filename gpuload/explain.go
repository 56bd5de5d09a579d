package gpuload

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Explain returns how a request over a snapshot would be answered now, as lines for people: that the CPU answers, and why, or what a
// GPU does for it and how long both are predicted to take. Of a request with Rescore it is the first search, of one with Fuse each
// list. The request is not answered. Like a search it has devices opened for the snapshot. The error is that of ctx, or says what is wrong with the request; it matches ErrClosed after Close.
func (x *Executor) Explain(ctx context.Context, s *reader.Snapshot, r pinion.Request) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if r.Synonyms != nil {
		var err error
		if r, err = r.Rewritten(s.Schema()); err != nil {
			return "", err
		}
	}
	if r.Fuse != nil {
		var lines strings.Builder
		for i, l := range r.Fuse.Lists {
			text, err := x.Explain(ctx, s, pinion.Request{Query: l.Query, Typos: r.Typos, Filter: r.Filter, Limit: cmp.Or(l.K, pinion.DefaultRanked), K1: r.K1, B: r.B, Scorer: r.Scorer})
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&lines, "list %d:\n%s", i, text)
		}
		return lines.String(), nil
	}
	if m, ok := r.Query.(query.Match); ok && m.Mode == query.ModeAndOr && (r.Filter != nil || m.Typos || r.Typos) {
		return "CPU, nodes: mode and-or under a filter or with slips is two searches\n", nil
	}
	r.Query, r.Filter, r.Limit = r.Node(), nil, cmp.Or(r.Limit, query.DefaultK)+r.Offset
	if r.Rescore != nil {
		r.Limit = max(r.Limit, cmp.Or(r.Rescore.N, pinion.DefaultRanked))
	}
	q, why := queryOf(&r, s)
	if why != gpu.OnDevice {
		return hybrid.Plan{Why: why}.String(), nil
	}
	on, err := x.over(ctx, s, nil)
	if err != nil {
		return "", err
	}
	if on == nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		_, text := x.answers()
		return fmt.Sprintf("%v%s\n", hybrid.Plan{Why: gpu.ReasonNoDevice}, text), nil
	}
	p, err := on.Plan(ctx, q)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}
