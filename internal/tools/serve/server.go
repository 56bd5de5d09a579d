package serve

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

//go:embed static templates
var content embed.FS

// Options configure a Server.
type Options struct {
	Index string            // directory of the index
	With  string            // directory of the index to compare with; may be empty
	Token string            // first element of every path
	Hosts []string          // names for the Host header beside localhost and addresses
	GPU   *gpuload.Executor // answers searches too, and pages say what it does; nil for the CPU alone
}

// Server shows an index.
type Server struct {
	main, other *current // other is nil without Options.With
	gpu         *gpuload.Executor
	token       string
	pages       map[string]*template.Template
	handler     http.Handler
	verify      verification
	pool        *budget.Pool
	inFlight    atomic.Int64
}

// New opens the indexes. The caller closes the Server.
func New(o Options) (*Server, error) {
	s := &Server{gpu: o.GPU, token: o.Token, pool: budget.NewPool(httpapi.DefaultMaxHeld)}
	var err error
	if s.main, err = follow(o.Index); err != nil {
		return nil, err
	}
	if o.With != "" {
		if s.other, err = follow(o.With); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.pages = parsePages()
	s.handler = guard(o.Token, o.Hosts, s.routes())
	return s, nil
}

// Path returns the path of the first page.
func (s *Server) Path() string { return "/" + s.token + "/" }

// Damage returns why parts of the indexes did not open.
func (s *Server) Damage() []string {
	v, end := s.view()
	defer end()
	all := v.main.damage
	if v.other != nil {
		all = append(all[:len(all):len(all)], v.other.damage...)
	}
	return all
}

// Close stops a verification that runs, and closes the indexes.
func (s *Server) Close() {
	s.verify.cancel()
	for _, x := range []*current{s.main, s.other} {
		if x != nil {
			x.close()
		}
	}
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, p := range []struct {
		path, name, title string
		page              page
	}{
		{"GET /{$}", "overview", "Overview", (*shown).overview},
		{"GET /search", "search", "Search", (*shown).search},
		{"GET /terms", "terms", "Terms", (*shown).terms},
		{"GET /list", "list", "List", (*shown).list},
		{"GET /block", "block", "Block", (*shown).block},
		{"GET /docs", "docs", "Documents", (*shown).docs},
		{"GET /doc", "doc", "Document", (*shown).doc},
		{"GET /bytes", "bytes", "Bytes", (*shown).bytes},
		{"GET /compare", "compare", "Compare", (*shown).compare},
		{"GET /verify", "verify", "Verify", (*shown).verification},
	} {
		mux.Handle(p.path, s.show(p.name, p.title, p.page))
	}
	mux.HandleFunc("POST /verify", s.startVerify)
	mux.HandleFunc("GET /verify.json", s.verifyProgress)
	mux.Handle("GET /static/", http.FileServerFS(content))
	mux.Handle("/", s.show("error", "Not found", func(_ *shown, r *http.Request) (any, error) {
		return nil, notFound("there is no page %s", r.URL.Path)
	}))
	return mux
}

// layout is what every page shows around its own part.
type layout struct {
	Root, Name, Title string
	Index             string
	Compare           bool
	Damage, Notes     []string
	Commit            uint64 // 0 if no manifest can be read
	Answers           string // which processors do, with Options.GPU
	Query             string // in the search box
	Took              string
	Error             string
	Body              any
}

// pager is implemented by pages that are one of several. The links are relative and
// empty where there is none.
type pager interface{ links() (prev, next string) }

// Prev returns the link to the page before.
func (l layout) Prev() string { prev, _ := l.links(); return prev }

// Next returns the link to the page behind.
func (l layout) Next() string { _, next := l.links(); return next }

func (l layout) links() (prev, next string) {
	if p, ok := l.Body.(pager); ok {
		return p.links()
	}
	return "", ""
}

// show runs p and renders its template. A fault of mapped memory is an error.
func (s *Server) show(name, title string, p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		v, end := s.view()
		defer end()
		l := layout{Root: s.Path(), Name: name, Title: title, Index: filepath.Base(s.main.path), Compare: v.other != nil,
			Damage: v.main.damage, Notes: v.notes, Query: r.URL.Query().Get("q")}
		if v.main.Manifest != nil {
			l.Commit = v.main.Manifest.Generation
		}
		if v.gpu != nil {
			l.Answers = v.gpu.Answers()
		}
		var err error
		template := name
		if l.Body, err = gather(p, v, r); err != nil {
			l.Error, l.Body, template = err.Error(), nil, "error"
		}
		l.Took = cli.Seconds(time.Since(start))
		status := http.StatusOK
		var e *pageError
		switch {
		case errors.As(err, &e):
			status = e.status
		case err != nil:
			status = httpapi.ErrorOf(err).Status
		}
		b := rendered{budget: budget.Of(r.Context())}
		if err := s.pages[template].ExecuteTemplate(&b, "layout.html", l); err != nil {
			http.Error(w, err.Error(), httpapi.ErrorOf(err).Status)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		w.Write(b.page)
	})
}

func gather(p page, v *shown, r *http.Request) (body any, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return p(v, r)
}

// parsePages parses the templates.
func parsePages() map[string]*template.Template {
	pages := map[string]*template.Template{}
	funcs := template.FuncMap{
		"count":   cli.CountOf,
		"number":  cli.NumberOf,
		"bytes":   func(n int64) string { return cli.Bytes(n) },
		"quote":   func(v any) string { return cli.Quote(fmt.Sprint(v)) },
		"yes":     inspect.YesNo,
		"join":    func(s []string) string { return strings.Join(s, ", ") },
		"float":   cli.Float,
		"exact":   inspect.FloatText,
		"in":      func(field string, term cli.Text) string { return inField(field, string(term)) },
		"list":    func(field string, term cli.Text) string { return link("list", "field", field, "term", string(term)) },
		"percent": func(part, whole int64) string { return cli.Percent(part, whole) },
		"plural": func(n int, one, many string) string {
			if n == 1 {
				return one
			}
			return many
		},
		"kind": func(i int) int { return i % 8 },
	}
	for _, name := range []string{"overview", "search", "terms", "list", "block", "docs", "doc", "bytes", "compare", "verify", "error"} {
		pages[name] = template.Must(template.New(name).Funcs(funcs).ParseFS(content, "templates/layout.html", "templates/parts.html", "templates/"+name+".html"))
	}
	return pages
}

// number returns the parameter called name, or otherwise if it is missing. It is decimal, or
// hexadecimal after 0x.
func number(r *http.Request, name string, otherwise, most uint64) (uint64, error) {
	text := strings.ReplaceAll(strings.TrimSpace(r.URL.Query().Get(name)), ",", "")
	if text == "" {
		return otherwise, nil
	}
	digits, base := text, 10
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil || n > most {
		return 0, badRequest("%s=%q is no number up to %d", name, text, most)
	}
	return n, nil
}

// link returns a relative link with parameters, given as names and values in turn.
// Those with empty values are left out.
func link(page string, params ...any) string {
	v := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		text := ""
		switch p := params[i+1].(type) {
		case string:
			text = p
		case int:
			text = strconv.Itoa(p)
		case int64:
			text = strconv.FormatInt(p, 10)
		case uint32:
			text = strconv.FormatUint(uint64(p), 10)
		}
		if text != "" {
			v.Set(params[i].(string), text)
		}
	}
	return page + "?" + v.Encode()
}
