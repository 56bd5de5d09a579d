// Package search answers a query with what a person looks at: a page of hits with their ids,
// stored values, and the passage of the text that matches best, with its words marked.
//
//	searcher, err := query.NewSearcher(snapshot, query.Options{})
//	pages, err := search.New(snapshot, searcher)
//	page, err := pages.Search(ctx, search.Request{
//		Query:   query.Match{Text: "still waters"},
//		Snippet: &search.Snippet{},
//	})
//
// The next page begins after the last hit of this one (Request.After). That stays right when
// the index changes in between: a merge changes neither the order of hits nor their scores, and
// what is added or deleted appears and disappears in its place.
//
// # Inside
//
//	search.go    Searcher, Request, Page: hits and what is shown of them
//	fields.go    the fields of an index: which can be shown, which are searched
//	words.go     the words of a query, found in a text
//	places.go    the same in long texts, with the help of the index
//	passage.go   the best passage of a text
package search
