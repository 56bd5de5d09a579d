package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// errNoPages is the error for a folder without a page.
var errNoPages = errors.New("there is no page of Markdown")

// assets is the folder of the site with what all pages need.
const assets = "_docs"

// collect reads the pages of the folder but for those in the folder out, hidden ones, and packages of JavaScript. It follows no
// symbolic links.
func (s *site) collect(ctx context.Context, out string) error {
	s.byPath = map[string]*page{}
	err := fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil || name == ".":
			return err
		case name == out || name == assets || name == s.options.Search || strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || s.excluded(name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !isMarkdown(name):
			return nil
		}
		text, err := s.root.ReadFile(name)
		if err != nil {
			return err
		}
		p, err := parse(name, text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.pages = append(s.pages, p)
		s.byPath[name] = p
		return nil
	})
	if err != nil {
		return err
	}
	if len(s.pages) == 0 {
		return errNoPages
	}
	return s.name()
}

// name gives the pages names in the site. README.md is the index of its folder, unless there is an index.md.
func (s *site) name() error {
	from := map[string]string{}
	for _, p := range s.pages {
		dir, file := path.Split(p.path)
		base := strings.TrimSuffix(file, path.Ext(file))
		if s.indexOf(path.Clean("./"+dir)) == p {
			base = "index"
		}
		p.out = dir + base + ".html"
		if other, ok := from[p.out]; ok {
			return fmt.Errorf("%s and %s would both be %s", other, p.path, p.out)
		}
		from[p.out] = p.path
	}
	return nil
}

// indexOf returns the page that a link to a folder leads to, or nil.
func (s *site) indexOf(dir string) *page {
	for _, name := range []string{"index.md", "README.md", "readme.md", "Readme.md"} {
		if p := s.byPath[path.Join(dir, name)]; p != nil {
			return p
		}
	}
	return nil
}

func (s *site) excluded(name string) bool {
	for _, pattern := range s.options.Exclude {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}
