// Package format defines the bytes of a Pinion index: the container format of all files
// with its section table and checksums, format versions, and the errors of reading.
// FORMAT.md in this folder is the specification; CODECS.md is its part on codecs.
//
//	container.go version.go   header, footer, section table; versions
//	sections.go               kinds of file; the table of sections
//	writer.go buffer.go       FileWriter writes a container; Buffer decodes fields
//	pagesums.go               checksums of pages
//	postings.go               Postings: docIDs and frequencies
//	impact.go                 Quad and KthImpact: bounds on scores
//	errors.go                 Error: what is wrong and where
//	align.go platform.go      words viewed in place; unsupported platforms
//
// The package opens no files: it encodes values to an io.WriterAt or a byte slice and
// decodes values from byte slices.
package format
