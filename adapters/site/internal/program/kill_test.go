package program

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/daemon"
)

// TestMain runs the command in place of the tests if the environment says so: TestKill starts itself as a process that can be
// killed.
func TestMain(m *testing.M) {
	if os.Getenv("PINION_PROGRAM") == "site" {
		daemon.Main(Site())
	}
	os.Exit(m.Run())
}

const killToken = "0123456789abcdef"

// start starts the command as a process and returns its address.
func start(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--listen", "localhost:0", "--memory", "8MiB", "--deadline", "10m", dir)
	cmd.Env = append(os.Environ(), "PINION_PROGRAM=site", TokenVariable+"="+killToken)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, err := linesUpTo(out, "http")
	if err != nil {
		cmd.Process.Kill()
		t.Fatalf("no address: %v, %v", err, cmd.Wait())
	}
	return cmd, lines[len(lines)-1]
}

// post sends a body, and returns the answer's.
func post(url, body string) (string, error) {
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+killToken)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode/100 != 2 {
		err = fmt.Errorf("status %d: %s", a.StatusCode, text)
	}
	return string(text), err
}

// owned are the documents that one client changes: their versions, 0 for none, as answered, and those that were asked for
// and not answered.
type owned struct {
	client        int
	kept, pending []int
}

const ownedDocs = 20

// change makes the next change, a batch of two additions or a deletion, and reports whether it was answered.
func (o *owned) change(url string, n int) bool {
	i, j := n*7%ownedDocs, (n*7+1)%ownedDocs
	var path, body string
	if n%3 == 2 {
		path, body = "/v1/delete", fmt.Sprintf(`{"ids": ["%d-%d", "%d-%d"]}`, o.client, i, o.client, j)
		o.pending[i], o.pending[j] = 0, 0
	} else {
		path = "/v1/docs"
		for _, d := range []int{i, j} {
			body += fmt.Sprintf(`{"id": "%d-%d", "contents": "all c%d version v%d"}`+"\n", o.client, d, o.client, n)
			o.pending[d] = n
		}
	}
	if _, err := post(url+path, body); err != nil {
		return false
	}
	o.kept[i], o.kept[j] = o.pending[i], o.pending[j]
	return true
}

// look searches for the documents of a client, and returns their versions.
func (o *owned) look(t *testing.T, url string) ([]int, error) {
	text, err := post(url+"/v1/search", fmt.Sprintf(`{"q": "c%d", "k": 1000, "values": true, "passages": {}}`, o.client))
	if err != nil {
		return nil, err
	}
	var a httpapi.Response
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, err
	}
	found := make([]int, ownedDocs)
	for _, h := range a.Hits {
		var client, d, c, v int
		if _, err := fmt.Sscanf(string(h.ID), "%d-%d", &client, &d); err != nil || client != o.client || found[d] != 0 {
			t.Errorf("document %s, twice or of another client: %v", h.ID, err)
		}
		if _, err := fmt.Sscanf(fmt.Sprint(h.Values[""][0]), "all c%d version v%d", &c, &v); err != nil {
			t.Errorf("document %s has %v: %v", h.ID, h.Values, err)
		}
		found[d] = v
	}
	return found, nil
}

// check compares the documents of the index after a crash with what was answered, and takes what has become of the rest.
func (o *owned) check(t *testing.T, url string) {
	t.Helper()
	found, err := o.look(t, url)
	if err != nil {
		t.Fatal(err)
	}
	for d, v := range found {
		if v != o.kept[d] && v != o.pending[d] {
			t.Errorf("document %d-%d is of version %d; answered was %d, asked for %d", o.client, d, v, o.kept[d], o.pending[d])
		}
		o.kept[d], o.pending[d] = v, v
	}
}

// TestKill kills the command again and again under changes and searches: searches see a change that was answered, all of
// those are there afterwards, and nothing that was deleted.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	clients := make([]*owned, 4)
	for i := range clients {
		clients[i] = &owned{client: i, kept: make([]int, ownedDocs), pending: make([]int, ownedDocs)}
	}
	n := 1
	for round := range 4 {
		cmd, url := start(t, dir)
		var answered atomic.Int64
		var group sync.WaitGroup
		var killing atomic.Bool
		kill := sync.OnceFunc(func() {
			killing.Store(true)
			cmd.Process.Kill()
		})
		for _, o := range clients {
			o.check(t, url)
		}
		for _, o := range clients {
			group.Go(func() {
				defer kill()
				for i := n; o.change(url, i); i++ {
					if answered.Add(1) == int64(21+10*round) {
						go kill() // in the midst of what others do
					}
					found, err := o.look(t, url)
					if err != nil {
						break
					}
					if !slices.Equal(found, o.kept) {
						t.Errorf("client %d sees %v after an answer, not %v", o.client, found, o.kept)
					}
				}
				if !killing.Load() {
					t.Error("a request failed before the process was killed")
				}
			})
		}
		group.Wait()
		cmd.Wait()
		t.Logf("killed after %d changes", answered.Load())
		n += int(answered.Load()) + 1
	}
	cmd, url := start(t, dir)
	for _, o := range clients {
		o.check(t, url)
	}
	if _, err := post(url+"/v1/docs", `{"id": "last", "contents": "last"}`); err != nil {
		t.Error(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
}
