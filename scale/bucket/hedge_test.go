package bucket

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
)

// What takes longer than the rest is asked for twice, and the first answer counts.
func TestHedge(t *testing.T) {
	w := newWorld(t, 1, 2000, lag.Model{})
	s, err := NewSource(t.Context(), w.slow, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, size, err := s.Open(w.m.Files()[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 4096)
	for i := range 40 {
		if _, err := f.ReadAt(p, int64(i)%(size-4096)); err != nil {
			t.Fatal(err)
		}
	}
	var sent atomic.Int64
	w.meter.Fail = func(ctx context.Context, _ string) error {
		if sent.Add(1) == 1 {
			<-ctx.Done() // the first answer never comes
		}
		return ctx.Err()
	}
	meter := reader.NewMeter(reader.Budget{})
	ctx := reader.WithMeter(t.Context(), meter)
	if _, err := f.(reader.ContextReaderAt).ReadAtContext(ctx, p, 0); err != nil {
		t.Fatal(err)
	}
	if u := meter.Usage(); u.Hedged != 1 || u.Requests != 2 || u.Rounds != 1 {
		t.Errorf("counted %+v", u)
	}
}
