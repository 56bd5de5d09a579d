package cli

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

// helpWidth is the number of columns of help texts.
const helpWidth = 80

// usage is cobra's template with descriptions of flags wrapped at helpWidth.
var usage = strings.NewReplacer(
	"Flags.FlagUsages ", "Flags.FlagUsagesWrapped 80 ",
	"for more information about a command", "for more about a command",
).Replace(new(cobra.Command).UsageTemplate())

// fillAll fills the descriptions of cmd and its commands.
func fillAll(cmd *cobra.Command) {
	cmd.Long = fill(cmd.Long)
	for _, sub := range cmd.Commands() {
		fillAll(sub)
	}
}

// fill breaks the lines of each paragraph at helpWidth. Lines that begin with a blank
// stay as they are.
func fill(s string) string {
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, text.WrapSoft(strings.Join(paragraph, " "), helpWidth))
		}
		paragraph = nil
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == ' ' || line[0] == '\t' {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}
