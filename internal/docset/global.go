package docset

import "sync"

// Searched returns the set of a query.Docs, nil of the zero Docs. Package query sets it.
var Searched func(docs any) *Global

// Global is a set of documents of an index, whose docIDs go on from segment to segment. It does not change, and is safe
// for concurrent use. It keeps what the segments that were asked for have of it, which takes about as much memory again.
type Global struct {
	*Set
	mu    sync.RWMutex
	parts map[[2]uint32]*Set // by the first document of a segment and the number of its documents
	bytes uint64             // of parts
}

// NewGlobal returns s as a set of documents of an index.
func NewGlobal(s *Set) *Global { return &Global{Set: s} }

// GlobalOf is Of for documents of an index.
func GlobalOf(docs ...uint32) *Global { return NewGlobal(Of(docs...)) }

// AndGlobal returns the documents that are in both a and b.
func AndGlobal(a, b *Global) *Global { return NewGlobal(And(a.Set, b.Set)) }

// In returns the set of a segment whose docs documents begin at base, by their docIDs there.
func (g *Global) In(base, docs uint32) *Set {
	if base == 0 && g.hi <= docs {
		return g.Set
	}
	key := [2]uint32{base, docs}
	g.mu.RLock()
	part := g.parts[key]
	g.mu.RUnlock()
	if part != nil {
		return part
	}
	part = g.Slice(base, base+docs)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.parts == nil || g.bytes > 4*g.Bytes()+partsBytes { // of snapshots that nobody asks for any more
		g.parts, g.bytes = map[[2]uint32]*Set{}, 0
	}
	g.parts[key] = part
	g.bytes += part.Bytes()
	return part
}

// partsBytes is how many bytes of parts a small set keeps.
const partsBytes = 1 << 16
