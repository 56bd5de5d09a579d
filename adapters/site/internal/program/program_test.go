package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
)

// run runs the command to its end.
func run(ctx context.Context, args ...string) (output string, err error) {
	var out bytes.Buffer
	cmd := Site()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err = cli.Execute(ctx, cmd)
	return out.String(), err
}

// file writes a file and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each flag can be wrong, which is said by its name, and before anything is served.
func TestMisuse(t *testing.T) {
	t.Setenv(TokenVariable, "")
	dir := filepath.Join(t.TempDir(), "x")
	good, none := file(t, "docs.jsonl", `{"id": "1", "contents": "rose"}`), filepath.Join(t.TempDir(), "none")
	empty := file(t, "empty", "\n")
	wrong := file(t, "wrong.json", `{"fields": [{"name": "text", "kind": "text", "analyzer": "klingon"}]}`)
	right := file(t, "right.json", `{"fields": [{"name": "text", "kind": "text"}]}`)
	for _, tt := range []struct {
		args string
		code int
		text string
	}{
		{"", cli.ExitUsage, "DIR"},
		{"--nothing " + dir, cli.ExitUsage, "--nothing"},
		{"--listen nowhere " + dir, cli.ExitFailed, "--listen"},
		{"--listen 0.0.0.0:0 " + dir, cli.ExitFailed, "--listen: httpapi: an address beyond"},
		{"--listen 0.0.0.0:0 --no-token " + dir, cli.ExitFailed, "an address beyond"},
		{"--listen 0.0.0.0:0 --public-page " + dir, cli.ExitFailed, "an address beyond"},
		{"--tokens " + none + " " + dir, cli.ExitFailed, "--tokens"},
		{"--tokens " + empty + " " + dir, cli.ExitUsage, "--tokens"},
		{"--tokens " + file(t, "short", "short") + " " + dir, cli.ExitUsage, "16"},
		{"--no-token --tokens " + file(t, "tokens", strings.Repeat("a", 20)) + " " + dir, cli.ExitUsage, "--no-token"},
		{"--certificate " + good + " " + dir, cli.ExitUsage, "--certificate"},
		{"--key " + good + " " + dir, cli.ExitUsage, "--key"},
		{"--client-authority " + good + " " + dir, cli.ExitUsage, "--client-authority"},
		{"--deadline -1s " + dir, cli.ExitUsage, "--deadline is above 0"},
		{"--deadline 0s " + dir, cli.ExitUsage, "--deadline is above 0"},
		{"--deadline x " + dir, cli.ExitUsage, "--deadline"},
		{"--drain-delay -1s " + dir, cli.ExitUsage, "--drain-delay is not negative"},
		{"--templates " + none + " " + dir, cli.ExitUsage, "--templates: open " + none},
		{"--templates " + filepath.Dir(good) + " " + dir, cli.ExitUsage, "docs.jsonl: it replaces nothing"},
		{"templates", cli.ExitUsage, "FOLDER"},
		{"templates " + good, cli.ExitFailed, good},
		{"--title", cli.ExitUsage, "--title"},
		{"--public-page=x " + dir, cli.ExitUsage, "--public-page"},
		{"--backups", cli.ExitUsage, "--backups"},
		{"--map x " + dir, cli.ExitUsage, "--map"},
		{"--field a:b:c " + dir, cli.ExitUsage, "--field"},
		{"--schema " + none + " " + dir, cli.ExitFailed, "--schema"},
		{"--schema " + good + " " + dir, cli.ExitUsage, "--schema"},
		{"--language tlh " + dir, cli.ExitUsage, `--language: language "tlh": there is no analyzer`},
		{"--language en --analyzer simple " + dir, cli.ExitUsage, "--language and --analyzer"},
		{"--language en --schema " + file(t, "german.json", `{"language": "de", "fields": [{"name": "text", "kind": "text"}]}`) + " " + dir, cli.ExitUsage, `--language is "en", and in --schema "de"`},
		{"--schema " + file(t, "klingon.json", `{"language": "tlh", "fields": [{"name": "text", "kind": "text"}]}`) + " " + dir, cli.ExitUsage, `language "tlh"`},
		{"--field price:double " + dir, cli.ExitUsage, "--field price: \"double\" is no kind of field (text, keyword, integer, float, time, impacts, vector)"},
		{"--field price:double " + dir, cli.ExitUsage, "did you mean float?"},
		{"--field name --field name " + dir, cli.ExitUsage, "is given twice"},
		{"--schema " + wrong + " " + dir, cli.ExitUsage, "unknown analyzer \"klingon\""},
		{"--schema " + right + " --analyzer german " + dir, cli.ExitUsage, "--analyzer: in the schema, each field has its own"},
		{"--field name:english --analyzer german " + dir, cli.ExitUsage, "--analyzer german: no field takes it"},
		{"--field name --analyzer klingon " + dir, cli.ExitUsage, "unknown analyzer \"klingon\""},
		{"--encoding klingon " + dir, cli.ExitUsage, "--encoding: unknown encoding"},
		{"--analyzer none " + dir, cli.ExitUsage, "--analyzer"},
		{"--memory x " + dir, cli.ExitUsage, "--memory"},
		{"--memory 1KiB " + dir, cli.ExitUsage, "--memory is at least"},
		{"--max-body x " + dir, cli.ExitUsage, "--max-body"},
		{"--max-body 0 " + dir, cli.ExitUsage, "--max-body is above 0"},
		{"--no-token --public-page " + dir, cli.ExitUsage, "--public-page says nothing beside --no-token"},
		{"--max-requests 0 " + dir, cli.ExitUsage, "--max-requests"},
		{"--listen localhost:0 " + dir + " " + none, cli.ExitFailed, none},
		{good, cli.ExitOpen, good},
	} {
		out, err := run(t.Context(), strings.Fields(tt.args)...)
		if cli.ExitCode(err) != tt.code || !strings.Contains(out, tt.text) {
			t.Errorf("%s: %d, want %d with %q:\n%s", tt.args, cli.ExitCode(err), tt.code, tt.text, out)
		}
	}
	t.Setenv(TokenVariable, strings.Repeat("a", 20))
	if out, err := run(t.Context(), "--no-token", dir); cli.ExitCode(err) != cli.ExitUsage {
		t.Errorf("--no-token with a token: %v\n%s", err, out)
	}
}

