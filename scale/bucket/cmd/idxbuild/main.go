// Idxbuild adds documents to an index, which may be a URL, and deletes documents.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/bucket/internal/urls"
	"github.com/pinion-index/pinion/tools/command"
)

func main() {
	urls.Register()
	cli.Main(command.Build())
}
