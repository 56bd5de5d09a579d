package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manFlag is an argument of every program, followed by a directory: it writes the
// program's manual pages. It is no flag, which help would list and commands inherit.
const manFlag = "--man-pages"

// ManPages writes a manual page of section 1 for cmd and each of its commands into dir,
// which it creates. The pages bear today's month, or that of SOURCE_DATE_EPOCH.
func ManPages(cmd *cobra.Command, dir string) error {
	prepare(cmd)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	date := time.Now()
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		date = time.Unix(seconds, 0).UTC()
	}
	return manTree(cmd, dir, date.Format("Jan 2006"))
}

func manTree(cmd *cobra.Command, dir, month string) error {
	for _, sub := range manual(cmd.Commands()) {
		if err := manTree(sub, dir, month); err != nil {
			return err
		}
	}
	page := manPage(cmd, month)
	return WriteFile(filepath.Join(dir, manName(cmd)+".1"), false, func(w io.Writer) error {
		_, err := io.WriteString(w, page)
		return err
	})
}

// manual returns the commands that have pages.
func manual(all []*cobra.Command) (some []*cobra.Command) {
	for _, cmd := range all {
		if cmd.IsAvailableCommand() && !cmd.IsAdditionalHelpTopicCommand() {
			some = append(some, cmd)
		}
	}
	return some
}

// manName returns the name of the page of cmd.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff escapes text for troff, which reads backslashes, and hyphens as dashes, and lines that
// begin with a dot or an apostrophe as requests.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	return strings.NewReplacer("\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + text)[1:]
}

// manPage returns the page of one command.
func manPage(cmd *cobra.Command, month string) string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	fmt.Fprintf(&b, ".nh\n.TH \"%s\" \"1\" \"%s\" \"Pinion\" \"Pinion\"\n", strings.ToUpper(manName(cmd)), month)
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&b, "\\fB%s\\fP\n", roff(cmd.UseLine()))
	section("DESCRIPTION")
	describe(&b, cmd.Long)
	cmd.InitDefaultHelpFlag()
	if cmd.HasAvailableFlags() {
		section("OPTIONS")
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { option(&b, f) })
		cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { option(&b, f) })
	}
	if cmd.Example != "" {
		section("EXAMPLE")
		fmt.Fprintf(&b, ".EX\n%s\n.EE\n", roff(cmd.Example))
	}
	section("EXIT STATUS")
	for _, s := range exitMeanings {
		fmt.Fprintf(&b, ".TP\n%d\n%s\n", s.code, roff(s.means))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, manName(cmd.Parent()))
	}
	for _, sub := range manual(cmd.Commands()) {
		also = append(also, manName(sub))
	}
	if len(also) > 0 {
		section("SEE ALSO")
		for i := range also {
			also[i] = "\\fB" + roff(also[i]) + "\\fP(1)"
		}
		b.WriteString(strings.Join(also, ", ") + "\n")
	}
	return b.String()
}

// describe writes paragraphs. Indented lines, which are lists, keep their line breaks.
func describe(b *strings.Builder, text string) {
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != inside {
			b.WriteString(map[bool]string{true: ".EX\n", false: ".EE\n"}[indented])
			inside = indented
		}
		if line == "" {
			line = ".PP"
		} else {
			line = roff(line)
		}
		b.WriteString(line + "\n")
	}
	if inside {
		b.WriteString(".EE\n")
	}
}

// option describes a flag.
func option(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden || f.Deprecated != "" {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	b.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "\\fB%s\\fP, ", roff("-"+f.Shorthand))
	}
	fmt.Fprintf(b, "\\fB%s\\fP", roff("--"+f.Name))
	if value != "" {
		fmt.Fprintf(b, " \\fI%s\\fP", roff(value))
	}
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(b, "\n%s\n", roff(usage))
}
