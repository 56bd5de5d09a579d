package hybrid

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// TestStepOptions asks models by which the GPU is always sooner, and never, about disjunctions. Rules are the
// Model's, and what the Searcher cannot look up is not the GPU's.
func TestStepOptions(t *testing.T) {
	s, snapshot := newSnapshot(t)
	q := query.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w2"), []byte("w1")}, K: 10, Mode: query.Or}
	var last gpuload.StepOptions
	for _, sooner := range []bool{false, true} {
		m := &Model{Version: ModelVersion, Modes: map[string]*Polynomials{}, Steps: gpuload.StepRule{Work: 77}}
		for i := range m.byMode {
			p := &Polynomials{CPU: make([]float64, DingBasis), GPU: make([]float64, DingBasis)}
			p.CPU[0], p.GPU[0] = 15, 16
			if sooner {
				p.CPU[0] = 17
			}
			m.Modes[query.Mode(i).String()] = p
		}
		if err := m.Prepare(); err != nil {
			t.Fatal(err)
		}
		o := m.StepOptions(s)
		if o.Rule != m.Steps {
			t.Errorf("rule %+v, want %+v", o.Rule, m.Steps)
		}
		for range 2 { // the second time with memory that the first has used
			if got := o.Sooner(&q); got != sooner {
				t.Errorf("sooner: %v, want %v", got, sooner)
			}
		}
		last = o
	}
	if err := errors.Join(snapshot.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if last.Sooner(&q) {
		t.Error("sooner, of a Searcher that is closed")
	}
}
