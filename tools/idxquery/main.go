// Idxquery answers ranked queries over an index.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
)

func main() { cli.Main(idxquery.Command()) }
