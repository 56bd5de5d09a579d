// Package store has the interface of the file systems that indexes are in, and the errors that calls of all packages
// match.
//
// An index is a flat directory of immutable files, of which a writer holds a lock. Programs that keep indexes elsewhere
// than in directories of the local file system (Dir) implement FS, or ReadFS if they only read, and give that to pinion.OpenFS
// and to packages reader and writer.
package store
