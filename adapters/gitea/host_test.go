package gitea_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/adapters/gitea"
)

// What follows stands for the host's declarations, with the parts that an indexer needs. It shows that the methods fit, and
// what is left to write in the host; README.md has that with the host's own types.
type (
	hostIndexer interface {
		Init(ctx context.Context) (bool, error)
		Ping(ctx context.Context) error
		Close()
		Index(ctx context.Context, repo *repository, sha string, changes *repoChanges) error
		Delete(ctx context.Context, repoID int64) error
		Search(ctx context.Context, opts *searchOptions) (int64, []*searchResult, []*searchResultLanguages, error)
		SupportedSearchModes() []searchMode
	}
	repository struct{ ID int64 }
	fileUpdate struct {
		Filename, BlobSha string
		Size              int64
		Sized             bool
	}
	repoChanges struct {
		Updates          []fileUpdate
		RemovedFilenames []string
	}
	searchModeType string
	searchMode     struct {
		ModeValue                searchModeType
		TooltipTrKey, TitleTrKey string
	}
	searchOptions struct {
		RepoIDs           []int64
		Keyword, Language string
		SearchMode        searchModeType
		Page, PageSize    int // in the host a Paginator, which has GetSkipTake
	}
	searchResult struct {
		RepoID               int64
		StartIndex, EndIndex int
		Filename, Content    string
		CommitID             string
		UpdatedUnix          int64
		Language, Color      string
	}
	searchResultLanguages struct {
		Language, Color string
		Count           int
	}
)

// GetSkipTake is that of the host's Paginator.
func (o *searchOptions) GetSkipTake() (skip, take int) { return (o.Page - 1) * o.PageSize, o.PageSize }

// glue makes a gitea.Indexer the host's. Three of the seven methods are the Indexer's own.
type glue struct {
	*gitea.Indexer
	git git
}

var _ hostIndexer = glue{}

func (g glue) Close() { g.Indexer.Close() }

func (g glue) Index(ctx context.Context, repo *repository, sha string, changes *repoChanges) error {
	c := &gitea.Changes{RemovedFilenames: changes.RemovedFilenames}
	for _, u := range changes.Updates {
		c.Updates = append(c.Updates, gitea.Update{Filename: u.Filename, BlobSHA: u.BlobSha, Size: u.Size, Sized: u.Sized})
	}
	return g.Indexer.Index(ctx, repo.ID, sha, c, g.git)
}

func (g glue) Search(ctx context.Context, opts *searchOptions) (int64, []*searchResult, []*searchResultLanguages, error) {
	skip, take := opts.GetSkipTake()
	found, err := g.Indexer.Search(ctx, gitea.Request{
		RepoIDs: opts.RepoIDs, Keyword: opts.Keyword, Language: opts.Language, Mode: gitea.Mode(opts.SearchMode), Skip: skip, Take: take,
	})
	if err != nil {
		return 0, nil, nil, err
	}
	var results []*searchResult
	for _, r := range found.Results {
		results = append(results, &searchResult{
			RepoID: r.RepoID, StartIndex: r.StartIndex, EndIndex: r.EndIndex, Filename: r.Filename, Content: r.Content,
			CommitID: r.CommitID, UpdatedUnix: r.UpdatedAt.Unix(), Language: r.Language, Color: "#" + r.Language,
		})
	}
	var languages []*searchResultLanguages
	for _, l := range found.Languages {
		languages = append(languages, &searchResultLanguages{Language: l.Language, Color: "#" + l.Language, Count: l.Count})
	}
	return found.Total, results, languages, nil
}

func (g glue) SupportedSearchModes() (modes []searchMode) {
	for _, m := range g.Indexer.SupportedSearchModes() {
		modes = append(modes, searchMode{ModeValue: searchModeType(m), TitleTrKey: "search." + string(m), TooltipTrKey: "search." + string(m) + "_tooltip"})
	}
	return modes
}

// git is a store of blobs.
type git map[string]string

var errNoBlob = errors.New("no such blob")

func (g git) Size(_ context.Context, sha string) (int64, error) {
	s, ok := g[sha]
	if !ok {
		return 0, errNoBlob
	}
	return int64(len(s)), nil
}

func (g git) Read(_ context.Context, sha string) ([]byte, error) {
	s, ok := g[sha]
	if !ok {
		return nil, errNoBlob
	}
	return []byte(s), nil
}

// put returns the change that adds a file.
func (g git) put(filename, content string) gitea.Update {
	sha := fmt.Sprintf("%x", content)
	g[sha] = content
	return gitea.Update{Filename: filename, BlobSHA: sha}
}

// recognize takes the ending of a name for the language, and what begins with PNG for no text.
func recognize(filename string, content []byte) ([]byte, string) {
	_, language, _ := strings.Cut(filename[strings.LastIndexByte(filename, '/')+1:], ".")
	if strings.HasPrefix(string(content), "PNG") {
		return nil, language
	}
	return content, language
}

// open returns an Indexer of a directory.
func open(t testing.TB, dir string) *gitea.Indexer {
	t.Helper()
	x := gitea.New(dir, gitea.Options{
		Recognize: recognize, Edits: 2, MaxFileSize: 50_000, Ignore: func(name string) bool { return strings.HasPrefix(name, "vendor/") },
	})
	if _, err := x.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	return x
}

// index makes x have files: pairs of a name and a content.
func index(t testing.TB, x *gitea.Indexer, repo int64, files ...string) {
	t.Helper()
	g, c := git{}, &gitea.Changes{}
	for pair := range slices.Chunk(files, 2) {
		c.Updates = append(c.Updates, g.put(pair[0], pair[1]))
	}
	if err := x.Index(context.Background(), repo, "head", c, g); err != nil {
		t.Fatal(err)
	}
}

