package gitea

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/schema"
)

// Update is a file that a commit adds or changes.
type Update struct {
	Filename string // the path in the repository
	BlobSHA  string
	Size     int64 // of the blob, in bytes
	Sized    bool  // whether Size is known
}

// Changes are what a commit changes, since the one that was indexed before.
type Changes struct {
	Updates          []Update
	RemovedFilenames []string
}

// Blobs is where the contents of files are: the host's git, in one repository.
type Blobs interface {
	// Size returns the size of a blob in bytes. It is called for an Update that does not say it.
	Size(ctx context.Context, sha string) (int64, error)
	// Read returns what is in a blob. The slice is the caller's.
	Read(ctx context.Context, sha string) ([]byte, error)
}

// The fields of the index, by number.
const (
	repoID = iota
	commitID
	language
	updated
	name
	path
	content
)

// names are those of the fields.
var names = [...]string{"RepoID", "CommitID", "Language", "UpdatedAt", "Name", "Path", "Content"}

// version is that of the schema, and of what is written in its fields. An index of another version is built anew.
// Version 2 tells the parts of identifiers from identifiers, and has texts and names composed.
const version = 2

// description returns the schema. What searches filter and count by are columns. The text of a file is stored, since
// that is what a hit shows. Its name is in its id.
func description() *schema.Schema {
	column := func(field int, k schema.Kind) schema.Field {
		return schema.Field{Name: names[field], Kind: k, Index: schema.IndexNone, Column: true}
	}
	words := func(field int) schema.Field {
		return schema.Field{Name: names[field], Kind: schema.Text, Analyzer: pathAnalyzer, Options: pathOptions, Positions: true}
	}
	return &schema.Schema{Fields: []schema.Field{
		repoID:   column(repoID, schema.Integer),
		commitID: column(commitID, schema.Keyword),
		language: column(language, schema.Keyword),
		updated:  column(updated, schema.Time),
		name:     words(name),
		path:     words(path),
		content:  {Name: names[content], Kind: schema.Text, Analyzer: codeAnalyzer, Options: codeOptions, Positions: true, Stored: true},
	}}
}

// file is an Update with what was found out about it.
type file struct {
	repo           int64
	name, language string
	commit         string
	at             time.Time
	text           []byte // UTF-8; none of a file that is no text
}

// document returns f as a document of the index.
func (f *file) document() pinion.Doc {
	d := pinion.Doc{ID: idOf(f.repo, f.name), Values: []schema.Value{
		schema.IntegerValue(repoID, f.repo), schema.KeywordValue(commitID, []byte(f.commit)), schema.TimeValue(updated, f.at),
	}}
	if f.language != "" {
		d.Values = append(d.Values, schema.KeywordValue(language, []byte(f.language)))
	}
	p := strings.ToValidUTF8(f.name, "\uFFFD")
	d.Values = append(d.Values, schema.TextValue(name, []byte(p[strings.LastIndexByte(p, '/')+1:])), schema.TextValue(path, []byte(p)))
	if len(f.text) > 0 {
		d.Values = append(d.Values, schema.TextValue(content, f.text))
	}
	return d
}

// idOf returns the id of a file in the index, which is the host's: the repository in base 36, and the name.
func idOf(repo int64, filename string) string {
	return strconv.FormatInt(repo, 36) + "_" + filename
}

// parseID is the inverse of idOf.
func parseID(id string) (repo int64, filename string) {
	before, after, _ := strings.Cut(id, "_")
	repo, _ = strconv.ParseInt(before, 36, 64) // idOf wrote it
	return repo, after
}

// plain is Options.Recognize by default: what has no NUL in its first 8,000 bytes is text, as git has it.
func plain(_ string, content []byte) (text []byte, language string) {
	if bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 {
		return nil, ""
	}
	return content, ""
}
