// Idxmerge merges indexes, or the segments of one; each may be a URL.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/command"
	"github.com/pinion-index/pinion/scale/bucket/internal/urls"
)

func main() {
	urls.Register()
	cli.Main(command.Merge())
}
