package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manFlag is an argument of every program, followed by a directory: it writes the
// program's manual pages. It is no flag, which help would list and commands inherit.
const manFlag = "--man-pages"

// exitStatus is the section of manual pages on exit codes.
var exitStatus = func() string {
	var b strings.Builder
	b.WriteString(".SH EXIT STATUS\n")
	for _, s := range exitMeanings {
		fmt.Fprintf(&b, ".TP\n%d\n%s\n", s.code, s.means)
	}
	return b.String()
}()

// ManPages writes a manual page of section 1 for cmd and each of its commands into dir,
// which it creates.
func ManPages(cmd *cobra.Command, dir string) error {
	prepare(cmd)
	preformat(cmd)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return manTree(cmd, dir)
}

func manTree(cmd *cobra.Command, dir string) error {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := manTree(sub, dir); err != nil {
				return err
			}
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	return WriteFile(filepath.Join(dir, name), false, func(w io.Writer) error { return manPage(cmd, w) })
}

// manPage writes the page of one command.
func manPage(cmd *cobra.Command, w io.Writer) error {
	var b bytes.Buffer
	if err := doc.GenMan(cmd, &doc.GenManHeader{Section: "1", Source: "Pinion", Manual: "Pinion"}, &b); err != nil {
		return err
	}
	page, also, found := bytes.Cut(b.Bytes(), []byte(".SH SEE ALSO"))
	if found {
		also = append([]byte(".SH SEE ALSO"), also...)
	}
	_, err := fmt.Fprintf(w, "%s\n%s%s", bytes.TrimRight(page, "\n"), exitStatus, also)
	return err
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
