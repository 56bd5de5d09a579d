// Package static makes a folder of HTML, such as Hugo, Docusaurus and other generators write, searchable in the browser alone: it
// writes an index in small files, and a search box that reads what a query needs. Any static host serves them.
//
// The same pages give the same bytes, whenever and wherever, so that a second run over an unchanged site changes no file.
//
//	static.go    Build
//	pages.go     which files are pages, and what of them is searched
//	postings.go  the words of the pages of a language, and what they weigh
//	fragments.go the files of an index
//	output.go    the files of the folder, and which of them are old
//	web          the search box, and the reader of an index, in JavaScript
//	page         what stands in a page of HTML
//	words        what the words of a text are
//	answer       what the reader finds, outside of browsers
package static

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	_ "github.com/pinion-index/pinion/analysis/languages"
	"github.com/pinion-index/pinion/query"

	"github.com/pinion-index/pinion/adapters/static/words"
)

// Options say what Build builds.
type Options struct {
	// Out is the folder that is written, relative to that of the site; "" means DefaultOut.
	Out string
	// Language is that of all pages, such as de; by default each page says its own.
	Language string
	// Encoding is the name that the web has for the encoding of pages which do not declare theirs, such as windows-1252. "" is UTF-8.
	Encoding string
	// Exclude are patterns of path.Match for slash-separated paths of pages or folders that are left out.
	Exclude []string
	// Synonyms, unless nil, are searched for with the words that visitors type. Rules of fields do not count.
	Synonyms *query.Synonyms
	// Progress, unless nil, is called after each file that was looked at with how many there were.
	Progress func(files int)
}

// DefaultOut is the default of Options.Out.
const DefaultOut = "_search"

// Report is what Build has done.
type Report struct {
	Languages []Language `json:"languages"`
	// Undecoded are the paths of pages with bytes that are not in the encoding which they declare, or else Options.Encoding, in their
	// order. The letters that they stand for are lost.
	Undecoded []string `json:"undecoded"`
	// Skipped are the files of HTML that are not searched, in the order of their paths.
	Skipped []Skipped `json:"skipped"`
	// Written, Same and Removed are numbers of files in the output folder: written, left since they are the same, and removed.
	Written int `json:"written"`
	Same    int `json:"same"`
	Removed int `json:"removed"`
}

// Language is what Build has done for the pages of a language.
type Language struct {
	Language string `json:"language"` // en, not en-US; "" if pages do not say
	Pages    int    `json:"pages"`
	Joined   int    `json:"joined"` // those of Pages that do not say their language: that of most pages
	Sections int    `json:"sections"`
	Words    int    `json:"words"` // distinct ones
	Files    int    `json:"files"`
	Index    int64  `json:"index"` // bytes
}

// ErrInvalid is matched by the errors for Options that make no sense.
var ErrInvalid = errors.New("static: invalid option")

// Build makes the site in the folder dir searchable. It reads and writes nothing outside of it, follows no symbolic links, and
// replaces what it has written before.
func Build(ctx context.Context, dir string, o Options) (*Report, error) {
	o.Out = cmp.Or(o.Out, DefaultOut)
	if o.Out = path.Clean(strings.ReplaceAll(o.Out, `\`, "/")); o.Out == "." || path.IsAbs(o.Out) || o.Out == ".." || strings.HasPrefix(o.Out, "../") {
		return nil, fmt.Errorf("%w: the output must be a folder below that of the site, not %q", ErrInvalid, o.Out)
	}
	for _, pattern := range o.Exclude {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%w: pattern %q: %w", ErrInvalid, pattern, err)
		}
	}
	if o.Language != "" && !language.MatchString(words.Primary(o.Language)) {
		return nil, fmt.Errorf("%w: %q is no language, as de and pt-BR are", ErrInvalid, o.Language)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found, err := collect(ctx, root, &o)
	if err != nil {
		return nil, err
	}
	r := &Report{Skipped: found.skipped, Undecoded: found.undecoded}
	out, err := newOutput(root, o.Out)
	if err != nil {
		return nil, err
	}
	entry := entry{Site: strings.Repeat("../", 1+strings.Count(o.Out, "/")), Languages: map[string]entryLanguage{}}
	for _, language := range slices.Sorted(maps.Keys(found.pages)) {
		pages := found.pages[language]
		l, of, err := out.language(language, pages, o.Synonyms)
		if err != nil {
			return nil, err
		}
		entry.Languages[language] = of
		if language == found.main {
			l.Joined = found.joined
		}
		r.Languages = append(r.Languages, l)
	}
	if err := out.finish(&entry); err != nil {
		return nil, err
	}
	r.Written, r.Same, r.Removed = out.written, out.same, out.removed
	return r, nil
}
