package query

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/exec"
)

func init() {
	exec.Of = func(s any) (any, error) {
		own, err := s.(*Searcher).Retain()
		if err != nil {
			return nil, err
		}
		e, err := own.engine.Tasks()
		if err != nil {
			return nil, errors.Join(err, own.Close())
		}
		return &tasks{e, own}, nil
	}
}

// tasks implements exec.Engine.
type tasks struct {
	*engine.Tasks
	s *Searcher
}

var _ exec.Engine[Query, Hit] = (*tasks)(nil)

func (e *tasks) Searcher() any { return e.s }

func (e *tasks) Close() error {
	e.Tasks.Close()
	return e.s.Close()
}

func (e *tasks) Begin(ctx context.Context, x exec.Query, q *Query) {
	own := q.engine()
	e.Tasks.Begin(ctx, x, &own)
}

func (e *tasks) AppendHits(x exec.Query, dst []Hit) ([]Hit, error) {
	return engine.AppendTaskHits(x, dst)
}
