// Package format defines the bytes of a Pinion index: the container that every file shares,
// its section table and checksums, format versions, and the errors that reading can give.
// FORMAT.md beside this file is the specification, CODECS.md its part on codecs.
//
//	container.go version.go   header, footer, section table; versions
//	writer.go buffer.go       FileWriter writes a container; Buffer decodes fields
//	impact.go                 Quad and KthImpact: bounds on scores as values
//	errors.go                 Error: what is wrong, and where
//	align.go platform.go      words viewed in place; platforms that are refused
//
// The package does no I/O of its own: it turns values into bytes handed to an io.Writer or
// io.WriterAt, and bytes into values.
package format
