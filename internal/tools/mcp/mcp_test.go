package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/tools/mcp"
	"github.com/pinion-index/pinion/schema"
)

func open(t testing.TB) *pinion.Index {
	t.Helper()
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "english", Stored: true}, {Name: "tenant", Kind: schema.Keyword, Column: true}, {Name: "year", Kind: schema.Integer, Column: true}}}
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for i, text := range []string{"the whale in the sea", "a ship at sea", "the rose"} {
		if err := x.Add(t.Context(), pinion.Doc{ID: fmt.Sprint("d", i), Fields: map[string]any{"text": text, "tenant": []string{"north", "south"}[i%2], "year": 2000 + i}}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// message is an answer.
type message struct {
	Version string `json:"jsonrpc"`
	ID      any
	Result  map[string]any
	Error   *struct {
		Code    int
		Message string
	}
}

// talk returns the answers to lines.
func talk(t testing.TB, x mcp.Viewer, lines ...string) (all []message) {
	t.Helper()
	var out bytes.Buffer
	if err := mcp.Serve(t.Context(), x, "v1", strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" || (m.Result == nil) == (m.Error == nil) {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, m)
	}
	return all
}

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": %q, "arguments": %s}}`, id, tool, arguments)
}

// TestSession is one as a client has it.
func TestSession(t *testing.T) {
	all := talk(t, open(t), `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		call(3, "search", `{"query": "sea", "limit": 1}`), call(4, "fetch", `{"id": "d2"}`), call(5, "facets", `{"field": "tenant"}`), call(6, "facets", `{"field": "tenant", "query": "sea", "filter": "year=2001"}`),
		call(7, "search", `{"query": "*", "filter": "tenant=north"}`))
	if len(all) != 8 || all[0].ID != "a" || all[1].ID != 1.0 {
		t.Fatalf("%d answers: %+v", len(all), all)
	}
	if r := all[0].Result; r["protocolVersion"] != "2024-11-05" || !strings.Contains(r["instructions"].(string), "3 documents") || !strings.Contains(r["instructions"].(string), "tenant (keyword), in filters and counts") {
		t.Errorf("%v", r)
	}
	var names []string
	for _, x := range all[2].Result["tools"].([]any) {
		tool := x.(map[string]any)
		names = append(names, tool["name"].(string))
		in := tool["inputSchema"].(map[string]any)
		for _, need := range in["required"].([]any) {
			if in["type"] != "object" || in["properties"].(map[string]any)[need.(string)] == nil {
				t.Errorf("%v", tool)
			}
		}
	}
	if !slices.Equal(names, []string{"search", "fetch", "facets"}) {
		t.Errorf("tools %q", names)
	}
	for i, want := range map[int]string{
		3: `"hits":[{"id":"d0"`,
		4: `{"fields":{"tenant":"north","text":"the rose","year":2002},"id":"d2"}`,
		5: `{"counts":[{"value":"north","count":2},{"value":"south","count":1}],"field":"tenant","missing":0,"total":3}`,
		6: `"counts":[{"value":"south","count":1}]`,
		7: `"total":2`,
	} {
		r := all[i].Result
		text := r["content"].([]any)[0].(map[string]any)["text"].(string)
		var structured any
		if err := json.Unmarshal([]byte(text), &structured); err != nil || !strings.Contains(text, want) || r["isError"] != nil || fmt.Sprint(structured) != fmt.Sprint(r["structuredContent"]) {
			t.Errorf("%d: %s, want %s: %v", i, text, want, err)
		}
	}
	first := all[3].Result["structuredContent"].(map[string]any)
	second := talk(t, open(t), call(1, "search", fmt.Sprintf(`{"query": "sea", "limit": 1, "after": %q}`, first["next"])))[0].Result["structuredContent"].(map[string]any)
	if hits := second["hits"].([]any); len(hits) != 1 || hits[0].(map[string]any)["id"] != "d1" {
		t.Errorf("the second page: %v", second)
	}
}

// TestMisuse holds that each wrong line has an answer that says so, and that the next one is answered.
func TestMisuse(t *testing.T) {
	x := open(t)
	ping := `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{`{`, -32700, "not JSON"},
		{`[` + ping + `]`, -32600, "no request"},
		{`1`, -32600, "no request"},
		{`{"id": 1, "method": "ping"}`, -32600, "no request"},
		{`{"jsonrpc": "2.0", "id": {}, "method": "ping"}`, -32600, "no request"},
		{`{"jsonrpc": "2.0", "id": null, "method": "ping"}`, -32600, "no request"},
		{`{"jsonrpc": "2.0", "id": 1}`, -32600, "no method"},
		{`{"jsonrpc": "2.0", "id": 1, "method": 5}`, -32600, "no request"},
		{`{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}`, -32601, `no method "resources/list"`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}`, -32602, "params"},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}`, -32602, "params"},
		{`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": 3}`, -32602, "params"},
		{call(1, "delete", `{}`), -32602, `no tool "delete"`},
	} {
		all := talk(t, x, c.line, ping)
		if len(all) != 2 || all[0].Error == nil || all[0].Error.Code != c.code || !strings.Contains(all[0].Error.Message, c.want) || all[1].ID != 9.0 {
			t.Errorf("%s: %+v", c.line, all)
		}
	}
	for line, want := range map[string]string{
		call(1, "search", `{}`):                                                    `needs the argument "query"`,
		call(1, "search", `null`):                                                  `needs the argument "query"`,
		call(1, "search", `{"query": ""}`):                                         `needs the argument "query"`,
		call(1, "search", `{"query": null}`):                                       `needs the argument "query"`,
		call(1, "search", `[1]`):                                                   "the arguments of search are not an object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage type:text]",
		call(1, "search", `{"query": 5}`):                                          "arguments of search",
		call(1, "search", `{"query": "a", "field": "text"}`):                       `takes no argument "field", but query, filter, limit, after`,
		call(1, "search", `{"query": "a", "size": 1}`):                             "size",
		call(1, "search", `{"query": "a", "limit": 0}`):                            "limit is 0",
		call(1, "search", `{"query": "a", "limit": 101}`):                          "limit is 101",
		call(1, "search", `{"query": "a", "filter": "none=1"}`):                    "none",
		call(1, "search", `{"query": "a", "after": "x"}`):                          "after",
		call(1, "fetch", `{"id": "none"}`):                                         `no document "none"`,
		call(1, "facets", `{"field": "text"}`):                                     "text",
		call(1, "facets", `{"field": "none"}`):                                     "none",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch"}}`: `needs the argument "id"`,
	} {
		r := talk(t, x, line)[0].Result
		if r == nil || r["isError"] != true || !strings.Contains(fmt.Sprint(r["content"]), want) {
			t.Errorf("%s: %v, want %s", line, r, want)
		}
	}
	if r := talk(t, x, call(1, "search", `{"query": "sea", "limit": null, "filter": null, "after": null}`))[0].Result; r["isError"] != nil {
		t.Errorf("null where nothing is given: %v", r)
	}
	for _, silent := range []string{`{"jsonrpc":"2.0","method":"no/such"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"tools/call","params":{}}`, "  "} {
		if all := talk(t, x, silent); len(all) != 0 {
			t.Errorf("%s: %+v", silent, all)
		}
	}
	if r := talk(t, x, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999"}}`)[0].Result; r["protocolVersion"] != "2025-06-18" {
		t.Errorf("another version: %v", r)
	}
	if err := mcp.Serve(t.Context(), x, "", strings.NewReader(strings.Repeat("x", 5<<20)), io.Discard); err == nil || !strings.Contains(err.Error(), "a request of more than") {
		t.Errorf("a long line: %v", err)
	}
	x.Close()
	if r := talk(t, x, call(1, "fetch", `{"id": "d1"}`), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`); r[0].Result["isError"] != true || !strings.Contains(r[1].Result["instructions"].(string), "cannot be read") {
		t.Errorf("a closed index: %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	if err := mcp.Serve(ctx, x, "", in, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("a server that is over: %v", err)
	}
}
