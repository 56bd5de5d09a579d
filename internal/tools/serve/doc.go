// Package serve is the web server of `idxinspect serve`: pages that show an index, made
// on the server from templates, with a script that adds keys and live progress. It reads
// the index and never writes. Names of files in requests are looked up among those of the
// index, never opened as paths.
//
// Every page reads a bounded part of the index, so that its time does not depend on the
// size of the index. Lists, blocks, documents and bytes are shown a page at a time.
// Checksums of whole sections are compared only by a verification.
//
//	server.go            Server: routes, rendering
//	guard.go             who may read: token, Host header, response headers
//	source.go            an open index, and what answers its queries
//	follow.go            newer commits
//	overview.go          what the index consists of
//	search.go            hits, their scores, what the query did
//	gpu.go               what a GPU does for a query
//	terms.go, list.go    the dictionary; lists and blocks
//	docs.go, marks.go    documents; the words of a query in their text
//	bytes.go             bytes and what they mean
//	compare.go           two indexes
//	verify.go            verification in the background
package serve
