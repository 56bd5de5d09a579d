package ocis_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/adapters/ocis"
)

func is(key, value string) ocis.Node { return ocis.String{Key: key, Value: value} }

// All that is asked of one resource, and what it is asked that it does not have.
func TestFields(t *testing.T) {
	g := glue{open(t)}
	if err := g.Upsert("1$2!a", hostResource{RootID: space, ParentID: "1$2!p", Path: "./x/Foo oo.PDF", Type: 1, hostDocument: hostDocument{
		Name: "Foo oo.PDF", Title: "a title", Size: 12345, Mtime: "2026-03-01T10:00:00+02:00", MimeType: "application/pdf", Tags: []string{"Foo", "bar"},
		Content: "Foxes <jump> over lazy dogs", Photo: map[string]any{"cameraMake": "Canon", "iso": 200, "takenDateTime": "2024-01-02T03:04:05Z"},
	}}); err != nil {
		t.Fatal(err)
	}
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	mtime := func(op, value string) ocis.Node { return ocis.Time{Key: "Mtime", Op: op, Value: at(value)} }
	yes := []ocis.Node{
		name("foo oo.pdf"), name("FOO*"), name("*oo.p*"), name("foo?oo.pdf"), is("Name", "foo o*"), is("NAME", "*"),
		is("tag", "foo"), is("Tags", "BAR"), is("tags", "b*"),
		is("size", "12345"), is("size", ">1000"), is("size", ">=12345"), is("size", "<=12345"), is("size", "<12345.5"), is("type", "1"),
		mtime(">", "2026-03-01T07:59:59Z"), mtime(">=", "2026-03-01T08:00:00Z"), mtime("<=", "2026-03-01T08:00:00Z"), mtime("<", "2026-03-01T08:00:01Z"),
		is("mediatype", "application/pdf"), is("mediatype", "application/*"), is("mediatype", "pdf"), is("mediatype", "file"),
		is("content", "fox"), is("content", "jumping cats"), is("content", "dog*"), is("id", "1$2!a"), is("rootid", space), is("parentid", "1$2!p"),
		is("title", "a t*"), is("hidden", "F"), ocis.Bool{Key: "Hidden"}, is("photo.cameraMake", "canon"), is("photo.cameramake", "c?n*"), is("photo.iso", "200"),
		ocis.Time{Key: "photo.takenDateTime", Op: ">", Value: at("2024-01-01T00:00:00Z")},
	}
	no := []ocis.Node{
		name("foo"), name("foo.oo.pdf"), name("foo[o]*"), name(`foo\*`), name(""), is("tag", "baz"), is("tag", "fo"),
		is("size", "12344"), is("size", "<12345"), is("size", ">12345"), is("size", "12345.5"), is("size", "NaN"), is("size", "big"), is("size", "<>1"), is("type", "2"),
		mtime(">", "2026-03-01T08:00:00Z"), mtime("<", "2026-03-01T08:00:00Z"), is("mediatype", "folder"), is("mediatype", "document"), is("mediatype", "image"),
		is("content", "cats"), is("content", "..."), is("id", "1$2!b"), is("unknown", "field"), is("hidden", "T"), is("hidden", "maybe"),
		ocis.Bool{Key: "hidden", Value: true}, ocis.Bool{Key: "unknown", Value: true}, is("photo.iso", "20"), is("cameramake", "canon"),
		ocis.Time{Key: "photo.takenDateTime", Op: "<", Value: at("2024-01-01T00:00:00Z")}, ocis.Time{Key: "unknown", Op: "<", Value: at("2024-01-01T00:00:00Z")},
	}
	for _, q := range yes {
		check(t, fmt.Sprint(q), found(t, g, "", q), "a")
		check(t, fmt.Sprint("not ", q), found(t, g, "", ocis.Not, q))
	}
	for _, q := range no {
		check(t, fmt.Sprint(q), found(t, g, "", q))
		check(t, fmt.Sprint("not ", q), found(t, g, "", ocis.Not, q), "a")
	}
	r, err := g.Search(context.Background(), &searchRequest{Query: []ocis.Node{is("content", "dog fox")}})
	if err != nil || len(r.Matches) != 1 {
		t.Fatal(r, err)
	}
	want := entity{Ref: reference{parseID(space), "./x/Foo oo.PDF"}, ID: parseID("1$2!a"), ParentID: parseID("1$2!p"), Name: "Foo oo.PDF", MimeType: "application/pdf",
		Size: 12345, Type: 1, LastModifiedTime: "2026-03-01T08:00:00Z", Tags: []string{"Foo", "bar"}, Highlights: "<mark>Foxes</mark> &lt;jump&gt; over lazy <mark>dogs</mark>",
		Photo: map[string]any{"cameraMake": "Canon", "iso": 200., "takenDateTime": "2024-01-02T03:04:05Z"}}
	if got := *r.Matches[0].Entity; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if r, err = g.Search(context.Background(), &searchRequest{Query: []ocis.Node{name("foo*")}}); err != nil || r.Matches[0].Entity.Highlights != "" {
		t.Errorf("a search for a name shows %+v, %v", r, err)
	}
}

