// Package compare_test puts bleve, as Gitea configures it, beside the code indexer on package pinion. It is a module of its own,
// so that no other has bleve.
package compare_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/unicodenorm"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/character"
	unicodewords "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	bq "github.com/blevesearch/bleve/v2/search/query"

	"github.com/pinion-index/pinion/adapters/gitea"
	"github.com/pinion-index/pinion/internal/cputime"
)

// The host's mapping for bleve, as of its version 1.27: an identifier is a token, and so are its letters and its digits if it
// has both; a path is the chain of its folders, from either end.

var runs = regexp.MustCompile("[a-zA-Z]+|[0-9]+")

type codeParts struct{}

func (codeParts) Filter(in analysis.TokenStream) (out analysis.TokenStream) {
	for _, t := range in {
		out = append(out, t)
		parts := runs.FindAllIndex(t.Term, -1)
		for _, p := range parts {
			if len(parts) > 1 {
				out = append(out, &analysis.Token{Term: t.Term[p[0]:p[1]], Start: t.Start + p[0], End: t.Start + p[1], Position: t.Position})
			}
		}
	}
	return out
}

type pathChains struct{}

func (pathChains) Filter(in analysis.TokenStream) (out analysis.TokenStream) {
	chain := func() {
		so := ""
		for _, t := range in {
			so = path.Join(so, string(t.Term))
			out = append(out, &analysis.Token{Term: []byte(so), Position: 1, End: len(so)})
		}
	}
	chain()
	if slices.Reverse(in); len(in) > 1 {
		chain()
	}
	return out
}

func init() {
	registry.RegisterTokenizer("code", func(map[string]any, *registry.Cache) (analysis.Tokenizer, error) {
		return character.NewCharacterTokenizer(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }), nil
	})
	registry.RegisterTokenFilter("parts", func(map[string]any, *registry.Cache) (analysis.TokenFilter, error) { return codeParts{}, nil })
	registry.RegisterTokenFilter("chains", func(map[string]any, *registry.Cache) (analysis.TokenFilter, error) { return pathChains{}, nil })
}

func bleveMapping(b *testing.B) mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	do(b, m.AddCustomTokenFilter("nfc", map[string]any{"type": unicodenorm.Name, "form": unicodenorm.NFC}))
	for name, parts := range map[string][2]string{"codeWords": {"code", "parts"}, "pathWords": {unicodewords.Name, "chains"}} {
		do(b, m.AddCustomAnalyzer(name, map[string]any{
			"type": custom.Name, "char_filters": []string{}, "tokenizer": parts[0], "token_filters": []string{"nfc", parts[1], lowercase.Name},
		}))
	}
	doc := bleve.NewDocumentMapping()
	add := func(field, analyzer string, f *mapping.FieldMapping) {
		f.IncludeInAll = false
		f.Analyzer = analyzer
		doc.AddFieldMappingsAt(field, f)
	}
	add("RepoID", "", bleve.NewNumericFieldMapping())
	add("Content", "", bleve.NewTextFieldMapping())
	add("Filename", "pathWords", bleve.NewTextFieldMapping())
	add("Language", keyword.Name, bleve.NewTextFieldMapping())
	add("CommitID", keyword.Name, bleve.NewTextFieldMapping())
	add("UpdatedAt", "", bleve.NewDateTimeFieldMapping())
	m.DefaultAnalyzer = "codeWords"
	m.AddDocumentMapping("file", doc)
	m.AddDocumentMapping("_all", bleve.NewDocumentDisabledMapping())
	return m
}

type bleveFile struct {
	RepoID                                int64
	CommitID, Content, Filename, Language string
	UpdatedAt                             time.Time
}

func (bleveFile) Type() string { return "file" }

