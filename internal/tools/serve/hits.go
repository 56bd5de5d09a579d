package serve

import (
	"errors"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// asHits returns hits as pinion.View.Show takes them.
func asHits(hits []search.Hit) []pinion.Hit {
	all := make([]pinion.Hit, len(hits))
	for i, h := range hits {
		all[i] = pinion.Hit{Doc: h.Doc, Score: h.Score}
	}
	return all
}

// refused reports whether an error says that the index cannot answer a query.
func refused(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, query.ErrInvalid) || errors.Is(err, query.ErrTooManyTerms)
}
