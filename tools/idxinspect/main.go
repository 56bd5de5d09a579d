// Idxinspect shows what an index holds, byte by byte if need be, and checks it.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxinspect"
)

func main() { cli.Main(idxinspect.Command()) }
