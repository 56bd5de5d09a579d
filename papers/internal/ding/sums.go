package ding

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/papers/internal/gpubench"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/papers/internal/resident"
)

// The rows of the global prefix sum (section 6), beside which localized ones are measured
// again: the two compare within a run.

func init() { table1.Own, figure4.Own = ownTable1, ownFigure4 }

// sums are the times of docIDs by localized prefix sums and by a global one over each list.
type sums struct {
	local, global gpubench.DecodeTimes
	bytes         float64 // that the latter moves, for one that the former does
}

// sumsOf measures both on encoded lists; the CPU's docIDs are those to find.
func sumsOf(e *paper.Env, x *codecbench.Encoded, lists []format.Postings) (s sums, err error) {
	if s.local, err = e.OnDevice(x); err != nil {
		return s, err
	}
	m := resident.On(e.Device)
	defer func() { err = errors.Join(err, m.Close()) }()
	s.global, err = e.OnDeviceThen(asGaps(x), func(out kernels.Ptr, starts []int) (gpubench.Step, error) {
		lengths := make([]int, len(lists))
		for i, l := range lists {
			lengths[i] = len(l.Docs)
		}
		p, err := resident.NewPrefix(m, out, starts, lengths)
		return gpubench.Step{Enqueue: func(g *cuda.Batch) { p.Enqueue(g) }, Want: func(i int) []uint32 { return lists[i].Docs }}, err
	})
	read := float64(x.Bytes())
	s.bytes = (read + 12*total(lists)) / (read + 4*total(lists))
	return s, err
}

// rows returns the rows of n docIDs.
func (s *sums) rows(series, at string, x, n float64) []paper.Row {
	row := func(metric, series string, v float64, unit string) paper.Row {
		return paper.Row{Metric: metric, Series: series, At: at, X: x, Value: v, Unit: unit}
	}
	return []paper.Row{row(decoding, series, n/s.global.Kernel/1e6, "M ints/s"), row(decoding, series+", with the launches", n/s.global.Call/1e6, "M ints/s"),
		row(overLocal, "kernels", s.global.Kernel/s.local.Kernel, "times"), row(overLocal, "with the launches", s.global.Call/s.local.Call, "times"),
		row(overLocal, "bytes moved", s.bytes, "times")}
}

func ownTable1(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	lists, err := lists1(e)
	if err != nil {
		return nil, err
	}
	err = each1(ctx, e, func(c codec1, x *codecbench.Encoded, n float64) error {
		if !c.gpu {
			return nil
		}
		s, err := sumsOf(e, x, lists)
		rows = append(rows, s.rows("GPU, docIDs by a global sum", c.name, 0, n)...)
		return err
	})
	return rows, err
}

func ownFigure4(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	err = byLength(ctx, e, func(at string, x float64, list *codecbench.Encoded, docs []format.Postings) error {
		s, err := sumsOf(e, list, docs)
		rows = append(rows, s.rows("GPU+global sum", at, x, x)...)
		return err
	})
	return rows, err
}
