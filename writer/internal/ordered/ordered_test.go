package ordered

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

var errTest = errors.New("test")

// Results come in order, the first error in order ends Run, and so does the context, whatever
// the number of threads.
func TestRun(t *testing.T) {
	const jobs = 50
	for threads := range 4 {
		for _, fail := range []struct {
			name     string
			at       int // the job at which it happens
			consumed int
			want     error
		}{{"none", -1, jobs, nil}, {"produce", 20, 20, errTest}, {"work", 20, 20, errTest}, {"consume", 20, 20, errTest}, {"context", 20, 20, context.Canceled}} {
			ctx, cancel := context.WithCancel(context.Background())
			var got []int
			err := Run(ctx, threads, 5,
				func(_ context.Context, yield func(int) bool) error {
					for i := range jobs {
						if fail.name == "produce" && i == fail.at {
							return errTest
						}
						if !yield(i) {
							return nil
						}
					}
					return nil
				},
				func() func(context.Context, int) (int, error) {
					return func(_ context.Context, i int) (int, error) {
						if fail.name == "work" && i >= fail.at {
							return 0, fmt.Errorf("job %d: %w", i, errTest)
						}
						return 2 * i, nil
					}
				},
				func(r int) error {
					if fail.name == "consume" && r == 2*fail.at {
						return errTest
					}
					got = append(got, r)
					if fail.name == "context" && len(got) == fail.at {
						cancel()
					}
					return nil
				})
			cancel()
			if !errors.Is(err, fail.want) || fail.want == nil && err != nil {
				t.Errorf("%d threads, %s: %v", threads, fail.name, err)
			}
			exact := fail.name != "context" || threads == 0 // results that are done may be consumed
			if exact && len(got) != fail.consumed || !slices.IsSorted(got) || slices.ContainsFunc(got, func(r int) bool { return r%2 > 0 }) {
				t.Errorf("%d threads, %s: %v", threads, fail.name, got)
			}
		}
	}
}