// Not comes before And, which comes before Or. What asks for nothing is left out, as in the host.
func TestOperators(t *testing.T) {
	g := glue{open(t)}
	for i, words := range []string{"a", "b", "c", "a b", "a c", "b c", "a b c"} {
		id := fmt.Sprint(i)
		if err := g.Upsert("1$2!"+id, hostResource{RootID: space, Path: "./" + id, Type: 1, hostDocument: hostDocument{Name: id, Tags: strings.Fields(words)}}); err != nil {
			t.Fatal(err)
		}
	}
	a, b, c, ignored := is("tag", "a"), is("tag", "b"), is("tag", "c"), ocis.Time{Key: "mtime", Op: "="}
	group := func(n ...ocis.Node) ocis.Node { return ocis.Group{Nodes: n} }
	for _, test := range []struct {
		query []ocis.Node
		want  string
	}{
		{[]ocis.Node{a}, "0 3 4 6"},
		{[]ocis.Node{a, ocis.And, b}, "3 6"},
		{[]ocis.Node{a, b}, "3 6"},
		{[]ocis.Node{a, ocis.Or, b, ocis.And, c}, "0 3 4 5 6"},
		{[]ocis.Node{a, ocis.And, b, ocis.Or, c}, "2 3 4 5 6"},
		{[]ocis.Node{a, ocis.And, group(b, ocis.Or, c)}, "3 4 6"},
		{[]ocis.Node{group(a, ocis.Or, b), ocis.And, c}, "4 5 6"},
		{[]ocis.Node{c, ocis.Or, group(a, ocis.Or, b), ocis.And, a}, "0 2 3 4 5 6"},
		{[]ocis.Node{ocis.Not, a}, "1 2 5"},
		{[]ocis.Node{ocis.Not, ocis.Not, a}, "0 3 4 6"},
		{[]ocis.Node{a, ocis.And, ocis.Not, b}, "0 4"},
		{[]ocis.Node{ocis.Not, a, ocis.Or, ocis.Not, b}, "0 1 2 4 5"},
		{[]ocis.Node{ocis.Not, group(a, ocis.Or, b)}, "2"},
		{[]ocis.Node{ocis.Group{Key: "tag", Nodes: []ocis.Node{name("a"), name("b")}}}, "3 6"},
		{[]ocis.Node{a, ocis.And, ignored}, "0 3 4 6"},
		{[]ocis.Node{ignored, ocis.Or, a, ocis.And}, "0 3 4 6"},
	} {
		check(t, fmt.Sprint(test.query), found(t, g, "", test.query...), strings.Fields(test.want)...)
	}
	deep := a
	for range 60 {
		deep = group(deep)
	}
	for _, q := range [][]ocis.Node{nil, {ocis.And}, {ocis.Not}, {ignored}, {group()}, {nil}, {deep}} {
		if r, err := g.Search(context.Background(), &searchRequest{Query: q}); !errors.Is(err, ocis.ErrQuery) {
			t.Errorf("%v: %v, %v", q, r, err)
		}
	}
}

// What cannot be kept is said before it is.
func TestBadMeta(t *testing.T) {
	e := open(t)
	for _, meta := range []string{"[", `[1]`, `"a"`} {
		if err := e.Upsert("a", ocis.Resource{Meta: []byte(meta)}); err == nil {
			t.Errorf("Meta %s is taken", meta)
		}
	}
	if err := e.Upsert("a", ocis.Resource{RootID: space, Name: "a", Meta: []byte(`{"x":{"y":[1,null,true]}}`), Content: strings.Repeat("word ", 1<<19)}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []ocis.Node{is("x.y", "1"), is("x.y", "true"), ocis.Bool{Key: "x.y", Value: true}, is("content", "words")} {
		check(t, fmt.Sprint(q), found(t, glue{e}, "", q), "")
	}
}
