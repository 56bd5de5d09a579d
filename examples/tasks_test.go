package examples

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// fed runs an example with a standard input.
func fed(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary(t, name), args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// TestTasks runs the programs of a shop, of logs, and of an index in step with a table.
func TestTasks(t *testing.T) {
	dir := t.TempDir()
	same := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	same(fed(t, `{"id": "a", "title": "Crystal vases", "brand": "acme", "price": 12.5}
{"id": "b", "title": "Clay vase", "brand": "bolt", "text": "A vase as of old.", "price": 9}
{"id": "c", "title": "Gold vase", "brand": "bolt", "price": 900}`, "shop", dir+"/shop.idx", "vase", "20"),
		"2 found\nb  Clay vase, 9.00\na  Crystal vases, 12.50\nacme 1\nbolt 1\n")
	same(fed(t, `{"time": "2026-11-01T08:59:00Z", "level": "warn", "message": "connection refused"}
{"time": "2026-11-01T09:01:00Z", "level": "warn", "message": "connection refused again"}
{"time": "2026-11-01T09:02:00Z", "level": "info", "message": "connection refused no more"}
{"time": "2026-09-01T09:02:00Z", "level": "info", "message": "long ago"}`, "logs", dir+"/logs.idx", "refused level:warn"),
		"2026-11-01T09:01:00Z warn connection refused again\n2026-11-01T08:59:00Z warn connection refused\n08h 1\n09h 1\n")
	same(fed(t, "", "logs", dir+"/logs.idx", "ago"), "")

	table := filepath.Join(dir, "table.jsonl")
	var written int
	for _, step := range []struct{ rows, want string }{
		{`{"id": "a", "text": "rose"}` + "\n" + `{"id": "b", "text": "thorn"}` + "\n", "2 rows at %d\n"},
		{"", "2 rows at %d\n"},
		{`{"id": "a"}` + "\n" + `{"id": "c", "text": "lily"}` + "\n" + `{"id": "b", "text": "thistle"}` + "\n", "2 rows at %d\n"},
	} {
		f, err := os.OpenFile(table, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		n, err := f.WriteString(step.rows)
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		if written += n; n > 0 {
			written = max(written, 1)
		}
		got := program(t, "follow")(dir+"/table.idx", table)
		at := 0
		if _, err := fmt.Sscanf(got, step.want, &at); err != nil || at > written || at < written-1 { // the last line's end may be read later
			t.Errorf("%q after %d bytes, %v", got, written, err)
		}
	}
	same(program(t, "query")(dir+"/table.idx", "thorn thistle"), program(t, "query")(dir+"/table.idx", "thistle"))
}

// TestSitesearch types into a search page.
func TestSitesearch(t *testing.T) {
	dir := t.TempDir()
	program(t, "write")(dir)
	cmd := exec.Command(binary(t, "sitesearch"), dir, "localhost:0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	var url string
	if _, err := fmt.Fscanln(out, &url); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"rose":           "a: a <mark>rose</mark> by any other name",
		"rose%20AND":     "<p>Taken as words: AND</p>",
		"x%22%3E%3Cb%3E": `value="x&#34;&gt;&lt;b&gt;"`,
		"":               "0 found",
	} {
		answer, err := http.Get(url + "/?q=" + typed)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), want) {
			t.Errorf("%s: status %d, %s, %v, want %q", typed, answer.StatusCode, text, err, want)
		}
	}
}

// TestHybrid asks for the notes of tenants, twice with the same index, by the stand-in for a model and by an endpoint.
func TestHybrid(t *testing.T) {
	dir := t.TempDir()
	const refunds = "[refunds] by words 1, by vectors 1\n# Refunds\nMoney is refunded within 14 days of a return, to the card that was charged.\n" +
		"[returns] by words 2, by vectors 2\n# Returning an item\nPrint the label, put the item into its box, and hand it to the carrier.\n" +
		"[shipping] by words 0, by vectors 3\nOrders are shipped on the next working day. Deliveries take two to four days.\n"
	const bolt = "[bolt-refunds] by words 0, by vectors 1\nRefunding money takes bolt 30 days. Returned batteries are not refunded.\n"
	run := program(t, "hybrid")
	for range 2 {
		if got := run(dir+"/a.idx", "acme", "hybrid/notes.jsonl", "When is the money for returned items refundable?"); got != refunds {
			t.Errorf("%q\nwant %q", got, refunds)
		}
	}
	var embedded atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("%v, %v", r.Header, err)
		}
		var vectors []string
		for _, text := range in.Input {
			vectors = append(vectors, fmt.Sprintf(`{"embedding": [%d, 1]}`, len(text)))
		}
		embedded.Add(int64(len(in.Input)))
		fmt.Fprintf(w, `{"data": [%s]}`, strings.Join(vectors, ","))
	}))
	defer s.Close()
	t.Setenv("EMBEDDING_KEY", "key")
	for _, want := range []int{8, 10} { // two embeddings of the question, and at first 6 parts of notes
		if got := run("--url", s.URL, "--model", "m", dir+"/b.idx", "bolt", "hybrid/notes.jsonl", "nothing"); got != bolt || embedded.Load() != int64(want) {
			t.Errorf("%q after %d texts, want %d", got, embedded.Load(), want)
		}
	}
}
