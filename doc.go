// Package pinion keeps an index for a program that searches while it changes: Open gives an
// Index, whose Search sees what Add and Delete have returned for, and whose changes are normally durable
// within a second, unless Options say otherwise. It does what every server would: it has
// the one writer of the directory, publishes, commits and merges, goes on to the newest state
// by itself, and remembers the pages that were asked for.
//
//	index, err := pinion.Open(ctx, "news.idx", pinion.Options{})
//	err = index.Add(ctx, pinion.Text("1", "no rose without a thorn"))
//	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: "rose"}})
//
// OpenReader gives a Reader, which searches an index that another process changes, and OpenSource one of files elsewhere.
//
// The next page begins after the last hit of this one (Request.After). That stays right when the index changes in between: a
// merge changes neither the order of hits nor their scores, also in an index that keeps an order, and what is added or deleted
// appears and disappears in its place.
//
// Packages writer, reader and query have what lies below, for programs that build an index once.
package pinion

// The files:
//
//	options.go  Options and what they mean by default
//	index.go    Open, Close, Backup
//	write.go    Add, Delete, Sync, and what waits for them
//	loop.go     the goroutine that publishes, commits and goes on to the newest state
//	view.go     View and Search
//	ask.go      Searcher: Count, All, Suggest, Len
//	like.go     Like: the query for similar documents
//	batch.go    Batch and Apply
//	doc_*.go    Doc, Hit and Passage by the names of fields, Get, and structs in their place
//	request.go  Request, Page, Hit: hits and what is shown of them
//	fuse.go     Fuse and Rescore: one ranked list of several queries, and the best hits in another order; rank.go finds it
//	facet.go    Sort, Static, Facet: what is asked of columns; stats.go: figures
//	part*.go    a request to a part of a collection, and the page of all parts
//	page*.go    what makes a page: the fields of an index, memory of hits, nearest vectors, where the next page begins
//	passage*.go the words of a query, found in a text, and the best passage
//	reader.go   OpenReader, OpenSource: an index that others change
//	front.go    what answers searches of both
//	executor.go Executor: what answers in place of the CPU
//	embed*.go   Embed: vectors of texts, each embedded once
//	cache.go    pages that were asked for
//	event.go    what Options.Observe is told
