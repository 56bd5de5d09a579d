// Pinion-cluster divides documents among shards, and runs all of these on one machine.
package main

import (
	"github.com/pinion-index/pinion/internal/daemon"
	"github.com/pinion-index/pinion/scale/node/internal/program"
)

func main() { daemon.Main(program.Cluster()) }
