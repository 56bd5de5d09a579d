package cli

import (
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/writer"
)

// OrderOf returns the order by a field that a manifest records, or "".
func OrderOf(m *indexdir.Manifest) writer.Order {
	if f, desc, ok := m.OrderedBy(); ok {
		return writer.OrderField(f.Name, desc)
	}
	return ""
}
