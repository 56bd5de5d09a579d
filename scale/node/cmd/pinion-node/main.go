// Pinion-node serves a shard over NATS.
package main

import (
	"github.com/pinion-index/pinion/scale/node/internal/gpu"
	"github.com/pinion-index/pinion/scale/node/internal/program"
)

func main() { program.Main(program.Node(gpu.Use)) }
