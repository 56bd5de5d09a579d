package httpapi

import (
	"context"

	"github.com/pinion-index/pinion/internal/budget"
)

// Memory limits what the answers that a program makes hold together, as Options.MaxHeld does for a Server: programs that answer in
// other ways, over another protocol, say, have one. It is safe for concurrent use.
type Memory struct{ pool *budget.Pool }

// NewMemory returns a Memory of so many bytes.
func NewMemory(limit int64) *Memory { return &Memory{budget.NewPool(limit)} }

// Begin returns a context for what makes an answer of up to so many bytes: pages of package pinion, counts of facets and Hold take of
// the Memory, until release gives all of it back. What takes too much fails with an error of which ErrorOf says CodeTooLarge, or
// CodeBusy if others hold what it needs.
func (m *Memory) Begin(ctx context.Context, most int64) (_ context.Context, release func()) {
	b := m.pool.Budget(most)
	return budget.With(ctx, b), b.Release
}

// Held returns how many bytes are held.
func (m *Memory) Held() int64 { return m.pool.Held() }

// Hold takes n bytes beside the answer that is made with a context, of Memory.Begin or of a request that a Server has a Backend answer.
// The error is as there. Of another context it takes nothing.
func Hold(ctx context.Context, n int) error { return budget.Of(ctx).Hold(n) }
