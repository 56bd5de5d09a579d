package hybrid

import (
	"errors"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestStepOptions asks by costs by which the GPU is always sooner, and never, about disjunctions. What the Searcher
// cannot look up is not the GPU's.
func TestStepOptions(t *testing.T) {
	s, snapshot := newSnapshot(t)
	q := search.Query{RawTerms: [][]byte{[]byte("w1"), []byte("w2"), []byte("w1")}, K: 10, Mode: query.ModeOr}
	sooner := StepOptions(s).Sooner
	for latency, want := range map[time.Duration]bool{1: true, time.Hour: false} {
		c := newCost()
		c.small.Store(int64(latency))
		ask := c.steps(s).Sooner
		for range 2 { // the second time with memory that the first has used
			if got := ask(&q); got != want {
				t.Errorf("a GPU that takes %v is sooner: %v", latency, got)
			}
		}
	}
	if err := errors.Join(snapshot.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if sooner(&q) {
		t.Error("sooner, of a Searcher that is closed")
	}
}
