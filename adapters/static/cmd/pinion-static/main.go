// Pinion-static makes a folder of HTML searchable in the browser, and searches it from the command line.
package main

import (
	"cmp"
	"context"
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
	"github.com/pinion-index/pinion/reader"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/internal/compiled"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

func main() { cli.Main(command()) }

func command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pinion-static COMMAND",
		Short: "Make a folder of HTML searchable in the browser",
		Long: `Pinion-static adds a search to what Hugo, Docusaurus and other generators write: an index, the
program that reads it in the browser by requests for ranges, and a search box. Any static host
serves them.`,
	}
	cmd.AddCommand(buildCommand(), searchCommand(), programCommand())
	return cmd
}

func buildCommand() *cobra.Command {
	var o static.Options
	var verbose, asJSON bool
	cmd := &cobra.Command{
		Use:   "build SITE",
		Short: "Build or renew the search of a site",
		Example: `  hugo && pinion-static build public
  npm run build && pinion-static build build --exclude 'blog/tags'`,
		Args: cli.Want("SITE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Program = compiled.Program
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
	f.BoolVar(&verbose, "verbose", false, "name the files that were skipped")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
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
		fmt.Fprintf(&b, "%s%s with %s: index of %s, program of %s\n", cli.Number(l.Pages, "page"), of, cli.Number(l.Sections, "section"), cli.Bytes(l.Index), cli.Bytes(l.Program))
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
			return search(cmd.Context(), cmd.OutOrStdout(), filepath.Join(dir, index), strings.Join(args[1:], " "), k, asJSON)
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
func search(ctx context.Context, w io.Writer, dir, typed string, k int, asJSON bool) (err error) {
	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		return cli.Opening(err)
	}
	s, err := answer.Open(index)
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	a, err := s.Search(ctx, typed, k)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(w).Encode(a)
	}
	var b strings.Builder
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

// programCommand is for releases, which embed what it writes (internal/release of the root module).
func programCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "program DIR",
		Short:  "Write the programs for browsers",
		Args:   cli.Want("DIR"),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			small, err := compiled.Program(cmd.Context(), false)
			if err != nil {
				return err
			}
			large, err := compiled.Program(cmd.Context(), true)
			if err != nil {
				return err
			}
			return errors.Join(
				os.WriteFile(filepath.Join(args[0], "program.bin"), small.WASM, 0o666),
				os.WriteFile(filepath.Join(args[0], "languages.bin"), large.WASM, 0o666),
				os.WriteFile(filepath.Join(args[0], "wasm_exec.js"), small.Glue, 0o666),
			)
		},
	}
}
