package static

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion/adapters/static/page"
	"github.com/pinion-index/pinion/adapters/static/words"
	"github.com/pinion-index/pinion/internal/encodings"
)

// Skipped is a file that is not searched.
type Skipped struct {
	Path string `json:"path"`
	Why  Reason `json:"why"`
}

// Reason is why a file is not searched.
type Reason string

// The reasons.
const (
	Excluded  Reason = "excluded"             // by Options.Exclude
	Link      Reason = "symbolic link"        // leads to another file, or a folder
	TooLarge  Reason = "too large"            // more than MaxFile
	Broken    Reason = "not readable as HTML" // elements nested too deep
	Redirect  Reason = "redirect"             // leads to another page at once, as Hugo's aliases do
	NoIndex   Reason = "noindex"              // asks not to be found
	NotFound  Reason = "page of errors"       // 404.html at the top
	NotMarked Reason = "not marked"           // without data-pinion-body, which others have
	NoText    Reason = "no text"
)

// MaxFile is the size in bytes of the largest page.
const MaxFile = 32 << 20

// webPage is a page of a site.
type webPage struct {
	*page.Page
	path string // slash-separated, below the site
	url  string // relative to the site, escaped
}

// site is what a folder has.
type site struct {
	pages     map[string][]webPage // by language
	main      string               // the language of most pages that say theirs
	joined    int                  // pages of main that do not
	undecoded []string
	skipped   []Skipped
}

// language is what may stand in names of files.
var language = regexp.MustCompile(`^[a-z]{2,8}$`)

// collect reads the pages of a site in the order of their paths.
func collect(ctx context.Context, root *os.Root, o *Options) (*site, error) {
	var all []webPage
	s := &site{pages: map[string][]webPage{}}
	skip := func(name string, why Reason) { s.skipped = append(s.skipped, Skipped{name, why}) }
	files, marked := 0, false
	encoding, err := encodings.Named(o.Encoding)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil:
			return err
		case name == o.Out:
			return fs.SkipDir
		case excluded(name, o.Exclude):
			if d.IsDir() {
				return fs.SkipDir
			}
			if isHTML(name) {
				skip(name, Excluded)
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			skip(name, Link) // also of folders, which may have pages
			return nil
		case d.IsDir() || !d.Type().IsRegular() || !isHTML(name):
			return nil
		}
		p, why, err := s.read(root, name, encoding)
		if files++; o.Progress != nil {
			o.Progress(files)
		}
		switch {
		case err != nil:
			return err
		case why != "":
			skip(name, why)
		default:
			marked = marked || p.Marked
			all = append(all, webPage{p, name, address(name, p.Canonical)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var kept []webPage
	pages := map[string]int{}
	for _, p := range all {
		if marked && !p.Marked {
			skip(p.path, NotMarked)
			continue
		}
		if o.Language != "" {
			p.Language = o.Language
		}
		if p.Language = words.Primary(p.Language); !language.MatchString(p.Language) {
			p.Language = ""
		}
		pages[p.Language]++
		kept = append(kept, p)
	}
	s.main = mostPages(pages)
	for _, p := range kept {
		if p.Language == "" && s.main != "" {
			p.Language = s.main
			s.joined++
		}
		s.pages[p.Language] = append(s.pages[p.Language], p)
	}
	return s, nil
}

// mostPages returns the language of most pages that say theirs, the first in the alphabet of several, or "".
func mostPages(pages map[string]int) (most string) {
	for _, l := range slices.Sorted(maps.Keys(pages)) {
		if l != "" && (most == "" || pages[l] > pages[most]) {
			most = l
		}
	}
	return most
}

func isHTML(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".html" || ext == ".htm"
}

func excluded(name string, patterns []string) bool {
	for _, p := range patterns {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// read reads a page, or says why it is not searched. One that does not declare its encoding has other.
func (s *site) read(root *os.Root, name string, other encodings.Encoding) (p *page.Page, why Reason, err error) {
	if name == "404.html" {
		return nil, NotFound, nil
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, "", err
	}
	if len(text) > MaxFile {
		return nil, TooLarge, nil
	}
	encoding := encodings.OfPage(text, "", other)
	text = encoding.Decode(text)
	if p, err = page.Parse(bytes.NewReader(text)); err != nil {
		return nil, Broken, nil
	}
	switch {
	case p.Redirect:
		return nil, Redirect, nil
	case p.NoIndex:
		return nil, NoIndex, nil
	case len(p.Sections) == 0:
		return nil, NoText, nil
	}
	if !utf8.Valid(text) || !encoding.UTF8() && bytes.Contains(text, []byte("\ufffd")) {
		s.undecoded = append(s.undecoded, name)
	}
	return p, "", nil
}

// address returns the URL of a page relative to the site. A name index.html is left out, and an extension if the canonical URL
// has none.
func address(name, canonical string) string {
	dir, file := path.Split(name)
	switch base := strings.TrimSuffix(strings.TrimSuffix(file, ".html"), ".htm"); {
	case file == "index.html" || file == "index.htm":
		name = dir
	case canonicalEnds(canonical, base):
		name = dir + base
	}
	if name == "" {
		return "./"
	}
	escaped := (&url.URL{Path: name}).EscapedPath()
	return strings.ReplaceAll(escaped, ":", "%3A") // what stands before a colon is no scheme
}

// canonicalEnds reports whether the last part of a canonical URL is base.
func canonicalEnds(canonical, base string) bool {
	u, err := url.Parse(canonical)
	return err == nil && canonical != "" && path.Base(u.Path) == base && !strings.HasSuffix(u.Path, "/")
}

// errNoPages is the error for a folder without a page to search.
var errNoPages = errors.New("there is no page to search")
