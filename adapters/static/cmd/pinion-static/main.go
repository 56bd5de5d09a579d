// Pinion-static makes a folder of HTML searchable in the browser, and searches it from the command line.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

func main() { cli.Main(command()) }

func command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pinion-static COMMAND",
		Short: "Make a folder of HTML searchable in the browser",
		Long: `Pinion-static adds a search to what Hugo, Docusaurus and other generators write: an index in small
files, and a search box that reads what a query needs of it. Any static host serves them.`,
	}
	cmd.AddCommand(buildCommand(), searchCommand())
	return cmd
}

func buildCommand() *cobra.Command {
	var o static.Options
	var verbose, asJSON bool
	var synonyms string
	cmd := &cobra.Command{
		Use:   "build SITE",
		Short: "Build or renew the search of a site",
		Example: `  hugo && pinion-static build public
  npm run build && pinion-static build build --exclude 'blog/tags'`,
		Args: cli.Want("SITE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if synonyms != "" {
				set, err := readSynonyms(synonyms)
				if err != nil {
					return err
				}
				o.Synonyms = set
			}
			r, err := static.Build(cmd.Context(), args[0], o)
			switch {
			case errors.Is(err, static.ErrInvalid):
				return cli.Usage("%w", err)
			case err != nil:
				return err
			case asJSON:
				return cli.JSON(cmd.OutOrStdout(), r)
			}
			return show(cmd.OutOrStdout(), filepath.Join(args[0], cmp.Or(o.Out, static.DefaultOut)), r, verbose)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", static.DefaultOut, "write to `FOLDER` of the site")
	f.StringVar(&o.Language, "language", "", "all pages are in `LANGUAGE`, such as de (default: what each says)")
	f.StringVar(&o.Encoding, "encoding", "", "`NAME` of the encoding of pages that do not declare theirs, such as windows-1252 (default: utf-8)")
	f.StringArrayVar(&o.Exclude, "exclude", nil, "leave out pages and folders whose paths match `PATTERN`")
	f.StringVar(&synonyms, "synonyms", "", "search for words by the rules in `FILE`, such as \"tv, television\"")
	f.BoolVar(&verbose, "verbose", false, "name the files that were skipped")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// readSynonyms reads a file of rules.
func readSynonyms(name string) (_ *query.Synonyms, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	set, err := query.ParseSynonyms(f)
	if err != nil {
		return nil, cli.Usage("%s: %w", name, err)
	}
	return set, nil
}

// show prints what was done.
func show(w io.Writer, out string, r *static.Report, verbose bool) error {
	var b strings.Builder
	for _, l := range r.Languages {
		of := ""
		if l.Language != "" {
			of = " in " + l.Language
		}
		if l.Joined > 0 {
			of += fmt.Sprintf(" (%s without lang, read as most pages are)", cli.Count(l.Joined))
		}
		fmt.Fprintf(&b, "%s%s with %s and %s: index of %s in %s\n", cli.Number(l.Pages, "page"), of, cli.Number(l.Sections, "section"), cli.Number(l.Words, "word"), cli.Bytes(l.Index), cli.Number(l.Files, "file"))
	}
	if n := len(r.Undecoded); n > 0 {
		fmt.Fprintf(&b, "not decoded: %s with letters that are lost, the first %s: see --encoding, such as windows-1252\n", cli.Number(n, "page"), cli.Printable(r.Undecoded[0]))
		for _, name := range r.Undecoded {
			if verbose {
				fmt.Fprintf(&b, "  %s\n", cli.Printable(name))
			}
		}
	}
	count := map[static.Reason]int{}
	for _, s := range r.Skipped {
		count[s.Why]++
	}
	var reasons []static.Reason
	for why := range count {
		reasons = append(reasons, why)
	}
	slices.Sort(reasons)
	for _, why := range reasons {
		fmt.Fprintf(&b, "skipped %s: %s\n", cli.Count(count[why]), why)
		for _, s := range r.Skipped {
			if verbose && s.Why == why {
				fmt.Fprintf(&b, "  %s\n", cli.Printable(s.Path))
			}
		}
	}
	fmt.Fprintf(&b, "%s: %s written, %s the same, %s removed\n", out, cli.Number(r.Written, "file"), cli.Count(r.Same), cli.Count(r.Removed))
	_, err := io.WriteString(w, b.String())
	return err
}

func searchCommand() *cobra.Command {
	var language, out string
	var k int
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "search SITE WORD...",
		Short:   "Answer a query as the search box does",
		Example: `  pinion-static search public 'content mana'`,
		Args:    cli.Want("SITE", "WORD..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := filepath.Join(args[0], filepath.FromSlash(out))
			index, err := static.IndexOf(dir, language)
			if err != nil {
				return cli.Opening(err)
			}
			return search(cmd.OutOrStdout(), filepath.Join(dir, index), strings.Join(args[1:], " "), k, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", static.DefaultOut, "`FOLDER` of the site with the search")
	f.StringVar(&language, "language", "", "the index of the pages in `LANGUAGE` (default: of most pages)")
	cli.Int(f, &k, "k", 10, 1, 1000, "print at most `N` pages")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// search prints the answer to a query.
func search(w io.Writer, dir, typed string, k int, asJSON bool) (err error) {
	s, err := answer.Open(os.DirFS(dir))
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	a, err := s.Search(typed, k)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(w).Encode(a)
	}
	var b strings.Builder
	for _, c := range a.Corrected {
		fmt.Fprintf(&b, "%s in place of %s\n", cli.Printable(c[1]), cli.Printable(c[0]))
	}
	if len(a.Missing) > 0 {
		fmt.Fprintf(&b, "on no page: %s\n", cli.Printable(strings.Join(a.Missing, " ")))
	}
	some := ""
	if a.Any {
		some = " with some of the words"
	}
	if a.Looked > 0 {
		some = fmt.Sprintf(" of the best %s", cli.Count(a.Looked))
	}
	fmt.Fprintf(&b, "%s%s\n", cli.Number(a.Total, "page"), some)
	for _, h := range a.Hits {
		title := strings.Join(h.Title, "")
		if len(h.Heading) > 0 {
			title += " › " + strings.Join(h.Heading, "")
		}
		fmt.Fprintf(&b, "%s  %s\n  %s\n", cli.Printable(h.URL), cli.Printable(title), cli.Printable(strings.Join(h.Text, "")))
	}
	_, err = io.WriteString(w, b.String())
	return err
}
