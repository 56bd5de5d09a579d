package ocis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/schema"
)

// Resource is a file or folder, as the host's engine.Resource has it.
type Resource struct {
	ID       string // the host's identifier, by which the others find it again
	RootID   string // that of the space
	ParentID string
	Path     string // within the space, from ".": "./folder/file.txt"
	Type     uint64 // as in CS3: 1 is a file and Container a folder
	Deleted  bool
	Hidden   bool

	Title    string
	Name     string
	Content  string // the text that was extracted from the file. A Match has none
	Size     uint64
	Mtime    string // RFC 3339; what is no time from the year 1678 to 2261 is not kept (Engine.TimesLeftOut)
	MimeType string
	Tags     []string // kept as a set
	// Meta is a JSON object of what else the host keeps of a file: audio, image, location, photo. It comes back as it
	// is, and its strings and numbers can be searched for by their path in it, such as photo.cameraMake. It is at most
	// schema.MaxKeyword bytes long.
	Meta []byte
}

// Container is the Type of folders.
const Container = 2

// The fields of the index, by number.
const (
	rootID = iota
	path
	parentID
	name
	nameTerm
	title
	size
	kind
	mtime
	mimeType
	tags
	tagTerm
	flags
	meta
	metaTerm
	taken
	content
)

// description returns the schema of the index. What hits show are columns, so that none of their texts is read. The
// fields in lower case are those in which people search whatever the case.
func description() *schema.Schema {
	keyword := func(name string, column bool) schema.Field {
		return schema.Field{Name: name, Kind: schema.Keyword, Index: schema.IndexDocs, Column: column}
	}
	column := func(name string, k schema.Kind) schema.Field {
		return schema.Field{Name: name, Kind: k, Index: schema.IndexNone, Column: true}
	}
	return &schema.Schema{Fields: []schema.Field{
		rootID:   keyword("RootID", true),
		path:     keyword("Path", true),
		parentID: column("ParentID", schema.Keyword),
		name:     column("Name", schema.Keyword),
		nameTerm: keyword("name", false),
		title:    keyword("Title", true),
		size:     column("Size", schema.Integer),
		kind:     column("Type", schema.Integer),
		mtime:    column("Mtime", schema.Time),
		mimeType: keyword("MimeType", true),
		tags:     column("Tags", schema.Keyword),
		tagTerm:  keyword("tags", false),
		flags:    keyword("Flags", true),
		meta:     column("Meta", schema.Keyword),
		metaTerm: keyword("meta", false),
		taken:    column("Taken", schema.Time),
		content:  {Name: "Content", Kind: schema.Text, Analyzer: "english", Options: "stop=none,unicode=nfc,ignorable=drop", Stored: true},
	}}
}

// earlier is description as it was before texts were normalized: indexes made with it stay as they are.
func earlier() *schema.Schema {
	s := description()
	s.Fields[content].Options = "stop=none"
	return s
}

// names are those of the fields.
var names = func() (all []string) {
	for _, f := range description().Fields {
		all = append(all, f.Name)
	}
	return all
}()

// shown are the names of the fields of a Match, and whole those of a Resource.
var (
	shown = pick(rootID, path, parentID, name, title, size, kind, mtime, mimeType, tags, flags, meta)
	whole = append(slices.Clone(shown), names[content])
)

func pick(fields ...int) (picked []string) {
	for _, f := range fields {
		picked = append(picked, names[f])
	}
	return picked
}

// The values of the field Flags.
const (
	flagDeleted = "deleted"
	flagHidden  = "hidden"
)