// serving runs the command until the test ends, and returns the lines that it prints up to the address.
func serving(t *testing.T, args ...string) []string {
	t.Helper()
	return servingTo(t, io.Discard, args...)
}

// servingTo is serving with what is written to standard error.
func servingTo(t *testing.T, stderr io.Writer, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	cmd := Site()
	cmd.SetArgs(args)
	cmd.SetOut(w)
	cmd.SetErr(stderr)
	ended := make(chan error, 1)
	go func() {
		err := cli.Execute(ctx, cmd)
		w.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the end: %v", err)
		}
	})
	lines, err := linesUpTo(r, "http")
	if err != nil {
		t.Fatalf("%v: %v, %q", args, err, lines)
	}
	return lines
}

// linesUpTo reads lines up to one that begins so.
func linesUpTo(r io.Reader, prefix string) (lines []string, err error) {
	var b []byte
	for c := make([]byte, 1); ; {
		if _, err := r.Read(c); err != nil {
			return lines, err
		}
		if c[0] != '\n' {
			b = append(b, c[0])
			continue
		}
		lines = append(lines, string(b))
		if b = nil; strings.HasPrefix(lines[len(lines)-1], prefix) {
			return lines, nil
		}
	}
}

// status returns what a request is answered with.
func status(t *testing.T, url, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(body)
}

