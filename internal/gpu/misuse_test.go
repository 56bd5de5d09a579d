package gpu

import (
	"context"
	"errors"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Zero values are closed, and nil arguments are refused.
func TestZeroValues(t *testing.T) {
	var (
		none context.Context
		q    = []search.Query{{Text: "w1"}}
		x    Executor
		g    Group
		d    Device
		p    Opening
		step Stepper
	)
	_, err := p.Group()
	for what, err := range map[string]error{
		"Executor.Execute":        errOf(x.Execute(none, q)),
		"Executor.Preload":        x.Preload(none, q),
		"Executor.LoadAll":        x.LoadAll(none),
		"Executor.Ready":          x.Ready(none),
		"Executor.NewConjunction": errOf(x.NewConjunction(none, q, 0, Auto)),
		"Group.Execute":           errOf(g.Execute(none, q)),
		"Group.Ready":             g.Ready(none),
		"Group.Preload":           g.Preload(none, q),
		"Stepper.Search":          errOf(step.Search(none, q[0], nil)),
		"Opening.Group":           err,
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	p.Load()
	if p.Expect(q) || x.Resident([]byte("w1")) || x.Stats() != (Stats{}) || g.Name() != "" || d.Info() != (Info{}) {
		t.Error("a zero value does something")
	}
	if err := errors.Join(x.Close(), g.Close(), d.Close(), step.Close()); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"New without a device": errOf(New(nil, nil, Options{})),
		"NewStepper":           errOf(NewStepper(nil, nil, StepOptions{})),
	} {
		if !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }
