// Idxmerge merges indexes, or the segments of one.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxmerge"
)

func main() { cli.Main(idxmerge.Command()) }
