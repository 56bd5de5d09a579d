// Package docs makes a site of a folder of Markdown, as GitHub shows it: each page beside a list of all, with links between pages
// that hold and a place for a search box. The same folder gives the same bytes.
//
//	docs.go        Build
//	folder.go      which files are pages
//	page.go        Markdown to a tree of HTML: titles, headings, tables
//	links.go       where links lead
//	navigation.go  the list of pages
//	layout.go      a page around its content; web has its template and style
//	output.go      the files of the site, and which of them are old
//	questions.go   what a search of the site must find
package docs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Options say what Build builds.
type Options struct {
	// Title is the name of the site; "" means the title of its first page.
	Title string
	// Language is that of all pages; "" means en.
	Language string
	// Navigation is the page whose links give the order of the pages, slash-separated; "" means docs/README.md, or else README.md.
	Navigation string
	// Source is the URL of the folder, where links to files that are no part of the site lead; with "" they become text.
	Source string
	// Exclude are patterns of path.Match for slash-separated paths of pages or folders that are left out.
	Exclude []string
	// Broken has pages written with broken links as text. Without it they are an error, and nothing is written.
	Broken bool
	// Search is the folder of the site with search.js; with "" pages have no search box.
	Search string
}

// Report says what Build has done.
type Report struct {
	Pages, Images int
	// Outside are the links to files of the folder that are no part of the site, in the order of the pages.
	Outside []Link
	// Broken are the links that lead nowhere.
	Broken []Link
	// Written, Same and Removed are numbers of files of the site: written, left since they are the same, and removed.
	Written, Same, Removed int
}

// Link is a link of a page to a file.
type Link struct {
	Page string // slash-separated
	Line int    // from 1, or 0 if it is not known
	To   string // as the page has it
	Why  string // it is broken, or ""
}

// String returns the place of the link, and where it leads.
func (l Link) String() string {
	at := l.Page
	if l.Line > 0 {
		at = fmt.Sprintf("%s:%d", l.Page, l.Line)
	}
	if l.Why != "" {
		return at + ": " + l.To + ": " + l.Why
	}
	return at + ": " + l.To
}

// Errors that Build returns match these.
var (
	ErrInvalid = errors.New("docs: invalid option")
	ErrBroken  = errors.New("docs: broken links")
)

// Build makes a site in the folder out of the Markdown in the folder dir. It replaces what it has written before, and refuses a folder
// with other files. With ErrBroken it returns a Report that names the links.
func Build(ctx context.Context, dir, out string, o Options) (*Report, error) {
	for _, pattern := range o.Exclude {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%w: pattern %q: %w", ErrInvalid, pattern, err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s := &site{root: root, options: o, language: cmp.Or(o.Language, "en"), images: map[string]bool{}}
	if err := s.collect(ctx, below(dir, out)); err != nil {
		return nil, err
	}
	if s.groups, err = s.navigation(); err != nil {
		return nil, err
	}
	s.title = cmp.Or(o.Title, s.order()[0].title)
	files, err := s.files(ctx)
	r := &s.report
	r.Pages, r.Images = len(s.pages), len(s.images)
	if err != nil {
		return nil, err
	}
	if len(r.Broken) > 0 && !o.Broken {
		return r, fmt.Errorf("%w: %d", ErrBroken, len(r.Broken))
	}
	return r, write(out, files, r)
}

// below returns the path of out in dir, slash-separated, or "" if it is not in it.
func below(dir, out string) string {
	from, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	to, err := filepath.Abs(out)
	if err != nil {
		return ""
	}
	name, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	return strings.TrimPrefix(filepath.ToSlash(name), "./")
}

// site is a site that is made.
type site struct {
	root     *os.Root
	options  Options
	title    string
	language string
	pages    []*page          // in the order of their paths
	byPath   map[string]*page // by the path of the Markdown
	groups   []group
	images   map[string]bool // by path
	report   Report
}
