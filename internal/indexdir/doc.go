// Package indexdir manages an index directory: its files and their names,
// locking and syncing them, and committing.
//
// A directory holds segment files, deletes files (the deleted documents of one
// segment), values files (values of one that were changed in place), manifests (one
// for each commit: the files that make up the index) and the lock file of the writer:
//
//	manifest-000000000007.pin      commit 7; the one of the highest number is the index
//	mirror-000000000007.pin        the same content; either of the two suffices
//	old-manifest-000000000006.pin  a superseded commit that is kept, or whose files
//	old-mirror-000000000006.pin    may not be durably gone
//	segment-000000000012.pin       numbers of segment, deletes and values files come
//	deletes-000000000013.pin       from one sequence and are never used twice
//	values-000000000015.pin
//	segment-000000000014.pin.tmp   not committed, or not renamed since
//	write.lock                     empty; held by the one writer
//	manifest-000000000008.pin.tmp  commit 8 being written; ignored
//	spool-1234.tmp                 scratch of a writer; ignored
//	quarantine                     files that no commit accounts for; ignored
//
// Files are immutable. A commit writes the two files of its manifest under temporary
// names; syncs them, the files that it names, and the directory, all at once; renames
// the two; and syncs the directory again. A crash at any point leaves either the old
// or the new commit, complete: both files have their content before one of them has its
// name, and one of them suffices. Only then are the commit's files renamed to their
// final names, which need not be durable since readers look for both names.
//
// So a file under its final name was committed once, and one under a temporary name
// that no manifest names was not. The next writer removes the latter. Of the former it
// removes those that superseded commits name, which is why their manifests stay until
// the files are gone for good; others go to quarantine. Files in use by a snapshot of
// this process stay until it is released. They go then, or with the next writer
// if another process is writing or has committed: nothing is removed without the write
// lock. If a reader in another process has read a manifest and finds one of its files
// removed, it starts again from the newer manifest. Files that it has mapped stay valid
// on Unix; on Windows the removal fails and is repeated at the next commit.
//
// Locking a new directory commits an empty manifest before any other file is created.
// Temporary files that were there before move to quarantine. So no crash leaves committed
// files of an index without a manifest, a manifest of which both files are damaged, or
// committed files newer than the newest manifest. These are damage, and opening the index
// is an error: falling back to an older commit would silently lose documents. Inspect,
// Rebuild and Repair find what can be had.
//
// Inside:
//
//	dir.go                    Dir: the newest commit, and the files in use
//	commit.go                 Commit: files that are kept
//	register.go               which commit is the newest: loaded, and swapped for the next
//	lock.go, output.go        Lock: new files, Commit
//	sweep.go                  what a Lock finds at first, and what it removes
//	publish.go                what this process sees before it is committed
//	inspect.go, mend.go       what is left of a damaged index
//	repair.go                 and what can be made of it
//	backup.go, perm.go        copies of a commit, and who may read files
//	manifest.go, deletes.go, values.go, names.go, container.go
//	                          names and contents of the files
//	segment.go                opening a segment and checking it against its manifest
//	order.go                  checking the order of its documents
//	access.go                 in which way files get into memory
//	fault.go                  faults of mapped files as errors
package indexdir
