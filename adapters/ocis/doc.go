// Package ocis is the search engine of ownCloud Infinite Scale, and of programs that come from it, on package pinion:
// the methods of the host's interface Engine, over files and folders of spaces, with plain types in place of the
// host's messages. README.md has the glue between the two, and what changes for the host's users.
//
//	engine, err := ocis.Open(dir, ocis.Options{})
//	err = engine.Upsert(r.ID, r)
//	found, err := engine.Search(ctx, ocis.Request{Query: []ocis.Node{ocis.String{Key: "name", Value: "*.pdf"}}, RootID: root})
//
// The host parses what people type (KQL) with its own parser and gives the result as a list of Nodes, so that queries
// mean here what they mean there.
//
// One Engine writes to a directory. Any number of others, opened by OpenReader in the same process or in others, search
// it meanwhile.
//
// # Inside
//
//	engine.go   Engine: its life, Upsert, Purge, DocCount
//	tree.go     Move, Delete and Restore of a file, or of a folder with all below it
//	search.go   Request to Response
//	kql.go      Nodes to a tree of package query; leaf.go: what is asked of one field; wide.go: patterns that very
//	            many names match
//	record.go   Resource to the document of the index and back, and the schema
//	reader.go   an Engine that only searches
package ocis
