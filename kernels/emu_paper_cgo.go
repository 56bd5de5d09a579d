//go:build emu && paper && cgo

package kernels

/*
#include <stdint.h>
uint32_t emu_paper_sizes(uint32_t i);
*/
import "C"

import "embed"

// As in emu_cgo.go, embedding triggers a rebuild when the sources change.
//
//go:embed paper/*.cu paper/*.h
var emuPaperSources embed.FS

var _ = emuPaperSources

func emuPaperSizes() (s []uint32) {
	for i := 0; ; i++ {
		v := uint32(C.emu_paper_sizes(C.uint32_t(i)))
		if v == 0 {
			return s
		}
		s = append(s, v)
	}
}