// bleveIndex writes files as the host does, 16 at a time.
func bleveIndex(b *testing.B, x bleve.Index, files []sourceFile) {
	for part := range slices.Chunk(files, 16) {
		batch := x.NewBatch()
		for _, f := range part {
			_, language := recognize(f.name, nil)
			do(b, batch.Index(fmt.Sprintf("%d_%s", f.repo, f.name), bleveFile{f.repo, "head", f.content(), f.name, language, time.Now().UTC()}))
		}
		do(b, x.Batch(batch))
	}
}

// bleveSearch asks as the host does, and returns how many files match.
func bleveSearch(b *testing.B, x bleve.Index, word string, m gitea.Mode, repo int64) uint64 {
	name := bleve.NewPrefixQuery(strings.ToLower(word))
	name.SetField("Filename")
	name.SetBoost(10)
	var content bq.Query
	if m == gitea.Exact {
		q := bleve.NewMatchPhraseQuery(word)
		q.SetField("Content")
		content = q
	} else {
		q := bleve.NewMatchQuery(word)
		q.SetField("Content")
		if m == gitea.Words {
			q.SetOperator(bq.MatchQueryOperatorAnd)
		} else {
			q.SetFuzziness(min(2, len(word)/4))
		}
		content = q
	}
	q := bq.Query(bleve.NewDisjunctionQuery(content, name))
	if repo > 0 {
		at, yes := float64(repo), true
		r := bleve.NewNumericRangeInclusiveQuery(&at, &at, &yes, &yes)
		r.SetField("RepoID")
		q = bleve.NewConjunctionQuery(bleve.NewDisjunctionQuery(r), q)
	}
	r := bleve.NewSearchRequestOptions(q, pageSize, 0, false)
	r.Fields = []string{"Content", "Filename", "RepoID", "Language", "CommitID", "UpdatedAt"}
	r.IncludeLocations = true
	r.AddFacet("languages", bleve.NewFacetRequest("Language", 10))
	r.SortBy([]string{"-_score", "UpdatedAt"})
	found, err := x.Search(r)
	do(b, err)
	return found.Total
}

// recognize takes the ending of a name for the language.
func recognize(name string, content []byte) ([]byte, string) {
	return content, strings.TrimPrefix(path.Ext(name), ".")
}

// pageSize is the host's.
const pageSize = 20

func do(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

type sourceFile struct {
	repo             int64
	name, at, change string
	size             int
}

// content reads the file, so that no memory but the engine's is taken.
func (f *sourceFile) content() string {
	content, err := os.ReadFile(f.at)
	if err != nil {
		panic(err)
	}
	return strings.ToValidUTF8(string(content), "") + f.change
}

// sources returns the files of a tree that the host would index with their text.
func sources(b *testing.B, repo int64, root string) (files []sourceFile) {
	do(b, filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		do(b, err)
		if !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(at)
		do(b, err)
		name, err := filepath.Rel(root, at)
		do(b, err)
		if len(content) <= gitea.DefaultMaxFileSize && bytes.IndexByte(content[:min(8000, len(content))], 0) < 0 {
			files = append(files, sourceFile{repo: repo, name: filepath.ToSlash(name), at: at, size: len(content)})
		}
		return nil
	}))
	return files
}

// contents is a host's git of files, by number.
type contents []sourceFile

func (c contents) Size(context.Context, string) (int64, error) { panic("sizes are known") }
func (c contents) Read(_ context.Context, sha string) ([]byte, error) {
	i := 0
	_, err := fmt.Sscan(sha, &i)
	return []byte(c[i].content()), err
}

// pinionIndex writes files of one repository.
func pinionIndex(b *testing.B, x *gitea.Indexer, files []sourceFile) {
	c := &gitea.Changes{}
	for i, f := range files {
		c.Updates = append(c.Updates, gitea.Update{Filename: f.name, BlobSHA: fmt.Sprint(i), Size: int64(f.size), Sized: true})
	}
	do(b, x.Index(context.Background(), files[0].repo, "head", c, contents(files)))
}

