// Package store is an index directory: which files it holds, how they are named,
// mapped, locked and synced, and how one commit follows another.
//
// A directory holds segment files, deletes files (the deleted documents of one
// segment), manifests (one for each commit: the segments and deletes files that
// make up the index) and the lock file of the writer:
//
//	manifest-000000000007.pin      commit 7; the highest generation is the index
//	segment-000000000012.pin       numbers of segment and deletes files come from
//	deletes-000000000013.pin       one sequence and are never used twice
//	write.lock                     empty; held by the one writer
//	manifest-000000000008.pin.tmp  commit 8 being written; ignored
//	spool-1234.tmp                 scratch of a writer; ignored
//
// Files are immutable. A commit writes a manifest beside the old one, syncs it,
// syncs the directory, so that the entries of all files the manifest names are
// durable before it is, renames it and syncs the directory again. A crash at any
// point leaves the old commit or the new one, whole. Files that the new commit no
// longer names are removed at once unless a snapshot of this process refers to
// them. A reader in another process that was between reading a manifest and
// opening its files finds one gone and starts again from the newer manifest; its
// mapped files stay valid on Unix, and on Windows the removal fails and is
// repeated at the next commit.
//
// A manifest is renamed into place only after its content is durable. One that
// fails its checks is therefore damage, not the trace of a crash, and an error:
// falling back to an older commit would silently lose documents.
//
// Inside:
//
//	dir.go                    Dir: the newest commit, and the files that are in use
//	lock.go                   Lock: new files, Commit, sweeping
//	manifest.go, deletes.go, names.go, container.go
//	                          the files, as bytes and names
//	segment.go                opening a segment and checking it against its manifest
//	fs.go, osdir*.go          file systems: what they must do, and the local one
//	mapping.go, osmap*.go     files in memory, mapped or read
//	fault.go                  faults of mapped files as errors
package store
