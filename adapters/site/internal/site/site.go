package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Options configure a Site. The zero value means the defaults.
type Options struct {
	// Index are the options of the index. Durable does not count: changes survive a crash before they are answered.
	Index pinion.Options
	// Fields say which keys of documents go where. The zero value means the usual ones, or with a schema those that are
	// called as its fields.
	Fields exchange.Fields
	// Encoding is that of the files of AddFile which do not say their own, as in exchange.DocumentOptions.
	Encoding string
	// HTTP are the options of the server. Metrics come after those of the site.
	HTTP httpapi.Options
	// Answers, if not nil, says which processors answer searches, as Summary.Answers has it.
	Answers func() string
	// Title is the heading of the search page. "" means the name of the index's folder.
	Title string
	// Public says that the search page needs no token.
	Public bool
	// Backups is the folder for backups that are asked for by name. "" means none.
	Backups string
	// Templates is a folder of templates that replace built-in ones, of the same names. "" means none.
	Templates string
}

// Site serves an index and changes it. It is safe for concurrent use.
type Site struct {
	o       Options
	index   *pinion.Index
	schema  *schema.Schema // of the index
	dir     *indexdir.Dir
	backend httpapi.Backend
	server  *httpapi.Server
	theme   *theme
	shown   shown

	saving sync.Mutex // held by a backup
	count  counters
}

// counters are the metrics of a Site.
type counters struct {
	added, deleted, commits, merges, backups, failed atomic.Uint64
}

// Open opens the index in a directory, and makes both if need be. The caller closes the Site. The error is one of
// pinion.Open or httpapi.New, or matches ErrTemplate.
func Open(ctx context.Context, dir string, o Options) (_ *Site, err error) {
	s := &Site{o: o}
	if s.theme, err = loadTheme(o.Templates); err != nil {
		return nil, err
	}
	o.Index.SyncEach = true
	observe := o.Index.Observe
	o.Index.Observe = func(e pinion.Event) {
		s.observe(e)
		if observe != nil {
			observe(e)
		}
	}
	if s.index, err = pinion.Open(ctx, dir, o.Index); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.dir, err = indexdir.Open(dir); err != nil {
		return nil, err
	}
	if o.Backups != "" {
		if s.o.Backups, err = filepath.Abs(o.Backups); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(o.Backups, 0o777); err != nil {
			return nil, err
		}
	}
	s.schema = s.index.Schema()
	if err := s.checkFields(); err != nil {
		return nil, err
	}
	s.backend = httpapi.OfIndex(s.index)
	if o.Answers != nil {
		s.backend = answering{s.backend, o.Answers}
	}
	sum, err := s.backend.Summary(ctx)
	if err != nil {
		return nil, err
	}
	s.shown = shownOf(sum.Schema)
	if s.o.Title == "" {
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		s.o.Title = filepath.Base(path)
	}
	o.HTTP.Metrics = s.writeMetrics
	if s.server, err = httpapi.New(s.backend, o.HTTP); err != nil {
		return nil, err
	}
	s.routes()
	return s, nil
}

// answering is a Backend whose Summary says which processors answer.
type answering struct {
	httpapi.Backend
	answers func() string
}

// Summary implements httpapi.Backend.
func (b answering) Summary(ctx context.Context) (*httpapi.Summary, error) {
	a, err := b.Backend.Summary(ctx)
	if err == nil {
		a.Answers = b.answers()
	}
	return a, err
}

// Server returns what serves s. It is drained before s is closed.
func (s *Site) Server() *httpapi.Server { return s.server }

// Warm searches for a document, so that an Executor opens its devices before a client searches.
func (s *Site) Warm(ctx context.Context) error {
	_, err := s.index.Search(ctx, pinion.Request{Query: query.All{}, Limit: 1})
	return err
}

// Close closes the index.
func (s *Site) Close() error {
	err := s.index.Close()
	if s.dir != nil {
		err = errors.Join(err, s.dir.Close())
	}
	return err
}

func (s *Site) routes() {
	s.server.Handle("POST /v1/docs", s.add)
	s.server.Handle("POST /v1/delete", s.delete)
	s.server.Handle("POST /v1/set", s.set)
	s.server.HandleHTTP("GET /v1/backup", httpapi.Private, s.download)
	s.server.HandleHTTP("POST /v1/backup", httpapi.Private, s.backup)
	page := httpapi.Browser
	if s.o.Public {
		page = httpapi.Public
	}
	s.server.HandleHTTP("GET /{$}", page, s.search)
	s.server.HandleHTTP("GET /doc", page, s.document)
	s.server.HandleHTTP("GET /suggest", page, s.suggest)
	s.theme.routes(s.server)
}

// observe counts what happens to the index.
func (s *Site) observe(e pinion.Event) {
	switch {
	case e.Err != nil:
		s.count.failed.Add(1)
	case e.Kind == pinion.EventCommit:
		s.count.commits.Add(1)
	case e.Kind == pinion.EventMerge:
		s.count.merges.Add(1)
	}
}

func (s *Site) writeMetrics(w io.Writer) {
	metric := func(name, kind, help string, value uint64) {
		fmt.Fprintf(w, "# HELP pinion_site_%s %s\n# TYPE pinion_site_%s %s\npinion_site_%s %d\n", name, help, name, kind, name, value)
	}
	if sum, err := s.backend.Summary(context.Background()); err == nil {
		metric("documents", "gauge", "Documents that searches see.", sum.Documents)
		metric("segments", "gauge", "Segments of the index.", uint64(sum.Segments))
	}
	for _, c := range []struct {
		name, help string
		n          *atomic.Uint64
	}{
		{"added_total", "Documents added or replaced.", &s.count.added},
		{"deleted_total", "Ids that were to be deleted, and documents deleted by filters.", &s.count.deleted},
		{"commits_total", "Commits.", &s.count.commits},
		{"merges_total", "Merges in the background.", &s.count.merges},
		{"backups_total", "Backups.", &s.count.backups},
		{"failures_total", "Publications, commits, merges and searches that failed.", &s.count.failed},
	} {
		metric(c.name, "counter", c.help, c.n.Load())
	}
	if s.o.HTTP.Metrics != nil {
		s.o.HTTP.Metrics(w)
	}
}