// document returns r as a document of the index, and how many times of it are left out because the index cannot have
// them. Of a text longer than most bytes it takes the beginning.
func document(r *Resource, most int) (d pinion.Doc, leftOut uint64, err error) {
	d.ID = r.ID
	keyword := func(field int, s string) {
		if s != "" {
			d.Values = append(d.Values, schema.KeywordValue(field, []byte(s)))
		}
	}
	at := func(field int, s string) {
		t, err := time.Parse(time.RFC3339, s)
		if v, side := instant(field, t); err == nil && side == 0 {
			d.Values = append(d.Values, v)
		} else if s != "" {
			leftOut++
		}
	}
	keyword(rootID, r.RootID)
	keyword(path, r.Path)
	keyword(parentID, r.ParentID)
	keyword(name, r.Name)
	keyword(nameTerm, spelled(r.Name))
	keyword(title, r.Title)
	keyword(mimeType, r.MimeType)
	for _, t := range r.Tags {
		keyword(tags, t)
		keyword(tagTerm, spelled(t))
	}
	if r.Deleted {
		keyword(flags, flagDeleted)
	}
	if r.Hidden {
		keyword(flags, flagHidden)
	}
	d.Values = append(d.Values, schema.IntegerValue(size, int64(min(r.Size, math.MaxInt64))), schema.IntegerValue(kind, int64(min(r.Type, math.MaxInt64))))
	at(mtime, r.Mtime)
	if len(r.Meta) > 0 {
		keyword(meta, string(r.Meta))
		if err := eachMeta(r.Meta, func(key, value string) {
			keyword(metaTerm, key+"\x00"+spelled(value))
			if key == takenKey {
				at(taken, strings.ToUpper(value))
			}
		}); err != nil {
			return d, leftOut, fmt.Errorf("ocis: resource %s: Meta: %w", r.ID, err)
		}
	}
	if text := cut(r.Content, most); text != "" {
		d.Values = append(d.Values, schema.TextValue(content, []byte(text)))
	}
	return d, leftOut, nil
}

// instant returns a time as a value, or on which side it is of those that the index can have: -1 for before, 1 for behind.
func instant(field int, t time.Time) (v schema.Value, side int) {
	switch v = schema.TimeValue(field, t); {
	case v.Int() != math.MinInt64:
		return v, 0
	case t.Year() < 1970:
		return v, -1
	}
	return v, 1
}

// cut returns the beginning of s of at most n bytes, without a part of a character at its end.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// takenKey is the path in Meta of when a photo was taken.
const takenKey = "photo.takendatetime"

// eachMeta calls f for the strings, numbers and booleans of a JSON object, with their paths, both in lower case. Those of
// a list have the path of the list.
func eachMeta(object []byte, f func(key, value string)) error {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		return err
	}
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, v := range v {
				walk(key+"."+k, v)
			}
		case []any:
			for _, v := range v {
				walk(key, v)
			}
		case nil:
		default:
			f(strings.ToLower(strings.TrimPrefix(key, ".")), strings.ToLower(fmt.Sprint(v)))
		}
	}
	walk("", all)
	return nil
}

// resource returns a hit with the values of fields of the index as a Resource.
func resource(h *pinion.Hit) Resource {
	r := Resource{ID: h.ID}
	for _, v := range h.Values {
		switch v.Field {
		case rootID:
			r.RootID = string(v.Bytes())
		case path:
			r.Path = string(v.Bytes())
		case parentID:
			r.ParentID = string(v.Bytes())
		case name:
			r.Name = string(v.Bytes())
		case title:
			r.Title = string(v.Bytes())
		case size:
			r.Size = uint64(v.Int())
		case kind:
			r.Type = uint64(v.Int())
		case mtime:
			r.Mtime = v.Time().Format(time.RFC3339Nano)
		case mimeType:
			r.MimeType = string(v.Bytes())
		case tags:
			r.Tags = append(r.Tags, string(v.Bytes()))
		case flags:
			r.Deleted = r.Deleted || string(v.Bytes()) == flagDeleted
			r.Hidden = r.Hidden || string(v.Bytes()) == flagHidden
		case meta:
			r.Meta = bytes.Clone(v.Bytes())
		case content:
			r.Content = string(v.Bytes())
		}
	}
	return r
}
