// Package program is the command of module adapters/site.
package program

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/adapters/site/internal/site"
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/daemon"
	"github.com/pinion-index/pinion/internal/daemon/ongpu"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// TokenVariable is the environment variable for the token.
const TokenVariable = "PINION_SITE_TOKEN"

// flags are those of the command.
type flags struct {
	daemon.HTTP
	open, public                 bool
	title, backups, templates    string
	fields, schemaFile, analyzer string
	language                     string
	encoding                     string
	keys                         []string
	memory, body                 cli.ByteSize
	requests                     int
	gpu                          bool
}

// Site returns the command pinion-site.
func Site() *cobra.Command {
	f := &flags{memory: pinion.DefaultMemory, body: 16 << 20}
	cmd := &cobra.Command{
		Use:   "pinion-site [flags] DIR [INPUT...]",
		Short: "Serve an index over HTTP, to search and to change",
		Long: `Pinion-site serves the index in DIR, which it makes if there is none, over HTTP: a search page, and
searches, documents, deletions and backups as JSON. The documents of each INPUT, in any form that
idxbuild reads, are added before; one replaces another with the same id. It has the only writer of
the index. Answered changes are found by searches, and survive a crash.

It prints its address and, if none was given, a token for this run. Clients show a token as
'Authorization: Bearer TOKEN', browsers ask for one as a password. Tokens are in the file of
--tokens, or one is in the environment variable ` + TokenVariable + `. Addresses that other machines
reach need one of those two, or --client-authority.

After an interrupt or SIGTERM it answers what it was asked, and ends.`,
		Example: `  pinion-site kjv.idx testdata/kjv.jsonl.gz
  pinion-site --public-page --title Shop --field name=title:english:2 --field text:english \
    --field brand:keyword:column --field price:float:column shop.idx shop.jsonl
  pinion-site --templates look kjv.idx
  ` + TokenVariable + `=... pinion-site --listen :8080 --backups /backups /data/site.idx`,
		Args: cli.Want("DIR", "[INPUT...]"),
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	f.Add(fl)
	fl.BoolVar(&f.open, "no-token", false, "let everybody on this machine in, without a token")
	fl.BoolVar(&f.public, "public-page", false, "show the search page to everybody, without a token")
	fl.StringVar(&f.title, "title", "", "`TEXT` that heads the search page (default: the name of DIR)")
	fl.StringVar(&f.templates, "templates", "", "`FOLDER` of templates that replace built-in ones, which 'pinion-site templates' writes")
	fl.StringVar(&f.backups, "backups", "", "`FOLDER` for backups that clients ask for by name")
	fl.StringVar(&f.encoding, "encoding", "", "`NAME` of the encoding of inputs that do not say their own, such as windows-1252 (default: utf-8)")
	fl.StringVar(&f.fields, "map", "", "`FIELDS` of a document, as in id=url,contents=title+text (default: the usual ones)")
	fl.StringArrayVar(&f.keys, "field", nil, "a field, `KEY=NAME:TYPE:OPTION...`, of which NAME must be there; may be repeated")
	fl.StringVar(&f.schemaFile, "schema", "", "the fields of a new index: a `FILE` of JSON")
	cli.AnalyzerFlag(cmd, &f.analyzer, "that of the index, standard for a new one and for new fields")
	cli.LanguageFlag(cmd, &f.language)
	fl.Var(&f.memory, "memory", "memory budget for writing")
	fl.Var(&f.body, "max-body", "the longest body of a request, and so batch of documents")
	ongpu.Add(fl, &f.gpu)
	cli.Int(fl, &f.requests, "max-requests", 256, 1, 1<<20, "how many requests, `N`, are answered at a time")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1:]) }
	cmd.AddCommand(templates())
	return cmd
}

// templates returns the command that writes the built-in templates.
func templates() *cobra.Command {
	return &cobra.Command{
		Use:   "templates FOLDER",
		Short: "Write the built-in templates of the search page to a folder",
		Long: `Templates writes the built-in templates of the search page to FOLDER, which it makes if there is none. It
writes over no file. 'pinion-site --templates FOLDER' uses those that are there, and built-in ones
in place of those that were removed.`,
		Example: `  pinion-site templates look
  pinion-site --templates look kjv.idx`,
		Args: cli.Want("FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := site.WriteTemplates(args[0]); err != nil {
				return err
			}
			for _, name := range site.TemplateNames() {
				fmt.Fprintln(cmd.OutOrStdout(), cli.Printable(filepath.Join(args[0], name)))
			}
			return nil
		},
	}
}

func (f *flags) run(cmd *cobra.Command, dir string, inputs []string) (err error) {
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	o, made, err := f.options(dir, stderr)
	if err != nil {
		return err
	}
	var gpu *gpuload.Executor
	if f.gpu {
		if gpu, err = ongpu.Open(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, gpu.Close()) }()
		o.Index.Executor, o.HTTP.Metrics, o.Answers = gpu, gpu.WriteMetrics, gpu.Answers
	}
	s, err := site.Open(ctx, dir, o)
	if errors.Is(err, site.ErrTemplate) {
		return cli.Usage("--templates: %w", err)
	}
	if errors.Is(err, httpapi.ErrInvalid) {
		return cli.Usage("%w", err)
	}
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l, err := f.Listener(s.Server()) // before a file is read
	if err != nil {
		return err
	}
	for _, path := range inputs {
		r, err := s.AddFile(ctx, path)
		if err != nil {
			return errors.Join(fmt.Errorf("%w\n%s of %s added", err, cli.Number(r.Added, "document"), path), l.Close())
		}
		fmt.Fprintf(stderr, "%s of %s added\n", cli.Number(r.Added, "document"), cli.Printable(path))
		if r.Skipped > 0 {
			fmt.Fprintf(stderr, "skipped: %s without documents, the first %s\n", cli.Number(r.Skipped, "file"), cli.Printable(r.FirstSkipped))
		}
		if r.NotUTF8 > 0 {
			fmt.Fprintf(stderr, "not UTF-8: %s\n", cli.NotUTF8(r.NotUTF8, r.FirstNotUTF8))
		}
		if r.Undecoded > 0 {
			fmt.Fprintf(stderr, "not decoded: %s\n", cli.Undecoded(r.Undecoded, r.FirstUndecoded))
		}
	}
	if gpu != nil {
		defer ongpu.Say(ctx, stderr, gpu, s.Warm)()
	}
	if made != "" {
		fmt.Fprintf(stdout, "token: %s\n", made)
	}
	return f.ServeOn(ctx, stdout, s.Server(), l)
}

