package reader_test

import "runtime"

// What some platforms cannot do.
const (
	noWriters  = runtime.GOOS == "js" || runtime.GOOS == "wasip1" // local directories cannot be locked
	noMappings = noWriters                                        // files are read, not mapped
)
