package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// run runs a command to its end.
func run(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out bytes.Buffer
	cmd := Cluster()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err = cli.Execute(t.Context(), cmd)
	return out.String(), err
}

// whole returns what answers as one index of shards.
func whole(t *testing.T, dirs []string) httpapi.Backend {
	t.Helper()
	all, end, err := cli.Snapshots(dirs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	p, err := pinion.NewView(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return httpapi.OfView(p)
}

// documents writes JSON objects, one a line, and returns the file's path.
func documents(t *testing.T, dir string, first, n int) string {
	t.Helper()
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "{\"id\": \"d%d\", \"title\": \"w%d\", \"contents\": \"w%d w%d w%d the rose\", \"price\": %d}\n", i, i%7, i%3, i%11, i%29, i%50)
	}
	path := filepath.Join(dir, fmt.Sprint(first, ".jsonl"))
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// startCluster runs a command that serves, until the test is over, and returns the first line that it prints.
func startCluster(t *testing.T, args ...string) (line string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	cmd := Cluster()
	cmd.SetArgs(args)
	cmd.SetOut(w)
	cmd.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() {
		err := cli.Execute(ctx, cmd)
		w.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the end: %v", err)
		}
	})
	line, err := readLine(r)
	if err != nil {
		t.Fatalf("%v: %v", args, <-ended)
	}
	return line
}

// readLine reads a line.
func readLine(r io.Reader) (string, error) {
	var b []byte
	for c := make([]byte, 1); ; {
		if _, err := r.Read(c); err != nil {
			return "", err
		}
		if c[0] == '\n' {
			return string(b), nil
		}
		b = append(b, c[0])
	}
}

// ask asks over HTTP.
func ask(t *testing.T, url string, x *httpapi.Request) (*httpapi.Response, error) {
	t.Helper()
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(url+"/v1/search", "application/json", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %.500s, %v", r.StatusCode, body, err)
	}
	a := new(httpapi.Response)
	return a, json.Unmarshal(body, a)
}

// The same in JSON, which has scores to the bit.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A cluster answers as one index, with and without fields, also after documents have been added.
func TestCluster(t *testing.T) {
	for _, flags := range [][]string{{"--store-text"}, {"--field", "title:english:2", "--field", "contents:text", "--field", "price:integer:column", "--store-text"}} {
		dir := t.TempDir()
		out := filepath.Join(dir, "shards")
		if _, err := run(t, append([]string{"build", "--out", out, "--shards", "3", documents(t, dir, 0, 200)}, flags...)...); err != nil {
			t.Fatal(err)
		}
		dirs, err := node.ShardDirs(out)
		if err != nil || len(dirs) != 3 {
			t.Fatalf("%v, %v", dirs, err)
		}
		url := startCluster(t, "serve", "--listen", "localhost:0", out)
		check := func(query string) {
			t.Helper()
			x := &httpapi.Request{Query: query, K: 100, Values: true, Total: true}
			want, err := whole(t, dirs).Search(t.Context(), x)
			if err != nil || len(want.Hits) == 0 {
				t.Fatalf("%s: %v, %v", query, want, err)
			}
			for { // until the commit has been found
				got, err := ask(t, url, x)
				if err != nil {
					t.Fatal(err)
				}
				a, b := asJSON(t, got), asJSON(t, want)
				if a == b {
					return
				}
				if got.Total != nil && *got.Total == *want.Total {
					t.Fatalf("%s:\n got %s\nwant %s", query, a, b)
				}
			}
		}
		check("rose w1")
		if _, err := run(t, "build", "--out", out, documents(t, dir, 150, 100)); err != nil {
			t.Fatal(err)
		}
		check("rose w1")
		check("w12 -w1")
	}
}

