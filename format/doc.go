// Package format defines the bytes of a Pinion index: the container that every
// file shares, its section table and checksums, format versions, and the errors
// that reading can give. FORMAT.md beside this file is the specification.
//
// The package does no I/O of its own: it turns values into bytes handed to an
// io.Writer or io.WriterAt, and bytes into values.
package format