// The token is made up, from the environment, or from a file.
func TestTokens(t *testing.T) {
	t.Setenv(TokenVariable, "")
	docs := file(t, "docs.jsonl", `{"id": "1", "name": "Rose", "brand": "a"}`+"\n")
	dir := filepath.Join(t.TempDir(), "x")
	t.Run("made up", func(t *testing.T) {
		lines := serving(t, "--listen", "localhost:0", "--field", "name:text", "--field", "brand:keyword:column", dir, docs)
		token, ok := strings.CutPrefix(lines[0], "token: ")
		if len(lines) != 2 || !ok || len(token) < 20 {
			t.Fatalf("printed %q", lines)
		}
		if code, _ := status(t, lines[1]+"/v1/search?q=rose", ""); code != 401 {
			t.Errorf("without a token: %d", code)
		}
		if code, text := status(t, lines[1]+"/v1/search?q=rose&facets=brand", token); code != 200 || !strings.Contains(text, `"value":"a","count":1`) {
			t.Errorf("with it: %d %s", code, text)
		}
	})
	t.Run("given", func(t *testing.T) {
		t.Setenv(TokenVariable, "0123456789abcdef")
		lines := serving(t, "--listen", "localhost:0", "--public-page", "--field", "price:float:column", dir)
		if len(lines) != 1 {
			t.Errorf("printed %q", lines)
		}
		if code, text := status(t, lines[0]+"/v1/index", "0123456789abcdef"); code != 200 || !strings.Contains(text, `"price"`) || !strings.Contains(text, `"brand"`) {
			t.Errorf("the schema: %d %s", code, text)
		}
		if code, text := status(t, lines[0]+"/?q=rose", ""); code != 200 || !strings.Contains(text, "<mark>") {
			t.Errorf("the page: %d %s", code, text)
		}
	})
	t.Run("none", func(t *testing.T) {
		lines := serving(t, "--listen", "localhost:0", "--no-token", dir)
		if code, _ := status(t, lines[0]+"/v1/search?q=rose", ""); code != 200 || len(lines) != 1 {
			t.Errorf("%q: %d", lines, code)
		}
	})
}

