// Quickstart shows the whole engine at work on the collection that the repository
// bundles: it builds, merges, verifies, inspects and queries an index.
package main

import (
	"github.com/pinion-index/pinion/tools/internal/cli"
	"github.com/pinion-index/pinion/tools/internal/quickstart"
)

func main() { cli.Main(quickstart.Command()) }
