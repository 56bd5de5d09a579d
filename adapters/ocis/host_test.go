package ocis_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/adapters/ocis"
)

// What follows stands for the host's declarations, with the parts that an engine needs. It shows that the methods fit, and
// what is left to write in the host; README.md has that with the host's own types.
type (
	hostEngine interface {
		Search(ctx context.Context, req *searchRequest) (*searchResponse, error)
		Upsert(id string, r hostResource) error
		Move(id string, parentid string, target string) error
		Delete(id string) error
		Restore(id string) error
		Purge(id string) error
		DocCount() (uint64, error)
	}
	hostDocument struct {
		Title, Name, Content string
		Size                 uint64
		Mtime, MimeType      string
		Tags                 []string
		Audio                map[string]any
		Photo                map[string]any
	}
	hostResource struct {
		hostDocument
		ID, RootID, Path, ParentID string
		Type                       uint64
		Deleted, Hidden            bool
	}
	searchRequest struct {
		Query    []ocis.Node // in the host a string, which its parser makes this of
		PageSize int32
		Ref      *reference
	}
	reference struct {
		ResourceID resourceID
		Path       string
	}
	resourceID     struct{ StorageID, SpaceID, OpaqueID string }
	searchResponse struct {
		Matches      []*hostMatch
		TotalMatches int32
	}
	hostMatch struct {
		Score  float32
		Entity *entity
	}
	entity struct {
		Ref              reference
		ID, ParentID     resourceID
		Name, MimeType   string
		Size, Type       uint64
		LastModifiedTime string
		Deleted          bool
		Tags             []string
		Highlights       string
		Audio, Photo     map[string]any
	}
)

func (id resourceID) String() string { return id.StorageID + "$" + id.SpaceID + "!" + id.OpaqueID }

func parseID(s string) (id resourceID) {
	id.StorageID, s, _ = strings.Cut(s, "$")
	id.SpaceID, id.OpaqueID, _ = strings.Cut(s, "!")
	return id
}

// glue makes an ocis.Engine the host's. Five of the seven methods are the Engine's own.
type glue struct{ *ocis.Engine }

var _ hostEngine = glue{}

func (g glue) Upsert(id string, r hostResource) error {
	meta, err := json.Marshal(map[string]any{"audio": r.Audio, "photo": r.Photo})
	if err != nil {
		return err
	}
	return g.Engine.Upsert(id, ocis.Resource{
		RootID: r.RootID, ParentID: r.ParentID, Path: r.Path, Type: r.Type, Deleted: r.Deleted, Hidden: r.Hidden,
		Title: r.Title, Name: r.Name, Content: r.Content, Size: r.Size, Mtime: r.Mtime, MimeType: r.MimeType, Tags: r.Tags, Meta: meta,
	})
}

func (g glue) Search(ctx context.Context, in *searchRequest) (*searchResponse, error) {
	req := ocis.Request{Query: in.Query, Limit: int(in.PageSize)}
	if in.Ref != nil {
		req.RootID, req.Path = in.Ref.ResourceID.String(), in.Ref.Path
	}
	found, err := g.Engine.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	out := &searchResponse{TotalMatches: int32(found.Total)}
	for _, m := range found.Matches {
		e := &entity{}
		if err := json.Unmarshal(m.Meta, e); err != nil {
			return nil, err
		}
		e.Ref, e.ID, e.ParentID = reference{parseID(m.RootID), m.Path}, parseID(m.ID), parseID(m.ParentID)
		e.Name, e.Size, e.Type, e.MimeType, e.Tags, e.Deleted = m.Name, m.Size, m.Type, m.MimeType, m.Tags, m.Deleted
		e.Highlights, e.LastModifiedTime = m.Highlight, m.Mtime
		out.Matches = append(out.Matches, &hostMatch{m.Score, e})
	}
	return out, nil
}

const space = "1$2!2"

