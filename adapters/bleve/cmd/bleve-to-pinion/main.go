// Bleve-to-pinion copies an index of bleve's to a new one of Pinion's.
package main

import (
	"github.com/pinion-index/pinion/adapters/bleve/internal/command"
	"github.com/pinion-index/pinion/internal/cli"
)

func main() { cli.Main(command.Command()) }
