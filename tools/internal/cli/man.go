package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manFlag is an argument of every program, followed by a directory: it writes the
// program's manual pages. It is no flag, which help would list and commands inherit.
const manFlag = "--man-pages"

// ManPages writes a manual page of section 1 for cmd and each of its commands into dir,
// which it creates.
func ManPages(cmd *cobra.Command, dir string) error {
	prepare(cmd)
	preformat(cmd)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return doc.GenManTree(cmd, &doc.GenManHeader{Section: "1", Source: "Pinion", Manual: "Pinion"}, filepath.Clean(dir))
}

// preformat marks the indented lines of descriptions, which are lists, as text that keeps
// its line breaks. The generator reads Markdown.
func preformat(cmd *cobra.Command) {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(cmd.Long) {
		indented := strings.HasPrefix(line, "  ")
		if indented != inside {
			b.WriteString("\n")
		}
		if inside = indented; indented {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	cmd.Long = b.String()
	for _, sub := range cmd.Commands() {
		preformat(sub)
	}
}
