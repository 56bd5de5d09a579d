package static

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader/host"
)

//go:embed web
var web embed.FS

// entryName is the name of the file that names the others.
const entryName = "search.json"

// entry is what search.js reads first.
type entry struct {
	Site      string                   `json:"site"` // the folder of the site, relative to the output folder
	Languages map[string]entryLanguage `json:"languages"`
}

// entryLanguage names what the pages of a language are searched with, relative to the output folder.
type entryLanguage struct {
	Index string `json:"index"` // ends in a slash
	// Whole are the manifest and the segment of an index that is fetched with the program, not by requests for ranges.
	Whole   []string `json:"whole,omitempty"`
	Program string   `json:"program"`
	Glue    string   `json:"glue"`
	Pages   int      `json:"pages"`
}

// mostWhole is the size in bytes of the largest segment that is fetched whole: the first search would need most of it, in several
// rounds of requests, and the program is larger.
const mostWhole = 1 << 20

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

// language writes what a language needs.
func (o *output) language(ctx context.Context, language string, pages []webPage, p Program) (l Language, of entryLanguage, err error) {
	x, sections, err := buildIndex(ctx, language, pages)
	if err != nil {
		return l, of, err
	}
	name := fmt.Sprintf("index-%x", x.id[:6])
	if language != "" {
		name = language + "-" + name
	}
	of = entryLanguage{Index: name + "/", Program: named("program", p.WASM, ".bin"), Glue: named("go", p.Glue, ".js"), Pages: len(pages)}
	files := []string{indexdir.ManifestName(answer.Generation), indexdir.SegmentName(answer.File)}
	if len(x.segment) <= mostWhole {
		of.Whole = files
	}
	names, err := json.Marshal(files)
	if err != nil {
		return l, of, err
	}
	o.keep[name] = true
	if err := o.root.MkdirAll(path.Join(o.dir, name), 0o777); err != nil {
		return l, of, err
	}
	for _, f := range []struct {
		name    string
		content []byte
	}{
		{path.Join(name, indexdir.SegmentName(answer.File)), x.segment},
		{path.Join(name, indexdir.ManifestName(answer.Generation)), x.manifest},
		{path.Join(name, host.NamesFile), names}, // for other readers: search.json says as much
		{of.Program, p.WASM},
		{of.Glue, p.Glue},
	} {
		if err := o.write(f.name, f.content); err != nil {
			return l, of, err
		}
	}
	return Language{
		Language: language, Pages: len(pages), Sections: sections, Index: int64(len(x.segment) + len(x.manifest)), Program: int64(len(p.WASM) + len(p.Glue)),
	}, of, nil
}

// named returns a name for content that no other has, so that browsers and hosts may keep the file for ever.
func named(what string, content []byte, ext string) string {
	sum := sha256.Sum256(content)
	return fmt.Sprintf("%s-%x%s", what, sum[:6], ext)
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

// unknown is what search.js has in place of the content of search.json.
var unknown = []byte("/* search.json */ null")

// finish writes the search box and then what names all files, and removes what it no longer names.
func (o *output) finish(e *entry) error {
	if len(e.Languages) == 0 {
		return errNoPages
	}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	files, err := web.ReadDir("web")
	if err != nil {
		return err
	}
	for _, f := range files {
		content, err := web.ReadFile("web/" + f.Name())
		if err != nil {
			return err
		}
		if err := o.write(f.Name(), bytes.Replace(content, unknown, text, 1)); err != nil {
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
