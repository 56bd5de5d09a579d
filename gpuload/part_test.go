package gpuload

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

// An Executor answers for a part of a collection as the CPU does, by the statistics of the collection, and is opened anew when these
// are others.
func TestExecutorPart(t *testing.T) {
	o := &opener{gate: make(chan struct{})}
	close(o.gate)
	x, index := newExecutor(t, o)
	rng := rand.New(rand.NewPCG(51, 2))
	for i := range 60 {
		text := ""
		for range 1 + rng.IntN(9) {
			text += fmt.Sprintf("w%d ", min(rng.IntN(9), rng.IntN(9)))
		}
		if err := index.Add(t.Context(), pinion.Text(fmt.Sprint("d", i), text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := index.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := index.View(t.Context(), func(v *pinion.View) error {
		var of pinion.Part
		for round := range 3 { // the others have as many documents, and twice as many
			if err := of.Collection.Add(v.Collection()); err != nil {
				return err
			}
			x.mu.Lock()
			x.rest = x.rest.Add(-1 << 40)
			x.mu.Unlock()
			answered := 0
			for i := range 40 {
				r := pinion.Request{Query: query.Match{Text: fmt.Sprintf("w%d w%d", rng.IntN(9), rng.IntN(9))}, Limit: 5, Total: i%2 == 0}
				if i%3 > 0 {
					r.After, of.After = &pinion.After{ID: fmt.Sprint("d", rng.IntN(70)), Score: rng.Float32()}, rng.IntN(3)-1
				}
				f, err := v.Frequencies(t.Context(), r.Node())
				if err != nil {
					return err
				}
				of.Frequencies = new(query.Frequencies)
				for range round + 1 {
					if err := of.Frequencies.Add(f); err != nil {
						return err
					}
				}
				want, err := v.SearchPart(t.Context(), r, of)
				if err != nil {
					return err
				}
				got, err := x.ExecutePart(t.Context(), v.Snapshot(), r, of)
				if err = errors.Join(err, x.Ready(t.Context())); err != nil {
					return err
				}
				if got == nil {
					continue
				}
				answered++
				same := len(got.Hits) == len(want.Hits) && got.Total == want.Total
				for k := range got.Hits {
					same = same && got.Hits[k].Doc == want.Hits[k].Doc && got.Hits[k].Score == want.Hits[k].Score
				}
				if !same {
					t.Errorf("%+v after %d: %+v, want %+v", r, of.After, got, want.Page)
				}
			}
			if answered < 30 {
				t.Errorf("%d of 40 requests answered, by the statistics of %d documents", answered, of.Collection.Docs)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
