// Pinion-node serves a shard over NATS.
package main

import (
	"github.com/pinion-index/pinion/internal/daemon"
	"github.com/pinion-index/pinion/scale/node/internal/gpu"
	"github.com/pinion-index/pinion/scale/node/internal/program"
)

func main() { daemon.Main(program.Node(gpu.Use)) }
