// Package sim runs a world under one seed: writers, readers, merges, deletes, backups, crashes,
// failing and full disks over a file system in memory, every answer compared with a
// model that shares no code with the engine.
//
//	world.go    lives of the index, one after the other, and how they end
//	options.go  the options of a life's Writer: all are drawn
//	roles.go    what the goroutines of a life do
//	author.go   the model: what authors wrote, and which of it a commit may hold
//	fields.go   schemas and values: those of half of the worlds, and what they become
//	copies.go   commits kept, backup, repair, merging into another index, deletes by query
//	where.go    deletes by what documents have in columns
//	observe.go  reading a snapshot and comparing it with the model
//	query.go    random queries, compared with package oracle
//	nodes.go    queries over fields
//	trees.go    queries for trees of all kinds of nodes
//	phrases.go  phrases and words near each other
//	impacts.go  vectors of terms with weights
//	vectors.go  dense vectors, read from segments, and queries for the nearest
//	columns.go  sorting, facets, collapsing, static scores and filters, by columns
//	trace.go    a record of everything that happens
//
// The world decides everything by its seed except in which order goroutines run. As
// WebAssembly it is deterministic in that too: there, Go runs goroutines on one thread
// and switches between them only where they block or yield, and clock and random source
// come from the host, which internal/simhost drives by the seed. Folder world holds that
// program. In a native build the same seed gives other interleavings each time.
package sim
