package gitea_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/adapters/gitea"
)

// What identifiers are found by, and which part of a file a hit shows.
func TestWords(t *testing.T) {
	x := open(t, t.TempDir())
	defer x.Close()
	index(t, x, 1,
		"a/b.go", "package b\n\nfunc NewHTTPServer(addr string) error {\n\treturn listen_and_serve(addr)\n}\n",
		"a/c.go", "// A new\n// server of http,\n// as said above, mDNS.port2=12345\n\nnew()\nserver()\n",
		"d/b-long-name_of.md", strings.Repeat("line\n", 10),
		"d/ä.md", "Größe x",
		"d/latin.txt", "caf\xe9 au lait",
		"e/close.go", "// cafe\u0301\nfunc (c *UnixConn) CloseRead() {}\nfunc (c *Conn) Close() {}\n",
		"e/unix.go", "func (c *UnixConn) CloseRead() {}\nfunc (c *UnixConn) Close() {}\n",
		"e/cafe\u0301.md", "ca\u00adf\u00e9 // 调用getUserName函数",
	)
	for _, test := range []struct {
		keyword string
		mode    gitea.Mode
		want    []string
	}{
		{"NewHTTPServer", gitea.Exact, []string{"1/a/b.go:NewHTTPServer"}},
		{"newHTTPServer(addr", "", []string{"1/a/b.go:NewHTTPServer(addr"}},
		{"newhttpserver", "", []string{"1/a/b.go:NewHTTPServer"}},
		{"newhttpserver(addr", "", nil}, // of several identifiers the parts count, and this has one
		{"NewHTTPServer(addr, x)", "", nil},
		{"httpserver", gitea.Exact, nil},
		{"server(addr", gitea.Exact, []string{"1/a/b.go:Server(addr"}},
		{"http", gitea.Exact, []string{"1/a/b.go:HTTP", "1/a/c.go:http"}},
		{"addr, new", gitea.Exact, nil},
		{"new_server", gitea.Exact, []string{"1/a/c.go:new()\nserver"}},
		{"NewHTTPServer", gitea.Words, []string{"1/a/b.go:NewHTTPServer"}}, // c.go has its parts in another order
		{"(c *Conn) Close()", gitea.Exact, []string{"1/e/close.go:c *Conn) Close"}},
		{"cafe\u0301", gitea.Exact, []string{"1/e/cafe\u0301.md:ca\u00adf\u00e9 // 调用getUserName函数", "1/e/close.go:cafe\u0301"}},
		{"caf\u00e9", gitea.Words, []string{"1/e/cafe\u0301.md:ca\u00adf\u00e9 // 调用getUserName函数", "1/e/close.go:cafe\u0301"}},
		{"getUserName", gitea.Exact, []string{"1/e/cafe\u0301.md:getUserName"}},
		{"new server", gitea.Words, []string{"1/a/c.go:new()\nserver", "1/a/b.go:NewHTTPServer"}},
		{"serve error", gitea.Words, []string{"1/a/b.go:error {\n\treturn listen_and_serve"}},
		{"listen_and_serve", gitea.Exact, []string{"1/a/b.go:listen_and_serve"}},
		{"listen serve", gitea.Exact, nil},
		{"12345", gitea.Exact, []string{"1/a/c.go:12345"}},
		{"port2", gitea.Words, []string{"1/a/c.go:port2"}},
		{"port", gitea.Words, []string{"1/a/c.go:port"}},
		{"mDNS.port2", gitea.Exact, []string{"1/a/c.go:mDNS.port2"}},
		{"adress nev", gitea.Fuzzy, nil},
		{"serwer zzzz", gitea.Fuzzy, []string{"1/a/c.go:server", "1/a/b.go:Server"}},
		{"größe", gitea.Exact, []string{"1/d/ä.md:Größe"}},
		{"Ä.md", gitea.Exact, []string{"1/d/ä.md:Größe x"}},
		{"au lait", gitea.Exact, []string{"1/d/latin.txt:au lait"}},
		{"long", gitea.Exact, []string{"1/d/b-long-name_of.md:line\nline\nline\nline\nline\nline\nline"}},
		{"b-long", gitea.Exact, []string{"1/d/b-long-name_of.md:line\nline\nline\nline\nline\nline\nline"}},
		{"d/b-lo", gitea.Exact, []string{"1/d/b-long-name_of.md:line\nline\nline\nline\nline\nline\nline"}},
		{"d/lo", gitea.Exact, nil},
		{"a/b", gitea.Exact, []string{"1/a/b.go:package b\n\nfunc NewHTTPServer(addr string) error {\n\treturn listen_and_serve(addr)\n}\n"}},
	} {
		found, err := x.Search(context.Background(), gitea.Request{Keyword: test.keyword, Mode: test.mode, Take: 10})
		if got := searched(t, found, err); !slices.Equal(got, test.want) || found.Total != int64(len(test.want)) {
			t.Errorf("%q %s: %q (%d), want %q", test.keyword, test.mode, got, found.Total, test.want)
		}
	}
}

// What is left out is counted, an update that leaves a file out removes it, and errors of the host's git are returned.
func TestLeftOut(t *testing.T) {
	ctx := context.Background()
	x := open(t, t.TempDir())
	defer x.Close()
	index(t, x, 1, "a.txt", "good", "b.txt", "good", "vendor/c.txt", "good", "d.png", "PNG", "e.txt", "", strings.Repeat("f", 70_000), "good")
	index(t, x, 1, "b.txt", strings.Repeat("good ", 10_001))
	if got, want := x.Counts(), (gitea.Counts{Indexed: 3, Binary: 1, Large: 2, Ignored: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	found, err := x.Search(ctx, gitea.Request{Keyword: "good", Take: 10})
	if got := searched(t, found, err); !slices.Equal(got, []string{"1/a.txt:good"}) {
		t.Errorf("found %q", got)
	}
	if err := x.Index(ctx, 1, "head", &gitea.Changes{RemovedFilenames: []string{"a.txt", "none"}}, nil); err != nil {
		t.Error(err)
	}
	if found, err := x.Search(ctx, gitea.Request{Keyword: "good"}); found.Total != 0 || err != nil || x.Counts().Removed != 2 {
		t.Errorf("after the removal: %+v, %v", found, err)
	}
	for _, sized := range []bool{false, true} {
		err := x.Index(ctx, 7, "head", &gitea.Changes{Updates: []gitea.Update{{Filename: "g", BlobSHA: "1", Sized: sized}}}, git{})
		if err == nil || !strings.Contains(err.Error(), `repository 7: file "g"`) {
			t.Errorf("a blob that is missing: %v", err)
		}
	}
}

// More words than a query takes apart leave names out, but find texts.
func TestManyNames(t *testing.T) {
	x := open(t, t.TempDir())
	defer x.Close()
	files := []string{"b", "z"}
	for i := range 10 {
		name := "a"
		for j := range 7000 {
			name += fmt.Sprintf("-z%x", i*7000+j)
		}
		files = append(files, name, "")
	}
	index(t, x, 1, files...)
	for keyword, want := range map[string][]string{"z": {"1/b:z"}, "a-z0": {"1/" + files[2] + ":"}} {
		found, err := x.Search(context.Background(), gitea.Request{Keyword: keyword, Take: 3})
		if got := searched(t, found, err); found.Total != 1 || !slices.Equal(got, want) {
			t.Errorf("%s: found %.100q", keyword, got)
		}
	}
}
