// Idxbuild adds documents to an index.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxbuild"
)

func main() { cli.Main(idxbuild.Command()) }
