// Idxbuild adds documents to an index, which may be a URL, and deletes documents.
package main

import (
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/command"
	"github.com/pinion-index/pinion/scale/bucket/internal/urls"
)

func main() {
	urls.Register()
	cli.Main(command.Build())
}
