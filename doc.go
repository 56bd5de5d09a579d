// Package pinion keeps an index for a program that searches while it changes: Open gives an
// Index, whose Add and Delete become visible to Search within a tenth of a second and durable
// within a second, unless Options say otherwise. It does what every server would: it has
// the one writer of the directory, publishes, commits and merges, goes on to the newest state
// by itself, and remembers the pages that were asked for.
//
//	index, err := pinion.Open(ctx, "news.idx", pinion.Options{})
//	err = index.Add(ctx, pinion.Text("1", "no rose without a thorn"))
//	page, err := index.Search(ctx, pinion.Request{Query: pinion.Match{Text: "rose"}})
//
// Packages writer, reader and query have what lies below, for programs that build an index
// once, or search one that another process changes.
//
// The files:
//
//	options.go  Options and what they mean by default
//	index.go    Open, Close, Backup
//	write.go    Add, Delete, Sync, and what waits for them
//	loop.go     the goroutine that publishes, commits and goes on to the newest state
//	view.go     View and Search
//	types.go    names for what other packages have
//	cache.go    pages that were asked for
//	event.go    what Options.Observe is told
package pinion
