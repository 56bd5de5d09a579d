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
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/scale/node"
	"github.com/pinion-index/pinion/search"

	"github.com/pinion-index/pinion/httpapi"
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
	q, err := query.NewSearcher(all, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	p, err := search.New(all, q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return httpapi.OfSnapshot(all, q, p)
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
		{[]string{"build", "--out", three, "--field", "title", good}, cli.ExitFailed},
		{[]string{"serve", out}, cli.ExitOpen},
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
