// Package bucket keeps an index in a bucket of object storage: S3, Google Cloud Storage,
// Azure, a directory or memory, whatever gocloud.dev/blob opens.
//
// Below the bucket's prefix lie
//
//	manifests/001ffffffffffff8.pin   commit 7: a manifest (reader.Manifest), under
//	                                 the hexadecimal digits of format.MaxFileNumber-7
//	segments/ID.pin                  a segment, ID being the id in its header
//	deletes/SEGMENT-ID.pin           deleted documents of a segment: its id and the file's own
//	values/SEGMENT-ID.pin            values of it that were changed in place: the same
//
// The newest commit sorts first, so that a listing of one key finds it. Every object is
// created only if it is absent, and none is changed. A commit is the creation of its
// manifest: of several writers that try to make the same commit one succeeds, and the others
// start again from what it committed. A manifest names segments by their ids; the numbers of files
// that it also has are names in the directory of whoever reads it.
//
// Inside:
//
//	layout.go   names of objects
//	url.go      buckets by their URLs
//	writer.go   Writer: batches of documents and deletes
//	commit.go   and how they become commits
//	merge.go    merges, also of those that others have overtaken
//	checkout.go commits of a directory
//	mirror.go   local directories of commits
//	object.go   requests
//	sweep.go    what is removed
//	copy.go     Import and Export
//	parts.go    Upload, Download and Publish: an index of parts made elsewhere
package bucket
