// Pinion-router answers searches over HTTP by asking the nodes of all shards.
package main

import (
	"github.com/pinion-index/pinion/internal/daemon"
	"github.com/pinion-index/pinion/scale/node/internal/program"
)

func main() { daemon.Main(program.Router()) }
