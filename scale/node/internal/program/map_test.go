package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// said is what a program writes.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// until waits until something was written.
func (s *said) until(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		all := s.b.String()
		s.mu.Unlock()
		if strings.Contains(all, text) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q was not said: %s", text, all)
		}
	}
}

// startNode runs pinion-node until the test is over.
func startNode(t *testing.T, args ...string) *said {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out := new(said)
	cmd := Node(func(*node.Options) error { return errors.New("no GPU") })
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(out)
	ended := make(chan error, 1)
	go func() { ended <- cli.Execute(ctx, cmd) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the end: %v", err)
		}
	})
	return out
}

// Of two builds, one is served; the other node says why it is not, in its output, its health and the map, until a person
// chooses.
func TestMapCommand(t *testing.T) {
	s, err := node.StartServer("127.0.0.1:0", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	dir := t.TempDir()
	var dirs []string
	for i, name := range []string{"one", "two"} {
		out := filepath.Join(dir, name)
		if _, err := run(t, "build", "--out", out, "--shards", "1", documents(t, dir, 0, 10+i)); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, filepath.Join(out, "0-of-1"))
	}
	at := ports(t, 1)[0]
	health := "127.0.0.1:" + strconv.Itoa(at)
	nats := []string{"--nats", s.ClientURL(), "--collection", "wiki"}
	one := startNode(t, append(nats, "--gpu", dirs[0])...)
	one.until(t, "--gpu: the CPU answers: no GPU\n")
	one.until(t, "serving shard 0-of-1 of wiki: commit 2-")
	two := startNode(t, append(nats, "--health", health, dirs[1])...)
	two.until(t, "not serving shard 0-of-1 of wiki: the index has another history")
	two.until(t, "pinion-cluster map choose")
	probe := func(path string) (int, string) {
		t.Helper()
		r, err := http.Get("http://" + health + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(body)
	}
	if code, body := probe("/readyz"); code != 503 || !strings.Contains(body, `"state":"branch"`) {
		t.Errorf("not ready: %d, %s", code, body)
	}
	if code, body := probe("/healthz"); code != 200 {
		t.Errorf("health: %d, %s", code, body)
	}
	text, err := run(t, append([]string{"map"}, nats...)...)
	if err != nil || !strings.Contains(text, "another history") || strings.Count(text, "serving") != 1 || !strings.Contains(text, dirs[1]) {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = run(t, append([]string{"map", "--json"}, nats...)...)
	var all []mapShown
	if err != nil || json.Unmarshal([]byte(text), &all) != nil || len(all) != 1 || len(all[0].Nodes) != 2 || all[0].Documents != 10 {
		t.Fatalf("%v\n%s", err, text)
	}
	commit := all[0].Nodes[1].Commit
	if commit == all[0].Commit {
		commit = all[0].Nodes[0].Commit
	}
	for _, args := range [][]string{{"map", "choose", "0-of-2", commit}, {"map", "forget", "x"}} {
		if text, err := run(t, append(args, nats...)...); cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%v: %v\n%s", args, err, text)
		}
	}
	if text, err := run(t, append([]string{"map", "choose", "0-of-1", commit}, nats...)...); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	two.until(t, "\nserving shard 0-of-1 of wiki: commit "+commit)
	one.until(t, "not serving shard 0-of-1 of wiki")
	if code, body := probe("/readyz"); code != 200 {
		t.Errorf("ready: %d, %s", code, body)
	}
	if text, err := run(t, "map", "--nats", s.ClientURL(), "--collection", "other"); cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(text, "no shard map") {
		t.Errorf("%v\n%s", err, text)
	}
}
