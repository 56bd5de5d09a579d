package posting

import (
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Part is one segment of the snapshot.
type Part struct {
	Seg     *reader.Segment
	Lens    bm25.Lengths
	Dense   *Cache
	Deletes *reader.Deletes // nil if none
}

// Views returns what queries read: they arm faults and hold the snapshot.
func (p *Part) Views() *segment.Segment { return p.Seg.Views(trusted.Caller{}) }
