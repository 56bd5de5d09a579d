package ocis

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pinion-index/pinion/reader"
)

// terms is where the terms of fields are looked up.
type terms interface {
	Field(name string) (*reader.SnapshotField, bool)
}

// matching returns the docIDs of what has a term in a field that begins with prefix and goes on as a pattern says. It
// looks at all terms with the prefix, so that it finds as many as there are, where a query stops.
func matching(in terms, field, prefix, pattern string) (docs []uint32, err error) {
	f, ok := in.Field(field)
	if !ok {
		return docs, nil
	}
	literal := pattern[:strings.IndexAny(pattern, "*?")]
	expression := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	matches, err := regexp.Compile(`(?s)^` + expression + `$`)
	if err != nil {
		return nil, fmt.Errorf("%w: pattern %.40q: %w", ErrQuery, pattern, err)
	}
	all := f.Terms([]byte(prefix + literal))
	for all.Next() {
		if !matches.Match(all.Term()[len(prefix):]) {
			continue
		}
		for p, err := range f.Postings(all.Term()) {
			if err != nil {
				return nil, err
			}
			docs = append(docs, p.Doc)
		}
	}
	return docs, all.Err()
}
