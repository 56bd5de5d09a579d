package format

import "fmt"

// Version is the version of a file's format. While the major version is 0, each minor version
// is a format that older readers may misread, so they refuse it.
type Version struct {
	Major uint16 // changes when older readers would misread the file
	Minor uint16 // so does it while Major is 0; then it changes when they can ignore what is added
}

// Current returns the version that this package writes, which is the newest that it reads. The history of versions:
//
//	0.1  container, segments (posting lists with block endpoints, skip header,
//	     block-max quads, linear-regression and hash-bucket metadata), manifest,
//	     deletes. Major version 0 may change until the first release.
//	0.2  PAGESUMS: a checksum of every page of a segment.
//	0.3  sections begin at multiples of 64 instead of 4096, and what every query needs
//	     lies at the end; LISTS, FREQUENT, FIELDS.
//	0.4  fields of impacts. Files without one had version 0.3.
//	0.5  the empty keyword in columns. Segments without it had version 0.3 or 0.4.
//	0.6  IDHASH packed, in half the room.
//	0.7  fields of vectors: VECTORS, VECTORFLOATS.
//	0.8  clusters of vectors, and their values as float16 or codes alone; values changed in place: VALUES;
//	     fields with the values of others.
func Current() Version { return Version{Major: 0, Minor: 8} }

var (
	version02 = Version{Major: 0, Minor: 2}
	version03 = Version{Major: 0, Minor: 3}
)

// EmptyKeywords reports whether segments of version v may have the empty keyword in a column.
func (v Version) EmptyKeywords() bool { return v.Major > 0 || v.Minor >= 5 }

// PackedIDs reports whether IDHASH of segments of version v is packed.
func (v Version) PackedIDs() bool { return v.Major > 0 || v.Minor >= 6 }

// ChangedValues reports whether manifests of version v name files of values that were changed in place.
func (v Version) ChangedValues() bool { return v.Major > 0 || v.Minor >= 8 }

// oldest is the lowest version that this package reads.
var oldest = version02

// Check returns nil if this package reads v, and otherwise an *Error of kind ErrTooOld or
// ErrTooNew.
func (v Version) Check() error {
	switch {
	case v.Major < oldest.Major || v.Major == oldest.Major && v.Minor < oldest.Minor:
		return &Error{Kind: ErrTooOld, Block: NoBlock, Offset: offMajor, Msg: v.message()}
	case v.Major > Current().Major || v.Major == Current().Major && v.Minor > Current().Minor:
		return &Error{Kind: ErrTooNew, Block: NoBlock, Offset: offMajor, Msg: v.message()}
	}
	return nil
}

func (v Version) message() string {
	return "file has version " + v.String() + ", this build reads " + oldest.String() + " to " + Current().String()
}

// String returns "major.minor".
func (v Version) String() string {
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}
