package hybrid

import (
	"errors"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// TestSubmitReturns gives answers in a goroutine that does not call Submit, also of trivial queries and
// of those that the Pool refuses since it is closed.
func TestSubmitReturns(t *testing.T) {
	s, _ := newSnapshot(t)
	x := newHybrid(t, s, nil, Options{})
	for _, open := range []bool{true, false} {
		if !open {
			x.cpu.Close()
		}
		for name, q := range map[string]search.Query{"no terms": {K: 10}, "a term": {RawTerms: [][]byte{[]byte("w1")}}} {
			returned, done := make(chan struct{}), make(chan error, 1)
			if err := x.Submit(t.Context(), &q, func(_ []search.Hit, err error) {
				select {
				case <-returned:
				case <-time.After(10 * time.Second):
					t.Errorf("%s, open %v: Submit waits for the answer", name, open)
				}
				done <- err
			}); err != nil {
				t.Fatal(err)
			}
			close(returned)
			if err := <-done; open && err != nil || !open && !errors.Is(err, reader.ErrClosed) {
				t.Errorf("%s, open %v: %v", name, open, err)
			}
		}
	}
}
