package cli

import (
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the number of columns of help texts.
const helpWidth = 80

// usage is cobra's template with our descriptions of flags.
var usage = strings.NewReplacer(
	".LocalFlags.FlagUsages ", "flagUsages .LocalFlags ",
	".InheritedFlags.FlagUsages ", "flagUsages .InheritedFlags ",
	"for more information about a command", "for more about a command",
).Replace(new(cobra.Command).UsageTemplate())

func init() { cobra.AddTemplateFunc("flagUsages", flagUsages) }

var (
	typed   = regexp.MustCompile(`(?m)^( +(?:-\w, )?--[\w-]+) (int|uint|float|string|duration|ints|floats|float64Slice|durationSlice) `)
	valueOf = map[string]string{"int": "N  ", "uint": "N   ", "float": "X    ", "string": "TEXT  ", "duration": "TIME    ",
		"ints": "N,...", "floats": "X,... ", "float64Slice": "X,...       ", "durationSlice": "TIME,...     "}
)

// flagUsages describes flags within helpWidth columns. Values without a name of their own
// are called N, X, TEXT and TIME rather than by Go's types.
func flagUsages(fl *pflag.FlagSet) string {
	return typed.ReplaceAllStringFunc(fl.FlagUsagesWrapped(helpWidth), func(s string) string {
		m := typed.FindStringSubmatch(s)
		return m[1] + " " + valueOf[m[2]] + " "
	})
}

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
			for line := range strings.SplitSeq(text.WrapSoft(strings.Join(paragraph, " "), helpWidth), "\n") {
				out = append(out, strings.TrimRight(line, " ")) // of the padding
			}
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