// pinionOf returns an Indexer that knows languages as bleveIndex does.
func pinionOf(b *testing.B, dir string) *gitea.Indexer {
	x := gitea.New(dir, gitea.Options{Edits: 2, Recognize: recognize})
	_, err := x.Init(context.Background())
	do(b, err)
	return x
}

// helper says what the test program is to do in a process of its own: load or open, with which engine, and in which directory.
const helper = "PINION_BENCH_HELPER"

// BenchmarkHelper is run by BenchmarkCompare. It tells the memory of the process, and the time of a load.
func BenchmarkHelper(b *testing.B) {
	of := strings.SplitN(os.Getenv(helper), ":", 3)
	if len(of) != 3 {
		b.Skip("run by BenchmarkCompare")
	}
	var load timed
	switch of[0] + " " + of[1] {
	case "load bleve":
		x, err := bleve.New(of[2], bleveMapping(b))
		do(b, err)
		for _, files := range repositories(b) {
			load.run(func() { bleveIndex(b, x, files) })
		}
		do(b, x.Close())
	case "load pinion":
		x := pinionOf(b, of[2])
		for _, files := range repositories(b) {
			load.run(func() { pinionIndex(b, x, files) })
		}
		do(b, x.Close())
	case "open bleve":
		x, err := bleve.Open(of[2])
		do(b, err)
		defer x.Close()
		bleveSearch(b, x, "reader", gitea.Exact, 0)
	case "open pinion":
		x := pinionOf(b, of[2])
		defer x.Close()
		_, err := x.Search(context.Background(), gitea.Request{Keyword: "reader", Take: pageSize})
		do(b, err)
	}
	wall, cpu := load.wall, cputime.Process()
	runtime.GC()
	status, err := os.ReadFile("/proc/self/status")
	do(b, err)
	memory := regexp.MustCompile(`(VmHWM|VmRSS|RssAnon):\s*\d+ kB`).FindAllString(string(status), -1)
	logf("%s %s: wall %v, CPU with all else %v, %q", of[0], of[1], wall, cpu, memory)
}

// run runs BenchmarkHelper.
func run(b *testing.B, what string) {
	c := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=Helper", "-test.benchtime=1x", "-test.timeout=1h")
	c.Env = append(os.Environ(), helper+"="+what)
	c.Stderr = os.Stderr
	do(b, c.Run())
}

// trees names the directories that are indexed, as PATH does.
const trees = "PINION_BENCH_TREES"

// repositories returns the files of trees.
func repositories(b *testing.B) (all [][]sourceFile) {
	for i, root := range filepath.SplitList(os.Getenv(trees)) {
		all = append(all, sources(b, int64(i+1), root))
	}
	return all
}

func sizeOf(b *testing.B, dir string) (size int64) {
	do(b, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		do(b, err)
		if info, err := d.Info(); err == nil && !d.IsDir() {
			size += info.Size()
		}
		return nil
	}))
	return size
}

// logf writes a line as it comes: a benchmark shows few of them.
func logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// timed is how long calls have taken: on the clock, and CPU time of the process.
type timed struct{ wall, cpu []time.Duration }

func (t *timed) run(f func()) {
	wall, cpu := time.Now(), cputime.Process()
	f()
	t.wall, t.cpu = append(t.wall, time.Since(wall)), append(t.cpu, cputime.Process()-cpu)
}

func (t *timed) String() string {
	slices.Sort(t.wall)
	slices.Sort(t.cpu)
	at := func(d []time.Duration, q float64) time.Duration { return d[min(int(q*float64(len(d))), len(d)-1)] }
	return fmt.Sprintf("median %v, 99%% %v, CPU median %v, mean %v", at(t.wall, .5), at(t.wall, .99), at(t.cpu, .5), mean(t.cpu))
}

func mean(d []time.Duration) (sum time.Duration) {
	for _, t := range d {
		sum += t
	}
	return sum / time.Duration(len(d))
}

