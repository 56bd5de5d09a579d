package store

// Access says how a file of a local directory gets into memory. The zero value maps
// it: its pages are read when they are used, and the operating system keeps or drops
// them. Files of up to 64 KiB, which thousands of small indexes have, are read instead, as
// with Read: a process can have a limited number of mappings.
type Access struct {
	// Read reads the file whole into memory instead, which then never faults. It
	// cannot be combined with the others. js and wasip1 always do that.
	Read bool
	// Populate reads all pages of the file before it is used, and fails if they
	// cannot be read. It needs Linux 5.14 or later.
	Populate bool
	// Lock keeps the pages in physical memory while the file is open, and reads them
	// before. It needs Unix, and a limit on locked memory (RLIMIT_MEMLOCK) that
	// allows it.
	Lock bool
}
