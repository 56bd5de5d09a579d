package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	quoted      = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	printed     = regexp.MustCompile(`^(?:\$ )?(idx(?:bench|build|inspect|merge|query) .*)`)
	placeholder = regexp.MustCompile(`,\.\.\.|--commit N`) // stands for numbers
	endsHere    = regexp.MustCompile(`\s(?:\||>|2>|<|#|&&|;).*|;\s.*`)
)

// eachPrinted calls f with the lines of code of the pages, and of examples in help texts, which
// man pages have too.
func eachPrinted(t *testing.T, f func(where, line string)) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced || strings.HasPrefix(line, "    ") {
				f(filepath.Base(page), strings.TrimSpace(line))
			}
		}
	}
	eachCommand(func(c *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", " ")) {
			f("help of "+c.CommandPath(), strings.TrimSpace(line))
		}
	})
}

// TestPrintedCommands checks that the commands that pages and help texts print exist and
// have the flags that are printed, with values that these take. TestPrintedCommandsRun runs them.
func TestPrintedCommands(t *testing.T) {
	lines := map[string]string{}
	eachPrinted(t, func(where, line string) {
		if m := printed.FindStringSubmatch(line); m != nil {
			lines[m[1]] = where
		}
	})
	if len(lines) < 100 {
		t.Fatalf("only %d commands were found", len(lines))
	}
	for line, where := range lines {
		plain := quoted.ReplaceAllStringFunc(line, func(s string) string {
			return strings.NewReplacer(" ", "_", "|", "_", "#", "_", "'", "", `"`, "").Replace(s)
		})
		words := strings.Fields(endsHere.ReplaceAllString(plain, ""))
		if words[1] == "completion" || words[1] == "--man-pages" || words[1] == "--version" || strings.ContainsAny(line, "…[{") || placeholder.MatchString(line) {
			continue // not of the command's own flags, or a synopsis
		}
		c, rest, err := root(t, words[0]).Find(words[1:])
		if err == nil {
			c.InitDefaultHelpFlag()
			err = c.ParseFlags(rest)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", where, line, err)
			continue
		}
		if c.HasSubCommands() && len(c.Flags().Args()) > 0 {
			t.Errorf("%s: %s: no such command", where, line)
		}
	}
}
