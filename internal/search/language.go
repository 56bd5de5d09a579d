package search

import "github.com/pinion-index/pinion/query"

// ParseText is query.Parse for the schema of the Searcher's index.
func (s *Searcher) ParseText(text string) (query.Node, error) {
	if err := s.parser.check(); err != nil {
		return nil, err
	}
	return query.Parse(s.parser.Schema, text)
}

// ParseLenient is query.ParseLenient for the schema of the Searcher's index.
func (s *Searcher) ParseLenient(text string) query.Typed {
	if s.parser.check() != nil {
		return query.Typed{Node: query.Match{Text: text}, Words: []string{text}}
	}
	return query.ParseLenient(s.parser.Schema, text)
}
