package site

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/httpapi"
)

// ErrTemplate is matched by the errors for templates that cannot be used, which begin with the file.
var ErrTemplate = errors.New("template")

// unusable is an error for a template.
type unusable string

func (e unusable) Error() string   { return string(e) }
func (e unusable) Is(x error) bool { return x == ErrTemplate }

func unusablef(format string, args ...any) error { return unusable(fmt.Sprintf(format, args...)) }

//go:embed templates
var builtIn embed.FS

// pageName is the template that has all others in it.
const pageName = "page.html"

// fileTypes are the types of the files that pages load, by the ends of their names.
var fileTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// theme is what pages look like.
type theme struct {
	page  *template.Template
	files map[string][]byte // that pages load
	tags  map[string]string // of files, by what is in them
}

// TemplateNames returns the names of the built-in templates, and of the files that pages load, in order.
func TemplateNames() (names []string) {
	all, err := fs.ReadDir(builtIn, "templates")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, f := range all {
		names = append(names, f.Name())
	}
	return names
}

// WriteTemplates writes the built-in templates to a folder, which it makes if need be. It writes over no file.
func WriteTemplates(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range TemplateNames() {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, fmt.Errorf("%s: the file is there already", filepath.Join(dir, name)))
		}
	}
	return os.CopyFS(dir, sub(builtIn))
}

func sub(f fs.FS) fs.FS {
	s, err := fs.Sub(f, "templates")
	if err != nil {
		panic(err)
	}
	return s
}

// loadTheme returns the built-in templates, in place of some of which are the files of a folder, unless it is "". The error
// matches ErrTemplate.
func loadTheme(dir string) (*theme, error) {
	own, err := ownFiles(dir)
	if err != nil {
		return nil, err
	}
	t, err := parse(own)
	if err != nil {
		return nil, templateError(dir, own, err)
	}
	return t, nil
}

// parse returns the built-in templates, in place of some of which are others, and tries them on all kinds of pages.
func parse(own map[string][]byte) (*theme, error) {
	t := &theme{page: template.New(""), files: map[string][]byte{}, tags: map[string]string{}}
	for _, name := range TemplateNames() {
		text, ok := own[name]
		if !ok {
			var err error
			if text, err = builtIn.ReadFile(path.Join("templates", name)); err != nil {
				return nil, err
			}
		}
		if fileTypes[path.Ext(name)] != "" {
			t.files[name], t.tags[name] = text, fmt.Sprintf(`"%x"`, sha256.Sum256(text))
		} else if _, err := t.page.New(name).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	for _, p := range samples() {
		if err := t.page.ExecuteTemplate(io.Discard, pageName, p); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ownFiles returns the files of a folder, which are called as built-in ones. Those whose names begin with a dot, or end as
// copies of editors do, do not count.
func ownFiles(dir string) (map[string][]byte, error) {
	if dir == "" {
		return nil, nil
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, unusable(err.Error())
	}
	own := map[string][]byte{}
	for _, f := range all {
		name := f.Name()
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") {
			continue
		}
		if !slices.Contains(TemplateNames(), name) {
			return nil, unusablef("%s: it replaces nothing: built-in templates are %s", filepath.Join(dir, name), strings.Join(TemplateNames(), ", "))
		}
		if own[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, unusable(err.Error())
		}
	}
	return own, nil
}

// place is how errors of templates begin: the name of one, and a line.
var place = regexp.MustCompile(`^(?:html/)?template: ?([\w.-]+):(\d+)(?::\d+)?: `)

// templateError returns an error of a template of a folder, which begins with the file and the line. If what fails is a built-in
// one, it begins with the file without which that does not.
func templateError(dir string, own map[string][]byte, err error) error {
	text := strings.TrimPrefix(err.Error(), "html/template: ")
	if m := place.FindStringSubmatch(err.Error()); m != nil {
		text = strings.TrimPrefix(err.Error(), m[0])
		if _, ok := own[m[1]]; ok {
			return unusablef("%s:%s: %s", filepath.Join(dir, m[1]), m[2], text)
		}
		text = fmt.Sprintf("built-in %s:%s: %s", m[1], m[2], text)
	}
	for name, file := range own {
		if _, err := parse(map[string][]byte{name: file}); err != nil {
			return unusablef("%s: %s", filepath.Join(dir, name), text)
		}
	}
	return unusablef("%s: %s", dir, text)
}

// samples returns pages of each kind, which have all that pages may have.
func samples() []*page {
	c := choice{Text: "text", To: "./?q=text", Count: 2, Current: true}
	all := []choice{c, {Text: "", To: "./"}}
	full := page{Site: "Site", Title: "rose", Query: "rose", Kept: []kept{{"is.brand", "a"}}, From: 1, Words: "a", Meant: &c, Known: []string{"rose"},
		Unknown: []string{"a", "b"}, Left: []string{"the", "of"}, Ways: all, Picked: []picked{{"brand", "a", "./"}}, Clear: "./",
		Facets: []facet{{"brand", all, "./?more=brand"}}, Sorts: all, Pages: &pages{"./", "./", all, lastHit},
		Help: []example{{"rose", "./", "Documents"}}, All: "./", Took: "1 ms", Total: 2, Fresh: true,
		Hits: []hit{{Text: "Rose", To: "doc?id=1", ID: "1", Heading: []piece{{"Rose", true}, {" red", false}}}, {Text: "1", To: "doc?id=1", Passage: []piece{{"rose", true}}}}}
	empty := page{Site: "Site", Fresh: true}
	found, none, slips, failed, doc, bare := full, full, full, full, full, full
	found.Asked, none.Asked, slips.Asked, slips.Slips = true, true, true, true
	none.Total, none.Hits = 0, nil
	bare.Asked, bare.Total, bare.Unknown, bare.Hits = true, 0, nil, nil
	failed.Error = "error"
	doc.Document = &document{ID: "1", Fields: []field{{"title", []string{"Rose"}}, {"", []string{"text"}}}}
	return []*page{&full, &found, &none, &slips, &bare, &failed, &doc, &empty}
}

// file returns what answers with a file that pages load. Browsers keep it, and ask whether it has changed.
func (t *theme) file(name string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		h := w.Header()
		h.Set("Content-Type", fileTypes[path.Ext(name)])
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'") // of an icon that is opened as a page
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", t.tags[name])
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(string(t.files[name])))
		return nil
	}
}

// routes adds the files that pages load. Browsers ask for favicon.ico beside pages that are no HTML.
func (t *theme) routes(s *httpapi.Server) {
	for name := range t.files {
		s.HandleHTTP("GET /"+name, httpapi.Public, t.file(name))
	}
	s.HandleHTTP("GET /favicon.ico", httpapi.Public, t.file("icon.svg"))
}
