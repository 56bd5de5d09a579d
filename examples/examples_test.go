// Package examples holds short programs that use the library. Its tests compile
// and run them.
package examples

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var bins string // the folder of the programs

func TestMain(m *testing.M) {
	var err error
	if bins, err = os.MkdirTemp("", "examples"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(bins)
	os.Exit(code)
}

// build builds the examples that tests run, all at once.
var build = sync.OnceValue(func() error {
	args := []string{"build", "-ldflags=-s -w", "-o", bins + string(filepath.Separator)}
	for _, name := range append(slices.Clone(usages), "first") {
		args = append(args, "./"+name)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

// binary returns the file of an example.
func binary(t *testing.T, name string) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(bins, name)
}

// program builds an example and returns a function that runs it.
func program(t *testing.T, name string) func(args ...string) string {
	t.Helper()
	bin := binary(t, name)
	return func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &stderr)
		}
		return string(out)
	}
}

func TestPrograms(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new.idx")
	for _, p := range []struct {
		name string
		args []string
		want string
	}{
		{"write", []string{dir}, "merged 2 segments, dropped 1 document\n" +
			"0 b \"no rose without a thorn\"\n1 c \"a thorn in the flesh\"\n2 a \"a rose by any other name\"\n"},
		{"list", []string{dir, "rose", "thorn"}, "b: rose 1, thorn 1\n"},
		{"list", []string{dir, "rose", "tulip"}, ""},
		// N 3, lengths 5, 5 and 6, both terms in two documents: idf 0.4700.
		{"query", []string{dir, "rose thorn"}, "0.9647 b\n0.4823 c\n0.4471 a\n"},
		{"embed", []string{"light of the world"}, "2.16  Matthew 5:14  Ye are the light of the world. A city that is set on an hill cannot be hid.\n" +
			"0.76  Psalms 119:105  Thy word is a lamp unto my feet, and a light unto my path.\n"},
		{"sparse", []string{filepath.Join(t.TempDir(), "sparse.idx"), "sparse"}, "acme: cannot log in: a1 a2 a5\nacme: stop subscription payments: a3 a4 a5\n" +
			"bolt: charged twice refund: b3 b2 b5\nbolt: winter range: b4 b2\nacme: phone: a2 a6\n" +
			"words    nDCG@10 0.523, recall@10 0.500\nvectors  nDCG@10 0.972, recall@10 1.000\njoined   nDCG@10 0.956, recall@10 1.000\n"},
	} {
		if got := program(t, p.name)(p.args...); got != p.want {
			t.Errorf("%s %q prints\n%s\nwant\n%s", p.name, p.args[len(p.args)-1:], got, p.want)
		}
	}
}

// TestRemote searches an index behind an HTTP server. Small files are read with the first request for
// them.
func TestRemote(t *testing.T) {
	dir := t.TempDir()
	program(t, "write")(dir)
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			files.ServeHTTP(w, r)
			return
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			fmt.Fprintln(w, e.Name())
		}
	}))
	defer s.Close()
	want := "opened by N requests\nsearched and read by 0\n" +
		"0.9647 b no rose without a thorn\n0.4823 c a thorn in the flesh\n0.4471 a a rose by any other name\n"
	got := program(t, "remote")(s.URL+"/", "rose thorn")
	if got = regexp.MustCompile(`by [1-9]\d? requests`).ReplaceAllString(got, "by N requests"); got != want {
		t.Errorf("remote prints\n%s\nwant\n%s", got, want)
	}
}

// TestServer adds, replaces and deletes documents of a server, searches them, kills it, and searches
// what it had committed in the next one.
func TestServer(t *testing.T) {
	dir := t.TempDir()
	bin := binary(t, "server")
	start := func() (url string, kill func()) {
		cmd := exec.Command(bin, filepath.Join(dir, "new.idx"), "localhost:0")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill = sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
		t.Cleanup(kill)
		if _, err := fmt.Fscanln(out, &url); err != nil {
			t.Fatal(err)
		}
		return url, kill
	}
	ask := func(method, url, body string) string {
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusNoContent {
			t.Fatalf("%s %s: status %d, %s, %v", method, url, answer.StatusCode, text, err)
		}
		return string(text)
	}
	url, kill := start()
	if got := ask("GET", url+"/v1/search?q=rose", ""); got != "{\"hits\":[]}\n" {
		t.Fatalf("a new index answers %s", got)
	}
	ask("PUT", url+"/docs/a", "no rose without a thorn")
	ask("PUT", url+"/docs/b/1", "a thorn in the flesh")
	ask("PUT", url+"/docs/c", "a rose is a rose")
	ask("DELETE", url+"/docs/c", "")
	const want = `{"hits":[{"id":"a",`
	for !strings.HasPrefix(ask("GET", url+"/v1/search?q=rose", ""), want) {
		time.Sleep(10 * time.Millisecond) // until the next commit
	}
	kill()
	url, _ = start()
	if got := ask("GET", url+"/v1/search?q=rose+thorn&passages=", ""); !strings.HasPrefix(got, want) || strings.Count(got, `"id"`) != 2 || !strings.Contains(got, `"text":"a thorn in the flesh"`) {
		t.Errorf("after a kill it answers %s", got)
	}
}

// usages are the programs that say how they are used.
var usages = []string{"browser", "embed", "follow", "hybrid", "list", "logs", "query", "remote", "server", "shop", "sitesearch", "sparse", "write"}

// TestUsage checks that programs without arguments say which they want.
func TestUsage(t *testing.T) {
	for _, name := range usages {
		cmd := exec.Command(binary(t, name))
		out, _ := cmd.CombinedOutput()
		if !bytes.HasPrefix(out, []byte("usage: "+name+" ")) || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%s: exit code %d, %s", name, cmd.ProcessState.ExitCode(), out)
		}
	}
}

// TestFirst runs the program that README.md shows, in an empty directory and once more.
func TestFirst(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("first/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(source, []byte("package main"))
	if !bytes.Contains(readme, fmt.Appendf(nil, "```go\npackage main%s```\n", body)) {
		t.Error("README.md does not show examples/first/main.go as it is")
	}
	bin := binary(t, "first")
	// By english, without stop words: good occurs twice in one document, shepherd in both.
	const want = "1.12  John 10:11  I am the <mark>good</mark> <mark>shepherd</mark>: the <mark>good</mark> <mark>shepherd</mark> giveth his life for the sheep.\n" +
		"0.20  Psalms 23:1  The LORD is my <mark>shepherd</mark>; I shall not want.\n"
	if !bytes.Contains(readme, []byte("\n    "+strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n", "\n    ")+"\n")) {
		t.Error("README.md does not show what that prints")
	}
	dir := t.TempDir()
	for range 2 {
		cmd := exec.Command(bin)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%v, it prints\n%s\nwant\n%s", err, out, want)
		}
	}
}

// TestREADME holds what README.md says against the repository: the programs that
// it runs are there.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`go run \./([\w/-]+)`).FindAllSubmatch(readme, -1) {
		if _, err := os.Stat(filepath.Join("..", string(m[1]), "main.go")); err != nil {
			t.Errorf("%s: %v", m[0], err)
		}
	}
}
