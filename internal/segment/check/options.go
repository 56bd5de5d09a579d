package check

// Level is how much Segment checks. Each level includes those below it.
type Level uint8

// The levels. The zero value is that of Postings.
const (
	// Checksums compares pages and sections with their checksums.
	Checksums Level = 1 + iota
	// Structure reads the dictionary, short lists, ids, lengths, stored text and the
	// headers of extents; it does not decode extents.
	Structure
	// Postings decodes every posting and compares it with the metadata of its list.
	Postings
)

// Parts are parts of a segment that Structure and Postings check. Checksums covers all.
type Parts uint8

// The parts of a segment.
const (
	Lengths  Parts = 1 << iota // lengths of documents
	Lists                      // the dictionary and its lists
	IDs                        // ids and their hashes
	Optional                   // stored text and other optional sections
)

// Options configure Segment. The zero value checks everything and stops at the first fault.
type Options struct {
	Level Level
	// Parts are the parts to check, all if 0.
	Parts Parts
	// Threads is the number of goroutines; 0 means 1.
	Threads int
	// Guard, if not nil, runs each goroutine's work. Callers who have mapped the file turn
	// faults of its memory into errors there.
	Guard func(work func() error) error
	// Progress, if not nil, is called with increasing values of done, in arbitrary units.
	// Calls do not overlap.
	Progress func(done, total int64)
	// Report, if not nil, is called for every fault, in the order of the levels and, within
	// one, of the file. Segment then goes on behind the fault.
	Report func(Damage)
}

// What checks cost, in units of the checksum of a byte (0.3 ns), as measured on 338,791
// documents in memory. Progress counts these.
const (
	docWork     = 64 // an id
	postingWork = 8  // a posting at level Structure
	decodedWork = 48 // a posting at level Postings
)
