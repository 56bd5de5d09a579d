// Package mending mends the damaged segments of an index directory, by what is left of them and what the others know. It is apart
// from package indexdir, since who opens an index has no need of it.
package mending

import (
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/store"
)

// Mend is salvage.Mend as an indexdir.Mender.
func Mend(name string, d store.Data, known indexdir.Known) (indexdir.Mended, error) {
	m, err := salvage.Mend(name, d, salvage.Known(known))
	if err != nil {
		return indexdir.Mended{}, err
	}
	return indexdir.Mended{Mends: m.Mends, Whole: m.Whole, Open: m.Open}, nil
}
