// Package gitea is the code indexer of Gitea on package pinion: the methods of the host's interface Indexer, over the
// files of repositories, with plain types in place of the host's. README.md has the glue between the two, and what changes
// for the host's users.
//
//	x := gitea.New(dir, gitea.Options{Recognize: recognize})
//	existed, err := x.Init(ctx)
//	err = x.Index(ctx, repo.ID, sha, changes, blobs)
//	found, err := x.Search(ctx, gitea.Request{Keyword: "NewIndexer", Take: 20})
//
// The host keeps git, and what it knows of languages and encodings.
//
// One Indexer writes to a directory. Any number of Readers, in the same process or in others, search it meanwhile.
//
// # Inside
//
//	indexer.go  Indexer: its life, Index, Delete
//	file.go     a file as a document of the index, and the schema
//	search.go   Request to Found; Reader, which only searches
//	keyword.go  what people type to a tree of package query
//	lines.go    the part of a file that a hit shows
package gitea
