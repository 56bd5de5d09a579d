// Pinion-site serves an index over HTTP, to search and to change.
package main

import (
	"github.com/pinion-index/pinion/adapters/site/internal/program"
	"github.com/pinion-index/pinion/internal/daemon"
)

func main() { daemon.Main(program.Site()) }
