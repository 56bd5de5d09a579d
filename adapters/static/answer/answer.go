// Package answer answers what a visitor of a site types, outside of browsers: it runs the reader that the search box runs.
package answer

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"modernc.org/quickjs"

	"github.com/pinion-index/pinion/adapters/static/internal/web"
)

// Searcher answers queries over an index. It is safe for concurrent use.
type Searcher struct {
	mu    sync.Mutex
	vm    *quickjs.VM
	files fs.FS
	err   error // of the file that was read last
	read  Reads
}

// Reads are how many files were read, and their bytes, as they are sent.
type Reads struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Answer is what is found, the best first.
type Answer struct {
	// Total is how many pages there are.
	Total int `json:"total"`
	// Any says that no page has all of the words, so that these have some of them.
	Any  bool  `json:"any"`
	Hits []Hit `json:"hits"`
	// Corrected are words that no page has, each with what was searched for in its place, and Missing those that are left out.
	Corrected [][2]string `json:"corrected"`
	Missing   []string    `json:"missing"`
	// Looked, unless 0, is how many of the best pages were looked at for words in quotation marks.
	Looked int `json:"looked,omitempty"`
}

// Hit is a page, by the section of it that matches best. Its texts are in parts: the first, third and so on are as they are, and
// those between are words of the query.
type Hit struct {
	URL     string   `json:"url"` // relative to the site
	Score   float64  `json:"score"`
	Title   []string `json:"title"`
	Heading []string `json:"heading,omitempty"`
	Text    []string `json:"text"` // the passage of the section that matches best
}

// prelude has what the engine lacks of a browser.
//
//go:embed prelude.js
var prelude string

// Open returns a Searcher over the folder of an index. The caller closes it.
func Open(files fs.FS) (_ *Searcher, err error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	s := &Searcher{vm: vm, files: files}
	defer func() {
		if err != nil {
			vm.Close()
		}
	}()
	if err := vm.RegisterFunc("readFile", s.content, false); err != nil {
		return nil, err
	}
	if _, err := vm.Eval(prelude+string(web.Reader())+"\nopen();", quickjs.EvalGlobal); err != nil {
		return nil, errors.Join(s.err, err)
	}
	return s, s.err
}

// Close frees what the Searcher holds.
func (s *Searcher) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vm.Close()
}

// content returns what a file holds, unpacked, in base64.
func (s *Searcher) content(name string) string {
	packed, err := fs.ReadFile(s.files, name)
	if err == nil {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			var b []byte
			if b, err = io.ReadAll(r); err == nil {
				s.read.Files++
				s.read.Bytes += int64(len(packed))
				return base64.StdEncoding.EncodeToString(b)
			}
		}
	}
	s.err = fmt.Errorf("%s: %w", name, err)
	return ""
}

// Search answers what was typed with k pages at most.
func (s *Searcher) Search(typed string, k int) (a Answer, err error) {
	err = s.call(&a, "search", typed, k)
	return a, err
}

// Words returns the words that the reader finds in a text, each followed by its parts, as package words has them.
func (s *Searcher) Words(text string) (all []string, err error) {
	err = s.call(&all, "listed", text)
	return all, err
}

// Reads returns what was read so far.
func (s *Searcher) Reads() Reads {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}

// call sets to to what a function of prelude.js returns in JSON.
func (s *Searcher) call(to any, function string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = nil
	x, err := s.vm.Call(function, args...)
	if s.err != nil || err != nil {
		return errors.Join(s.err, err)
	}
	text, ok := x.(string)
	if !ok {
		return fmt.Errorf("the reader returns %T", x)
	}
	return json.Unmarshal([]byte(text), to)
}
