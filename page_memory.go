package pinion

import (
	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/schema"
)

// memory is what the hits of a page refer to.
type memory struct {
	bytes    []byte
	values   []schema.Value
	spans    []Span
	passages []Passage
	budget   *budget.Budget // nil if none
}

// keep returns a copy of b.
func (m *memory) keep(b []byte) []byte {
	if cap(m.bytes)-len(m.bytes) < len(b) {
		m.bytes = make([]byte, 0, max(4096, 2*cap(m.bytes), len(b)))
	}
	from := len(m.bytes)
	m.bytes = append(m.bytes, b...)
	return m.bytes[from:len(m.bytes):len(m.bytes)]
}