// One flag, or one key of a schema, says the language of all texts.
func TestClusterLanguage(t *testing.T) {
	dir := t.TempDir()
	docs, spoken := documents(t, dir, 0, 20), filepath.Join(dir, "schema.json")
	if err := os.WriteFile(spoken, []byte(`{"language": "en", "fields": [{"name": "title", "kind": "text"}, {"name": "contents", "kind": "text", "analyzer": "simple"}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ flags, analyzers string }{
		{"--language en", "english"}, {"--language en --field title --field contents=body:simple", "simple english"}, {"--schema " + spoken, "simple english"},
		{"--language en --schema " + spoken, "simple english"}, {"--field title", "standard"},
	} {
		out := filepath.Join(dir, fmt.Sprint("out", i))
		for range 2 { // and again into what there is
			if said, err := run(t, append([]string{"build", "--out", out, "--shards", "1", docs}, strings.Fields(c.flags)...)...); err != nil {
				t.Fatalf("%s: %v\n%s", c.flags, err, said)
			}
		}
		x, err := pinion.OpenReader(t.Context(), filepath.Join(out, node.ShardName(0, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var analyzers []string
		for _, f := range x.Schema().Fields {
			analyzers = append(analyzers, f.Analyzer)
		}
		slices.Sort(analyzers)
		slices.Reverse(analyzers)
		if got := strings.Join(analyzers, " "); got != c.analyzers {
			t.Errorf("%s: %s", c.flags, got)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What cannot be built says why, and leaves nothing.
func TestClusterRefuses(t *testing.T) {
	dir := t.TempDir()
	good, bad := documents(t, dir, 0, 10), filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\"id\": \"x\"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, three := filepath.Join(dir, "out"), filepath.Join(dir, "three")
	if _, err := run(t, "build", "--out", three, "--shards", "3", good); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(dir, "wrong.json")
	if err := os.WriteFile(wrong, []byte(`{"fields": [{"name": "text", "kind": "text", "analyzer": "klingon"}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"--field price:double":                   `--field price: "double" is no kind of field (text, keyword, integer, float, time, impacts, vector)`,
		"--field title:klingon":                  `"klingon" is no kind of field`,
		"--field title --field title":            `key "title" is given twice`,
		"--field title --analyzer klingon":       `unknown analyzer "klingon"`,
		"--field title:english --analyzer dutch": "--analyzer dutch: no field takes it",
		"--field v:impacts --store-text":         "--store-text: --field names no field but impacts",
		"--schema " + wrong:                      `unknown analyzer "klingon"`,
		"--analyzer klingon":                     `unknown analyzer "klingon"`,
		"--language tlh":                         `--language: language "tlh": there is no analyzer`,
		"--language en --analyzer simple":        "--language and --analyzer",
		"--encoding klingon":                     `--encoding: unknown encoding "klingon"`,
		"--memory 9MiB":                          "--memory is at least 16.0 MiB for 2 shards",
		"--memory lots":                          `"lots" is not a size`,
		"--shards x":                             "a number from 0 to",
	} {
		said, err := run(t, append([]string{"build", "--out", out, "--shards", "2", good}, strings.Fields(flags)...)...)
		if cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(said, want) {
			t.Errorf("%s: %v\n%s", flags, err, said)
		}
	}
	for _, x := range []struct {
		args []string
		code int
	}{
		{[]string{"build", "--out", out, good}, cli.ExitUsage},
		{[]string{"build", "--shards", "2", good}, cli.ExitUsage},
		{[]string{"build", "--out", out, "--shards", "2"}, cli.ExitUsage},
		{[]string{"build", "--out", out, "--shards", "2", good, bad}, cli.ExitFailed},
		{[]string{"build", "--out", out, "--shards", "2", filepath.Join(dir, "nothing")}, cli.ExitFailed},
		{[]string{"build", "--out", three, "--shards", "2", good}, cli.ExitUsage},
		{[]string{"build", "--out", three, "--field", "title", good}, cli.ExitOK}, // the shards get the field
		{[]string{"serve", out}, cli.ExitOpen},
		{[]string{"serve", "--absence", "0s", three}, cli.ExitUsage},
		{[]string{"serve", "--deadline", "0s", three}, cli.ExitUsage},
		{[]string{"serve", "--cache", "-1", three}, cli.ExitUsage},
		{[]string{"serve", "--tokens", good, three}, cli.ExitUsage},
		{[]string{"serve", "--listen", "0.0.0.0:0", three}, cli.ExitFailed},
		{[]string{"serve", "--listen", "localhost:0", "--key", good, three}, cli.ExitUsage},
	} {
		said, err := run(t, x.args...)
		if cli.ExitCode(err) != x.code {
			t.Errorf("%v: %v (%d, want %d)\n%s", x.args, err, cli.ExitCode(err), x.code, said)
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("something is left: %v", err)
	}
}

// A server beyond this machine needs credentials.
func TestExposed(t *testing.T) {
	for server, want := range map[string]bool{"nats://localhost:4222": true, "127.0.0.1": true, "nats://[::1]:4222": true, "tls://u:p@far:4222": true,
		"nats://far": false, "10.0.0.1:4222": false, "nats://127.0.0.1.example": false, "": false} {
		if err := exposed(server, false); (err == nil) != want {
			t.Errorf("%q: %v", server, err)
		}
	}
	if err := exposed("nats://far", true); err != nil {
		t.Error(err)
	}
}
