// Idxbench measures codecs, indexes and queries.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxbench"
)

func main() { cli.Main(idxbench.Command()) }