// BenchmarkCompare indexes trees of files with bleve as the host does and with an Indexer, changes files one by one, and asks
// both the same queries, made of identifiers of the files. In this directory:
//
//	export GOWORK=off PINION_BENCH_TREES=$(go env GOROOT)/src:DIRECTORY
//	go test -bench Compare -benchtime 1x -timeout 1h .
func BenchmarkCompare(b *testing.B) {
	repos := repositories(b)
	if len(repos) < 2 || os.Getenv(helper) != "" {
		b.Skip(trees + " does not name two directories")
	}
	files, size := slices.Concat(repos...), 0
	for _, f := range files {
		size += f.size
	}
	logf("%d files, %.1f MB", len(files), float64(size)/1e6)
	dir := b.TempDir()
	bleveDir, pinionDir := filepath.Join(dir, "bleve"), filepath.Join(dir, "pinion")
	run(b, "load:bleve:"+bleveDir)
	run(b, "load:pinion:"+pinionDir)
	var updates [2]timed
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 5 { // one of them open at a time, since both merge in the background
		var changed []sourceFile
		for i := range 40 {
			f := files[rnd.IntN(len(files))]
			f.change = fmt.Sprintf("\n// changed %d %d\n", round, i)
			changed = append(changed, f)
		}
		old, err := bleve.Open(bleveDir)
		do(b, err)
		for i := range changed {
			updates[0].run(func() { bleveIndex(b, old, changed[i:i+1]) })
		}
		do(b, old.Close())
		x := pinionOf(b, pinionDir)
		for i := range changed {
			updates[1].run(func() { pinionIndex(b, x, changed[i:i+1]) })
		}
		do(b, x.Close())
	}
	logf("update, bleve: %v\nupdate, pinion: %v", &updates[0], &updates[1])
	old, err := bleve.Open(bleveDir)
	do(b, err)
	x := pinionOf(b, pinionDir)
	word := regexp.MustCompile(`[A-Za-z]{4,}`)
	type asked struct {
		keyword string
		mode    gitea.Mode
		repo    int64
	}
	for _, kind := range []struct {
		name string
		of   func(words []string, at int) asked
	}{
		{"one word", func(w []string, at int) asked { return asked{w[at], gitea.Exact, 0} }},
		{"one word in a repository", func(w []string, at int) asked { return asked{w[at], gitea.Exact, 2} }},
		{"exact, three words", func(w []string, at int) asked { return asked{strings.Join(w[at:at+3], " "), gitea.Exact, 0} }},
		{"words, three of one file", func(w []string, at int) asked {
			return asked{w[at] + " " + w[len(w)/2] + " " + w[len(w)-1], gitea.Words, 0}
		}},
		{"fuzzy, a word without letter", func(w []string, at int) asked { return asked{w[at][:1] + w[at][2:], gitea.Fuzzy, 0} }},
	} {
		var times [2]timed
		same, queries := 0, 0
		for queries < 60 {
			w := word.FindAllString(files[rnd.IntN(len(files))].content(), -1)
			if len(w) < 10 {
				continue
			}
			q := kind.of(w, rnd.IntN(len(w)-3))
			queries++
			for range 3 {
				var was, is int64
				times[0].run(func() { was = int64(bleveSearch(b, old, q.keyword, q.mode, q.repo)) })
				times[1].run(func() {
					r := gitea.Request{Keyword: q.keyword, Mode: q.mode, Take: pageSize}
					if q.repo > 0 {
						r.RepoIDs = []int64{q.repo}
					}
					found, err := x.Search(context.Background(), r)
					do(b, err)
					is = found.Total
				})
				if was == is {
					same++
				}
			}
		}
		logf("%s: %d of %d have the same total\nbleve: %v\npinion: %v", kind.name, same/3, queries, &times[0], &times[1])
	}
	do(b, old.Close())
	do(b, x.Close())
	for i, at := range []string{bleveDir, pinionDir} {
		name := []string{"bleve", "pinion"}[i]
		logf("%s: %.1f MB on disk", name, float64(sizeOf(b, at))/1e6)
		run(b, "open:"+name+":"+at)
	}
}