// options returns what the flags say, with the token that was made up, if one was.
func (f *flags) options(dir string, stderr io.Writer) (o site.Options, made string, err error) {
	o.Encoding = f.encoding
	o.Title, o.Public, o.Backups, o.Templates = f.title, f.public, f.backups, f.templates
	if o.HTTP, err = f.HTTP.Options(); err != nil {
		return o, "", err
	}
	switch {
	case f.memory < writer.MinMemory:
		return o, "", cli.Usage("--memory is at least %s", cli.Bytes(int64(writer.MinMemory)))
	case f.body < 1:
		return o, "", cli.Usage("--max-body is above 0")
	case f.open && f.public:
		return o, "", cli.Usage("--public-page says nothing beside --no-token, with which everybody sees all")
	}
	o.HTTP.MaxBody, o.HTTP.MaxInFlight = int64(f.body), f.requests
	value := os.Getenv(TokenVariable)
	given := daemon.ParseTokens([]byte(value)) // secrets of files end as their lines do
	switch {
	case len(given) > 1 || len(given) == 0 && value != "":
		return o, "", cli.Usage("%s is to be one token, without white space in it", TokenVariable)
	case f.open && len(o.HTTP.Tokens)+len(given) > 0:
		return o, "", cli.Usage("--no-token does not go with --tokens or %s", TokenVariable)
	case len(given) > 0:
		o.HTTP.Tokens = append(o.HTTP.Tokens, given...)
	case len(o.HTTP.Tokens) == 0 && o.HTTP.TLS == nil && !f.open && f.Loopback():
		made = strings.ToLower(rand.Text())
		o.HTTP.Tokens = []string{made}
	}
	report := &report{w: stderr}
	o.HTTP.Observe, o.Index.Observe = report.request, report.event
	o.Index.Memory = int64(f.memory)
	return o, made, f.describe(dir, &o)
}

// describe sets what documents are: as the flags say, on top of what the index has.
func (f *flags) describe(dir string, o *site.Options) (err error) {
	if o.Fields, err = exchange.ParseFields(f.fields, f.keys...); err != nil {
		return cli.Usage("--map, --field: %w", err)
	}
	base, err := f.base(dir)
	if err != nil {
		return err
	}
	if f.analyzer, err = cli.Language(f.language, f.analyzer, base, len(f.keys)); err != nil {
		return err
	}
	if err := cli.CheckKeys(o.Fields.Keys, base, f.analyzer, "", false); err != nil {
		return err
	}
	if err := cli.CheckEncoding(f.encoding); err != nil {
		return err
	}
	if base == nil && len(f.keys) == 0 {
		if f.analyzer != "" {
			if o.Index.Analyzer, err = cli.NewAnalyzer(f.analyzer, ""); err != nil {
				return cli.Usage("--analyzer: %w", err)
			}
		}
		return nil
	}
	if len(f.keys) == 0 && f.analyzer != "" {
		return cli.Usage("--analyzer: in the schema, each field has its own")
	}
	if o.Index.Schema, err = o.Fields.WithSchema(base, schema.Field{Stored: true, Analyzer: f.analyzer}); err != nil {
		return cli.Usage("--field: %w", err)
	}
	return nil
}

// base returns the schema of --schema, or that of the index, or nil.
func (f *flags) base(dir string) (*schema.Schema, error) {
	if f.schemaFile != "" {
		data, err := os.ReadFile(f.schemaFile)
		if err != nil {
			return nil, fmt.Errorf("--schema: %w", err)
		}
		s, err := schema.Parse(data)
		if err != nil {
			return nil, cli.Usage("--schema %s: %w", f.schemaFile, err)
		}
		if err := cli.CheckSchema(s); err != nil {
			return nil, cli.Usage("--schema %s: %w", f.schemaFile, err)
		}
		return s, nil
	}
	d, err := indexdir.Open(dir)
	if err != nil {
		return nil, nil // site.Open says what is wrong, unless it makes one
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		return nil, nil
	}
	defer c.Release()
	return c.Schema.Clone(), nil
}

// report writes what went wrong, a line each.
type report struct {
	mu sync.Mutex
	w  io.Writer
}

func (r *report) line(what string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.w, "%s: %s\n", what, cli.Message(err))
}

func (r *report) request(o httpapi.Observation) {
	if o.Err != nil && o.Status >= 500 {
		r.line(cli.Printable(o.Request.Method+" "+o.Route), o.Err)
	}
}

func (r *report) event(e pinion.Event) {
	if e.Err != nil && e.Kind != pinion.EventSlow && !errors.Is(e.Err, context.Canceled) {
		r.line(e.Kind.String(), e.Err)
	}
}
