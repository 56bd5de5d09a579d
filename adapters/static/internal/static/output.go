package static

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/pinion-index/pinion/query"

	"github.com/pinion-index/pinion/adapters/static/internal/web"
)

// entryName is the name of the file that names the others.
const entryName = "search.json"

// entry is what search.js reads first.
type entry struct {
	Site      string                   `json:"site"` // the folder of the site, relative to the output folder
	Languages map[string]entryLanguage `json:"languages"`
}

// entryLanguage names what the pages of a language are searched with, relative to the output folder.
type entryLanguage struct {
	Index string `json:"index"` // a folder; ends in a slash
	Pages int    `json:"pages"`
}

// output is the folder that Build writes.
type output struct {
	root                   *os.Root
	dir                    string
	keep                   map[string]bool // names in dir
	written, same, removed int
}

func newOutput(root *os.Root, dir string) (*output, error) {
	o := &output{root: root, dir: dir, keep: map[string]bool{}}
	return o, root.MkdirAll(dir, 0o777)
}

// language writes the index of the pages of a language.
func (o *output) language(language string, pages []webPage, synonyms *query.Synonyms) (l Language, of entryLanguage, err error) {
	x, err := newIndex(language, pages)
	if err != nil {
		return l, of, err
	}
	files, err := x.files(language, synonyms)
	if err != nil {
		return l, of, err
	}
	name := nameOf(language, files)
	o.keep[name] = true
	if err := o.root.MkdirAll(path.Join(o.dir, name), 0o777); err != nil {
		return l, of, err
	}
	l = Language{Language: language, Pages: len(pages), Sections: len(x.sections), Words: len(x.forms), Files: len(files)}
	for _, f := range files {
		if err := o.write(path.Join(name, f.name), f.content); err != nil {
			return l, of, err
		}
		l.Index += int64(len(f.content))
	}
	return l, entryLanguage{Index: name + "/", Pages: len(pages)}, nil
}

// write writes a file, unless it is there with the same content.
func (o *output) write(name string, content []byte) error {
	o.keep[name] = true
	full := path.Join(o.dir, name)
	if old, err := o.root.ReadFile(full); err == nil && bytes.Equal(old, content) {
		o.same++
		return nil
	}
	o.written++
	if err := o.root.WriteFile(full+".tmp", content, 0o666); err != nil {
		return err
	}
	return o.root.Rename(full+".tmp", full)
}

// finish writes the search box and then what names all files, and removes what it no longer names.
func (o *output) finish(e *entry) error {
	if len(e.Languages) == 0 {
		return errNoPages
	}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	files := web.Files(text)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := o.write(name, files[name]); err != nil {
			return err
		}
	}
	if err := o.write(entryName, append(text, '\n')); err != nil {
		return err
	}
	return o.sweep()
}

// ours matches the names that only Build makes.
var ours = regexp.MustCompile(`^(?:(?:[a-z]{2,8}-)?index-[0-9a-f]{12}|(?:program|go)-[0-9a-f]{12}\.(?:bin|js))(?:\.tmp)?$`)

// sweep removes what earlier runs have written.
func (o *output) sweep() error {
	names, err := fs.ReadDir(o.root.FS(), o.dir)
	if err != nil {
		return err
	}
	for _, f := range names {
		if o.keep[f.Name()] || !ours.MatchString(f.Name()) {
			continue
		}
		o.removed++
		err = errors.Join(err, o.root.RemoveAll(path.Join(o.dir, f.Name())))
	}
	return err
}

// IndexOf returns the name of the folder of the index for pages in a language, or with "" of the language of most pages, in the output
// folder out of a site.
func IndexOf(out, language string) (string, error) {
	text, err := os.ReadFile(filepath.Join(out, entryName))
	if err != nil {
		return "", err
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return "", fmt.Errorf("%s: %w", entryName, err)
	}
	if language == "" {
		for l, of := range e.Languages {
			if most := e.Languages[language].Pages; of.Pages > most || of.Pages == most && l < language {
				language = l
			}
		}
	}
	of, ok := e.Languages[language]
	if !ok || !filepath.IsLocal(of.Index) {
		return "", fmt.Errorf("%s has no index of pages in %q", entryName, language)
	}
	return filepath.FromSlash(of.Index), nil
}