// open opens an engine in a new directory.
func open(t *testing.T) *ocis.Engine {
	t.Helper()
	e, err := ocis.Open(t.TempDir(), ocis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// found returns the ids of what a query finds in a folder of the space, sorted.
func found(t *testing.T, e hostEngine, folder string, q ...ocis.Node) []string {
	t.Helper()
	r, err := e.Search(context.Background(), &searchRequest{Query: q, Ref: &reference{parseID(space), folder}})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, m := range r.Matches {
		if m.Score <= 0 {
			t.Errorf("%v has the score %v", m.Entity.ID, m.Score)
		}
		ids = append(ids, m.Entity.ID.OpaqueID)
	}
	if int(r.TotalMatches) != len(ids) {
		t.Errorf("%d matches, and a total of %d", len(ids), r.TotalMatches)
	}
	slices.Sort(ids)
	return ids
}

func name(value string) ocis.Node { return ocis.String{Value: value} }

func check(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// tree has two folders with a file each, one of them within the other, and a file beside them.
func tree(t *testing.T) glue {
	t.Helper()
	g := glue{open(t)}
	for _, r := range []hostResource{
		{ID: "1$2!a", Path: "./doc", Type: ocis.Container, hostDocument: hostDocument{Name: "doc"}},
		{ID: "1$2!b", ParentID: "1$2!a", Path: "./doc/doc.pdf", Type: 1, hostDocument: hostDocument{Name: "doc.pdf"}},
		{ID: "1$2!c", ParentID: "1$2!a", Path: "./doc/In Ner", Type: ocis.Container, hostDocument: hostDocument{Name: "In Ner"}},
		{ID: "1$2!d", ParentID: "1$2!c", Path: "./doc/In Ner/file.pdf", Type: 1, Hidden: true, hostDocument: hostDocument{Name: "file.pdf"}},
		{ID: "1$2!e", Path: "./doc.pdf", Type: 1, hostDocument: hostDocument{Name: "doc.pdf"}},
		{ID: "1$2!f", Path: "./doc2", Type: 1, hostDocument: hostDocument{Name: "doc2"}},
	} {
		r.RootID = space
		if err := g.Upsert(r.ID, r); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// A search in a folder finds the folder and what is below it, and nothing whose name only begins like it.
func TestScopes(t *testing.T) {
	g := tree(t)
	check(t, "everywhere", found(t, g, "", name("*doc*")), "a", "b", "e", "f")
	check(t, "in the root", found(t, g, ".", name("*doc*")), "a", "b", "e", "f")
	check(t, "in a folder", found(t, g, "./doc", name("*doc*")), "a", "b")
	check(t, "the same", found(t, g, "/doc/", name("*doc*")), "a", "b")
	check(t, "deeper", found(t, g, "./doc/In Ner", name("*")), "c", "d")
	check(t, "a file", found(t, g, "./doc2", name("*")), "f")
	check(t, "another case", found(t, g, "./Doc", name("*")))
	r, err := g.Search(context.Background(), &searchRequest{Query: []ocis.Node{name("doc*")}, Ref: &reference{parseID("9$8!7"), ""}})
	if err != nil || len(r.Matches) > 0 {
		t.Errorf("another space has %v, %v", r, err)
	}
	for limit, want := range map[int32]int{-1: 6, 0: 6, 2: 2} {
		r, err := g.Search(context.Background(), &searchRequest{Query: []ocis.Node{name("*")}, PageSize: limit})
		if err != nil || len(r.Matches) != want || r.TotalMatches != 6 {
			t.Errorf("a limit of %d: %d of %d matches, %v", limit, len(r.Matches), r.TotalMatches, err)
		}
	}
}

// A folder takes what is below it along, wherever it goes, and what only begins like it stays.
func TestTree(t *testing.T) {
	g := tree(t)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(g.Move("1$2!a", "1$2!x", "./some/where"))
	check(t, "the old name", found(t, g, "", name("doc")))
	check(t, "the new name", found(t, g, "", name("where")), "a")
	check(t, "in the new place", found(t, g, "./some/where", name("*")), "a", "b", "c", "d")
	check(t, "in the old place", found(t, g, "./doc", name("*")))
	check(t, "beside it", found(t, g, ".", name("doc*")), "b", "e", "f")
	r, err := g.Search(context.Background(), &searchRequest{Query: []ocis.Node{name("where"), ocis.Or, name("file.pdf")}, Ref: &reference{parseID(space), ""}})
	do(err)
	for _, m := range r.Matches {
		want := map[string][2]string{"a": {"./some/where", "x"}, "d": {"./some/where/In Ner/file.pdf", "c"}}[m.Entity.ID.OpaqueID]
		if m.Entity.Ref.Path != want[0] || m.Entity.ParentID.OpaqueID != want[1] {
			t.Errorf("%s is at %q below %v", m.Entity.Name, m.Entity.Ref.Path, m.Entity.ParentID)
		}
	}
	check(t, "what is hidden stays so", found(t, g, "", ocis.String{Key: "hidden", Value: "T"}), "d")
	do(g.Delete("1$2!c"))
	check(t, "deleted", found(t, g, "./some/where", name("*")), "a", "b")
	do(g.Delete("1$2!a"))
	check(t, "all of it", found(t, g, "", name("*")), "e", "f")
	if n, err := g.DocCount(); n != 6 || err != nil {
		t.Errorf("%d resources, %v", n, err)
	}
	do(g.Restore("1$2!a"))
	check(t, "restored", found(t, g, "./some/where", name("*")), "a", "b", "c", "d")
	do(g.Purge("1$2!d"))
	do(g.Purge("1$2!none"))
	check(t, "purged", found(t, g, "./some/where", name("*")), "a", "b", "c")
	if n, err := g.DocCount(); n != 5 || err != nil {
		t.Errorf("%d resources, %v", n, err)
	}
	for _, err := range []error{g.Move("1$2!d", "", "./x"), g.Delete("1$2!d"), g.Restore("")} {
		if !errors.Is(err, ocis.ErrNotFound) {
			t.Errorf("a change of what is not there: %v", err)
		}
	}
}
