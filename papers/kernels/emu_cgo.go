//go:build emu && cgo

package kernels

/*
#cgo CXXFLAGS: -std=c++17 -O2 -DPINION_EMU -Wno-unknown-pragmas -Wno-unused-function
#include <stdint.h>
uint32_t emu_paper_sizes(uint32_t i);
*/
import "C"

import "embed"

// As in the engine's kernels, embedding triggers a rebuild when the sources change.
//
//go:embed *.cu *.h
var _ embed.FS

func emuSizes() (s []uint32) {
	for i := 0; ; i++ {
		v := uint32(C.emu_paper_sizes(C.uint32_t(i)))
		if v == 0 {
			return s
		}
		s = append(s, v)
	}
}
