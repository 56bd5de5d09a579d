package gitea_test

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/adapters/gitea"
)

// modelFile is a file of the model.
type modelFile struct{ content, language, commit string }

// model is what an index should have: files by repository and name.
type model map[int64]map[string]modelFile

var (
	modelWords = []string{"get", "set", "name", "get_name", "setName", "x1"}
	modelParts = map[string][]string{"get_name": {"get", "name"}, "setName": {"set", "name"}, "x1": {"x", "1"}}
	modelNames = []string{"get", "name.go", "setup.md", "a/get.go", "a/name.md", "b/a/set.go"}
)

// parts returns the parts of the words of a text, in order and between spaces.
func parts(text string) string {
	all := " "
	for _, w := range strings.Fields(text) {
		if its := modelParts[w]; its != nil {
			all += strings.Join(its, " ") + " "
		} else {
			all += strings.ToLower(w) + " "
		}
	}
	return all
}

// has reports whether a word is in a text: as an identifier, or by its parts in order.
func has(text, word string) bool {
	same := func(w string) bool { return strings.EqualFold(w, word) }
	return slices.ContainsFunc(strings.Fields(text), same) || strings.Contains(parts(text), parts(word))
}

// matches reports whether a file matches a keyword of words between spaces, by its name and by its text.
func matches(name string, f modelFile, keyword string, m gitea.Mode) (byName, byText bool) {
	in := path.Base(name)
	if strings.Contains(keyword, "/") {
		in = name
	}
	byName = strings.HasPrefix(in, strings.ToLower(keyword)) || strings.Contains(in, "/"+strings.ToLower(keyword))
	words := strings.Fields(keyword)
	if m == gitea.Words || len(words) == 1 {
		return byName, !slices.ContainsFunc(words, func(w string) bool { return !has(f.content, w) })
	}
	return byName, phrased(f.content, words)
}

// phrased reports whether words stand in a text as a phrase: by their parts in a row, the last one also as an identifier.
// An identifier stands where its first part does, so that its second one follows it too.
func phrased(text string, words []string) bool {
	var places [][]string
	for _, w := range strings.Fields(text) {
		at := len(places)
		for _, p := range strings.Fields(parts(w)) {
			places = append(places, []string{p})
		}
		places[at] = append(places[at], strings.ToLower(w))
	}
	found := func(row []string) bool {
		for i := range max(0, len(places)-len(row)+1) {
			n := 0
			for n < len(row) && slices.Contains(places[i+n], row[n]) {
				n++
			}
			if n == len(row) {
				return true
			}
		}
		return false
	}
	last := len(words) - 1
	return found(strings.Fields(parts(strings.Join(words, " ")))) ||
		found(append(strings.Fields(parts(strings.Join(words[:last], " "))), strings.ToLower(words[last])))
}

// search returns the files that match as repository/name, those found by name first, and how many are in each language.
func (m model) search(r gitea.Request) (byName, byText []string, languages map[string]int) {
	languages = map[string]int{}
	for repo, files := range m {
		if len(r.RepoIDs) > 0 && !slices.Contains(r.RepoIDs, repo) {
			continue
		}
		for name, f := range files {
			n, t := matches(name, f, r.Keyword, r.Mode)
			if !n && !t {
				continue
			}
			if f.language != "" {
				languages[f.language]++
			}
			id := fmt.Sprintf("%d/%s", repo, name)
			switch {
			case r.Language != "" && r.Language != f.language:
			case n:
				byName = append(byName, id)
			default:
				byText = append(byText, id)
			}
		}
	}
	return byName, byText, languages
}

// Whatever commits change, also with a restart in between: searches find what a plain map says, page by page.
func TestModel(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	x := open(t, dir)
	defer func() { x.Close() }()
	repos := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		base := repos // each check has repositories of its own
		repos += 3
		m, g := model{}, git{}
		repo := func() int64 { return base + rapid.Int64Range(1, 3).Draw(t, "repository") }
		do := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "commits") {
			r := repo()
			if rapid.IntRange(0, 7).Draw(t, "delete") == 0 {
				do(x.Delete(ctx, r))
				delete(m, r)
				continue
			}
			if m[r] == nil {
				m[r] = map[string]modelFile{}
			}
			c, commit := &gitea.Changes{}, fmt.Sprint("commit", i)
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(modelNames), 0, 6, rapid.ID).Draw(t, "files") {
				if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
					c.RemovedFilenames = append(c.RemovedFilenames, name)
					delete(m[r], name)
					continue
				}
				f := modelFile{strings.Join(rapid.SliceOfN(rapid.SampledFrom(modelWords), 0, 5).Draw(t, "content"), " "), strings.TrimPrefix(path.Ext(name), "."), commit}
				c.Updates = append(c.Updates, g.put(name, f.content))
				m[r][name] = f
			}
			do(x.Index(ctx, r, commit, c, g))
		}
		if rapid.IntRange(0, 15).Draw(t, "restart") == 0 {
			do(x.Close())
			existed, err := x.Init(ctx)
			do(err)
			if !existed && slices.ContainsFunc(slices.Collect(maps.Values(m)), func(f map[string]modelFile) bool { return len(f) > 0 }) {
				t.Fatal("the index has lost all files")
			}
		}
		for range 4 {
			r := gitea.Request{RepoIDs: []int64{base + 1, base + 2, base + 3}, Mode: rapid.SampledFrom([]gitea.Mode{gitea.Exact, gitea.Words}).Draw(t, "mode")}
			if rapid.Bool().Draw(t, "one") {
				r.RepoIDs = []int64{repo()}
			}
			r.Keyword = strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(append(modelWords, "SETNAME")), 1, 2, strings.ToLower).Draw(t, "keyword"), " ")
			if rapid.IntRange(0, 4).Draw(t, "path") == 0 {
				r.Keyword = rapid.SampledFrom([]string{"a/", "a/ge", "a/set.go", "b/a"}).Draw(t, "keyword")
				r.Mode = gitea.Exact
			}
			r.Language = rapid.SampledFrom([]string{"", "go", "none"}).Draw(t, "language")
			byName, byText, languages := m.search(r)
			total, found := int64(len(byName)+len(byText)), []string(nil)
			r.Take = rapid.IntRange(1, 20).Draw(t, "take")
			for r.Skip = 0; ; r.Skip += r.Take {
				page, err := x.Search(ctx, r)
				do(err)
				counted := map[string]int{}
				for _, l := range page.Languages {
					counted[l.Language] = l.Count
				}
				if page.Total != total || !maps.Equal(counted, languages) {
					t.Fatalf("%+v: %d files, languages %v, want %d and %v", r, page.Total, counted, total, languages)
				}
				for _, h := range page.Results {
					if f := m[h.RepoID][h.Filename]; f != (modelFile{h.Content, h.Language, h.CommitID}) {
						t.Fatalf("%+v: found %+v, want %+v", r, h, f)
					}
					found = append(found, fmt.Sprintf("%d/%s", h.RepoID, h.Filename))
				}
				if len(page.Results) < r.Take {
					break
				}
			}
			first := min(len(byName), len(found))
			slices.Sort(found[:first])
			slices.Sort(found[first:])
			slices.Sort(byName)
			slices.Sort(byText)
			if !slices.Equal(found, append(byName, byText...)) {
				t.Fatalf("%+v: found %q, want %q and %q of %v", r, found, byName, byText, m)
			}
		}
	})
}
