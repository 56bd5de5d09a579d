// Idxmerge merges indexes, or the segments of one; each may be a URL.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/bucket/internal/urls"
	"github.com/pinion-index/pinion/tools/command"
)

func main() {
	urls.Register()
	cli.Main(command.Merge())
}
