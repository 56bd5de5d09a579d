// Pinion-docs makes a site of a folder of Markdown that is searched in the browser, and asks it questions.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"

	"github.com/pinion-index/pinion/adapters/static/internal/docs"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

func main() { cli.Main(command()) }

func command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pinion-docs COMMAND",
		Short: "Make a site of a folder of Markdown, with a search",
		Long: `Pinion-docs makes a folder of Markdown a site of static pages, as GitHub shows it, with a list of
the pages and the search of pinion-static. Any static host serves it, in any folder.`,
	}
	cmd.AddCommand(buildCommand(), askCommand())
	return cmd
}

func buildCommand() *cobra.Command {
	o := docs.Options{Search: static.DefaultOut}
	var out string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "build FOLDER",
		Short: "Build or renew the site of a folder",
		Long: `Build makes a page of each file .md of FOLDER and of the folders in it, README.md the first of its
folder, and writes them with the images that they show and a search.

Links to pages and headings are checked: broken ones are named, and nothing is written.`,
		Example: `  pinion-docs build --out site --title Roses .
  pinion-docs build --out site --nav SUMMARY.md --source https://example.org/roses/blob/main .`,
		Args: cli.Want("FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return cli.Usage("--out is missing")
			}
			return build(cmd.Context(), cmd.OutOrStdout(), args[0], out, o, verbose)
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "write the site to `FOLDER`")
	f.StringVar(&o.Title, "title", "", "`NAME` of the site (default: the title of the first page)")
	f.StringVar(&o.Language, "language", "en", "all pages are in `LANGUAGE`")
	f.StringVar(&o.Navigation, "nav", "", "the links of `PAGE` give the order of the pages (default: docs/README.md, or else README.md)")
	f.StringVar(&o.Source, "source", "", "`URL` of FOLDER, for links to files that are no pages (default: their text alone)")
	f.StringArrayVar(&o.Exclude, "exclude", nil, "leave out pages and folders whose paths match `PATTERN`")
	f.BoolVar(&o.Broken, "allow-broken", false, "write pages with broken links as text")
	f.BoolVar(&verbose, "verbose", false, "name the links to files that are no pages")
	return cmd
}

// build builds a site and its search, and prints what was done.
func build(ctx context.Context, w io.Writer, dir, out string, o docs.Options, verbose bool) error {
	r, err := docs.Build(ctx, dir, out, o)
	if r != nil {
		printLinks(w, r, o.Source != "", verbose)
	}
	switch {
	case errors.Is(err, docs.ErrInvalid):
		return cli.Usage("%w", err)
	case err != nil:
		return err
	}
	found, err := static.Build(ctx, out, static.Options{})
	if err != nil {
		return err
	}
	sections := 0
	for _, l := range found.Languages {
		sections += l.Sections
	}
	_, err = fmt.Fprintf(w, "%s: %s with %s, %s; %s written, %s the same, %s removed\n", out, cli.Number(r.Pages, "page"), cli.Number(sections, "section"),
		cli.Number(r.Images, "image"), cli.Number(r.Written+found.Written, "file"), cli.Count(r.Same+found.Same), cli.Count(r.Removed+found.Removed))
	return err
}

// printLinks names the links that lead to no page.
func printLinks(w io.Writer, r *docs.Report, source, verbose bool) {
	if n := len(r.Broken); n > 0 {
		fmt.Fprintf(w, "%s:\n", cli.Number(n, "broken link"))
		for _, l := range r.Broken {
			fmt.Fprintf(w, "  %s\n", cli.Printable(l.String()))
		}
	}
	if n := len(r.Outside); n > 0 {
		how := "shown as text, see --source"
		if source {
			how = "which lead to the source"
		}
		fmt.Fprintf(w, "%s to files that are no pages, %s\n", cli.Number(n, "link"), how)
		for _, l := range r.Outside {
			if verbose {
				fmt.Fprintf(w, "  %s\n", cli.Printable(l.String()))
			}
		}
	}
}

func askCommand() *cobra.Command {
	var k int
	cmd := &cobra.Command{
		Use:   "ask SITE QUESTIONS",
		Short: "Check that a site's search finds what it must",
		Long: `Ask types each line of the file QUESTIONS into the search of a site, up to the first tab. Behind it
stand the URLs, relative to the site, of pages or sections of which one must be among the first hits.`,
		Example: `  pinion-docs ask site questions.tsv`,
		Args:    cli.Want("SITE", "QUESTIONS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[1])
			if err != nil {
				return err
			}
			defer f.Close()
			questions, err := docs.ReadQuestions(f)
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			return ask(cmd.Context(), cmd.OutOrStdout(), args[0], questions, k)
		},
	}
	cli.Int(cmd.Flags(), &k, "k", 3, 1, 1000, "what is wanted must be among the first `N` pages")
	return cmd
}

// ask asks questions and prints the place of each answer. It fails if one is not found.
func ask(ctx context.Context, w io.Writer, site string, questions []docs.Question, k int) (err error) {
	search, done, err := open(filepath.Join(site, static.DefaultOut))
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, done()) }()
	missed := 0
	for _, q := range questions {
		place, found, err := q.Answered(ctx, search, k)
		if err != nil {
			return err
		}
		if place > 0 {
			fmt.Fprintf(w, "%d  %s: %s\n", place, cli.Printable(q.Typed), cli.Printable(found[place-1]))
			continue
		}
		missed++
		fmt.Fprintf(w, "-  %s: %s, not %s\n", cli.Printable(q.Typed), cli.Printable(cmp.Or(strings.Join(found, ", "), "nothing")), cli.Printable(strings.Join(q.Want, " or ")))
	}
	if missed > 0 {
		return fmt.Errorf("%d of %s not answered among the first %d", missed, cli.Number(len(questions), "question"), k)
	}
	return nil
}
