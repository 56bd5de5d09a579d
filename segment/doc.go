// Package segment gives typed views of one immutable segment file and builds
// such files: term dictionary, posting lists, document lengths, external ids and
// stored text. format/FORMAT.md specifies the bytes.
//
// A Segment over mapped memory copies no payload. Everything read from the file
// is checked before it is used; what contradicts the specification is an error of
// kind format.ErrCorrupt that says where. Open costs the same for every size and
// so does not look at content; Segment.Verify looks at all of it.
package segment
