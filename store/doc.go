// Package store manages an index directory: its files and their names, mapping,
// locking and syncing them, and committing.
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
// Files are immutable. A commit writes a manifest under a temporary name and syncs
// it; syncs the directory, so that the entries of all files that the manifest names
// are durable before the manifest is; renames the manifest; and syncs the directory
// again. A crash at any point leaves either the old or the new commit, complete.
// Files that the new commit no longer names are removed at once unless a snapshot of
// this process uses them. If a reader in another process has read a manifest and
// finds one of its files removed, it starts again from the newer manifest. Files that
// it has mapped stay valid on Unix; on Windows the removal fails and is repeated at
// the next commit.
//
// A manifest is renamed only after its content is durable. A manifest that fails its
// checks is therefore damaged, not left by a crash, and opening it is an error:
// falling back to an older commit would silently lose documents.
//
// Inside:
//
//	dir.go                    Dir: the newest commit, and the files in use
//	lock.go                   Lock: new files, Commit, sweeping
//	manifest.go, deletes.go, names.go, container.go
//	                          names and contents of the files
//	segment.go                opening a segment and checking it against its manifest
//	fs.go, osdir*.go          the file system interface, and the local file system
//	mapping.go, osmap*.go,    files mapped or read into memory
//	access.go, ospages*.go    in which way
//	fault.go                  faults of mapped files as errors
package store