// The built-in templates can be written, changed and used. What is wrong in one is said with its line.
func TestTemplates(t *testing.T) {
	t.Setenv(TokenVariable, "")
	look := filepath.Join(t.TempDir(), "look")
	out, err := run(t.Context(), "templates", look)
	if err != nil || !strings.Contains(out, filepath.Join(look, "page.html")+"\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	footer := filepath.Join(look, "footer.html")
	if err := os.WriteFile(footer, []byte("<footer>Ours</footer>"), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := serving(t, "--listen", "localhost:0", "--no-token", "--templates", look, filepath.Join(t.TempDir(), "x"))
	if code, text := status(t, lines[0], ""); code != 200 || !strings.Contains(text, "<footer>Ours</footer>") {
		t.Errorf("%d %s", code, text)
	}
	if err := os.WriteFile(footer, []byte("\n{{.Nope}}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t.Context(), "--templates", look, filepath.Join(t.TempDir(), "x")); cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(out, "--templates: "+footer+":2: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Files of a folder that are no documents are left out, and said.
func TestFolder(t *testing.T) {
	t.Setenv(TokenVariable, "")
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "# Roses", "b.png": "\x89PNG\r\n\x1a\n\x00\x00", "c.txt": "tulips"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run(t.Context(), "--listen", "localhost:0", filepath.Join(t.TempDir(), "x"), dir, filepath.Join(t.TempDir(), "none"))
	if err == nil || !strings.Contains(out, "2 documents of ") || !strings.Contains(out, "skipped: 1 file without documents, the first ") || !strings.Contains(out, "b.png") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Tokens may come with what editors and shells write around them: a byte order mark, ends of lines, or UTF-16.
func TestTokensAsWritten(t *testing.T) {
	const first, second = "0123456789abcdef0123", "fedcba98765432100123"
	wide := "\xff\xfe"
	for _, c := range first + "\r\n" {
		wide += string([]byte{byte(c), 0})
	}
	for _, tt := range []struct{ file, variable string }{
		{"\ufeff" + first + "\n" + second + "\n", ""},
		{"\ufeff" + first + "\r\n\r\n" + second, ""},
		{wide, second + "\n"},
		{first + "\n", "\ufeff" + second + "\r\n"},
	} {
		t.Setenv(TokenVariable, tt.variable)
		lines := serving(t, "--listen", "localhost:0", "--tokens", file(t, "tokens.txt", tt.file), filepath.Join(t.TempDir(), "x"))
		for _, token := range []string{first, second} {
			if code, body := status(t, lines[len(lines)-1]+"/v1/search?q=x", token); code != 200 {
				t.Errorf("%q, %q: token %s: %d %s", tt.file, tt.variable, token, code, body)
			}
		}
	}
	t.Setenv(TokenVariable, first+" "+second)
	if out, err := run(t.Context(), filepath.Join(t.TempDir(), "x")); cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(out, TokenVariable) {
		t.Errorf("two tokens: %v\n%s", err, out)
	}
}

// What is not UTF-8 is said, and decoded on demand.
func TestEncoding(t *testing.T) {
	t.Setenv(TokenVariable, "")
	csv := file(t, "latin1.csv", "id,text\n1,M\xfcller\n")
	none := filepath.Join(t.TempDir(), "none") // ends the command
	out, err := run(t.Context(), "--listen", "localhost:0", filepath.Join(t.TempDir(), "x"), csv, none)
	if err == nil || !strings.Contains(out, "not UTF-8: 1 document, the first "+csv+`:2: document "1"`) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = run(t.Context(), "--listen", "localhost:0", "--encoding", "latin1", filepath.Join(t.TempDir(), "x"), csv, none)
	if err == nil || strings.Contains(out, "UTF-8") || !strings.Contains(out, "1 document of "+csv) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = run(t.Context(), "--encoding", "latin-one", filepath.Join(t.TempDir(), "x"), csv); err == nil || !strings.Contains(out, "unknown encoding") {
		t.Errorf("%v\n%s", err, out)
	}
}

// One flag says the language of all texts, of documents of one text and of fields.
func TestLanguage(t *testing.T) {
	t.Setenv(TokenVariable, "")
	docs := file(t, "docs.jsonl", `{"id": "1", "title": "red roses", "contents": "rose gardens"}`)
	spoken := file(t, "schema.json", `{"language": "en", "fields": [{"name": "title", "kind": "text"}]}`)
	none := filepath.Join(t.TempDir(), "none") // ends the command
	for flags, want := range map[string]string{"--language en": "english", "--language en --field title": "english", "--schema " + spoken: "english", "--field title": "standard"} {
		dir := filepath.Join(t.TempDir(), "x")
		for range 2 { // and again what there is
			out, err := run(t.Context(), append(strings.Fields(flags), "--listen", "localhost:0", dir, docs, none)...)
			if err == nil || !strings.Contains(out, "1 document of ") {
				t.Fatalf("%s: %v\n%s", flags, err, out)
			}
		}
		r, err := pinion.OpenReader(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Schema().Fields[0]; f.Analyzer != want {
			t.Errorf("%s: %+v", flags, f)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// saidLines are the lines written to it.
type saidLines chan string

func (s saidLines) Write(b []byte) (int, error) {
	s <- string(b)
	return len(b), nil
}

// With --gpu the program says at the start and in its metrics which processors answer, with a GPU and without, and answers.
func TestGPU(t *testing.T) {
	t.Setenv(TokenVariable, "")
	said := make(saidLines, 100)
	lines := servingTo(t, said, "--gpu", "--no-token", "--listen", "localhost:0", filepath.Join(t.TempDir(), "x"), file(t, "docs.jsonl", `{"id": "1", "contents": "a rose"}`))
	url := lines[len(lines)-1]
	var line string
	for !strings.HasPrefix(line, "--gpu: ") || strings.Contains(line, "until") {
		line = <-said
	}
	answers := strings.TrimSpace(strings.TrimPrefix(line, "--gpu: "))
	if code, body := status(t, url+"/v1/search?q=rose", ""); code != 200 || !strings.Contains(body, `"id":"1"`) {
		t.Errorf("%d: %s", code, body)
	}
	if _, body := status(t, url+"/v1/index", ""); !strings.Contains(body, fmt.Sprintf("\"answers\":%q", answers)) {
		t.Errorf("not %q: %s", answers, body)
	}
	if _, body := status(t, url+"/metrics", ""); !strings.Contains(body, fmt.Sprintf("pinion_gpu_info{answers=%q} 1", answers)) || !strings.Contains(body, "pinion_gpu_searches_total{") {
		t.Errorf("not %q:\n%s", answers, body)
	}
}
