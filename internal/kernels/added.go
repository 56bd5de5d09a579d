package kernels

import (
	"io/fs"
	"path"
)

// Added is a kernel that a program adds to those of this package.
type Added struct {
	Name    string // of the entry point
	Module  string // FOLDER/NAME
	Params  any    // zero value of its parameter struct
	Threads int    // per thread block; 0: 256
}

// Add adds kernels and returns the number of the first, which those of the others follow. Their
// modules are of one folder, and code has code/NAME.*.zst for each. Initializers call Add, before a
// device is opened. On the emulator, emu_added_entries has the same kernels.
func Add(ks []Added, code fs.FS) Kernel {
	first := Kernel(len(table))
	for _, k := range ks {
		table = append(table, entry{name: k.Name, module: k.Module, params: k.Params, threads: k.Threads})
		added[path.Dir(k.Module)] = code
	}
	return first
}

// added has the code of modules that were added, by folder.
var added = map[string]fs.FS{}