// searched returns the hits as repository/name:text, where text is the part that matches.
func searched(t testing.TB, found gitea.Found, err error) (hits []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Results {
		hits = append(hits, fmt.Sprintf("%d/%s:%s", r.RepoID, r.Filename, r.Content[r.StartIndex:r.EndIndex]))
	}
	return hits
}

// The glue gives the host what it asks: what the host's own tests assert of its indexers, and what users see.
func TestHost(t *testing.T) {
	ctx := context.Background()
	x := gitea.New(t.TempDir(), gitea.Options{Recognize: recognize, Edits: 2})
	g := glue{Indexer: x, git: git{}}
	if err := g.Ping(ctx); !errors.Is(err, gitea.ErrClosed) {
		t.Errorf("Ping before Init: %v", err)
	}
	if existed, err := g.Init(ctx); existed || err != nil {
		t.Fatal(existed, err)
	}
	defer g.Close()
	put := func(repo int64, files ...string) {
		t.Helper()
		c := &repoChanges{}
		for pair := range slices.Chunk(files, 2) {
			u := g.git.put(pair[0], pair[1])
			c.Updates = append(c.Updates, fileUpdate{Filename: u.Filename, BlobSha: u.BlobSHA, Size: int64(len(pair[1])), Sized: true})
		}
		if err := g.Index(ctx, &repository{repo}, "c0ffee", c); err != nil {
			t.Fatal(err)
		}
	}
	put(1, "README.md", "# first\n\nA portrait of the first")
	put(62,
		"apple.md", "# second\n\na tart of pears and quinces",
		"pear/plum.md", "This is no cake",
		"plum.md", "This is clearly no cake",
		"quince.md", "Bread is good with butter",
		"hello.js", "window.alert(\"Good day\")",
		"logo.png", "PNG\x00\x01",
	)
	if err := g.Ping(ctx); err != nil {
		t.Error(err)
	}
	const words, fuzzy = searchModeType(gitea.Words), searchModeType(gitea.Fuzzy)
	for _, test := range []struct {
		repos   []int64
		keyword string
		mode    searchModeType
		want    []string
	}{
		{nil, "portrait", words, []string{"README.md"}},
		{[]int64{2}, "portrait", words, nil},
		{nil, "first", words, []string{"README.md"}},
		{[]int64{62, 2}, "first", words, nil},
		{nil, "not-there", words, nil},
		{[]int64{62}, "pears", words, []string{"apple.md"}},
		{[]int64{62}, "apple.md", words, []string{"apple.md"}},
		{[]int64{62}, "app", words, []string{"apple.md"}},
		{[]int64{62}, "APPLE.MD", words, []string{"apple.md"}},
		{[]int64{62}, "quince", words, []string{"quince.md"}},
		{[]int64{62}, "good", words, []string{"hello.js", "quince.md"}},
		{[]int64{62}, "quinces", words, []string{"apple.md"}},
		{[]int64{62}, "plum", words, []string{"pear/plum.md", "plum.md"}},
		{[]int64{62}, "pear", words, nil},
		{[]int64{62}, "pear/", words, []string{"pear/plum.md"}},
		{[]int64{62}, "pear/pl", words, []string{"pear/plum.md"}},
		{[]int64{62}, "This is no cake", words, []string{"pear/plum.md", "plum.md"}},
		{[]int64{62}, "This is no cake", "", []string{"pear/plum.md"}},
		{nil, "pORTRAIT", fuzzy, []string{"README.md"}},
		{nil, "portrtai", fuzzy, []string{"README.md"}},
		{nil, "portrtai", words, nil},
		{[]int64{62}, "window.alert", words, []string{"hello.js"}},
		{[]int64{62}, "alert", words, []string{"hello.js"}},
		{nil, "alert(\"Good", "", []string{"hello.js"}},
		{nil, "logo", words, []string{"logo.png"}},
		{nil, "x01", words, nil},
		{nil, "((", "", nil},
		{nil, "", "", nil},
		{nil, strings.Repeat("long", 20_000), words, nil},
		{[]int64{62}, strings.Repeat("long", 20_000), words, nil},
	} {
		total, results, languages, err := g.Search(ctx, &searchOptions{RepoIDs: test.repos, Keyword: test.keyword, SearchMode: test.mode, Page: 1, PageSize: 10})
		if err != nil {
			t.Fatal(err)
		}
		counted, got := 0, []string(nil)
		for _, r := range results {
			got = append(got, r.Filename)
			if r.CommitID != "c0ffee" || time.Since(time.Unix(r.UpdatedUnix, 0)) > time.Hour || r.StartIndex < 0 || r.StartIndex > r.EndIndex || r.EndIndex > len(r.Content) {
				t.Errorf("%.30q: %+v", test.keyword, r)
			}
		}
		for _, l := range languages {
			counted += l.Count
		}
		if !slices.Equal(got, test.want) || total != int64(len(test.want)) || counted != len(test.want) {
			t.Errorf("%v %.30q %s: %q (%d, %d with a language), want %q", test.repos, test.keyword, test.mode, got, total, counted, test.want)
		}
	}
	if err := g.Delete(ctx, 62); err != nil {
		t.Error(err)
	}
	if total, _, _, err := g.Search(ctx, &searchOptions{Keyword: "is", Page: 1, PageSize: 10}); total != 0 || err != nil {
		t.Errorf("after Delete: %d, %v", total, err)
	}
	if modes := g.SupportedSearchModes(); len(modes) != 2 || modes[0].TitleTrKey != "search.exact" || modes[1].TooltipTrKey != "search.words_tooltip" {
		t.Errorf("modes %v", modes)
	}
}
