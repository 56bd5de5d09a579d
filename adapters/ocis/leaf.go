package ocis

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// text returns what asks for a value in the field that people call key.
func (c *compiler) text(key, value string) (query.Node, error) {
	switch key = strings.ToLower(key); key {
	case "", "name":
		return c.keyword(nameTerm, "", value)
	case "tag", "tags":
		return c.keyword(tagTerm, "", value)
	case "rootid":
		return c.keyword(rootID, "", value)
	case "path":
		return c.keyword(path, "", value)
	case "title":
		return c.keyword(title, "", value)
	case "mediatype", "mimetype":
		return c.mediaType(value)
	case "content":
		return c.words(value)
	case "id":
		return passing(query.IDs{strings.ToLower(value)}), nil
	case "parentid":
		return passing(query.In{Field: names[parentID], Values: []any{schema.KeywordValue(parentID, []byte(strings.ToLower(value)))}}), nil
	case "size":
		return number(size, value), nil
	case "type":
		return number(kind, value), nil
	case flagHidden, flagDeleted:
		switch strings.ToLower(value) {
		case "t", "true":
			return flag(key, true), nil
		case "f", "false":
			return flag(key, false), nil
		}
		return nothing(), nil
	case "objectlabel", "objectcaption":
		key += "s"
	}
	return c.keyword(metaTerm, key+"\x00", value)
}

// keyword returns what asks for a whole value, or for a pattern if it has * or ?, however its accents are spelled. prefix
// stands before each.
func (c *compiler) keyword(field int, prefix, value string) (query.Node, error) {
	var either query.Bool
	for _, s := range spellings(value) {
		q, err := c.exactly(field, prefix, s)
		if err != nil {
			return nil, err
		}
		either.Should = append(either.Should, q)
	}
	if len(either.Should) == 1 {
		return either.Should[0], nil
	}
	return either, nil
}

// exactly is keyword for one spelling.
func (c *compiler) exactly(field int, prefix, value string) (query.Node, error) {
	switch {
	case value == "":
		return nothing(), nil
	case !strings.ContainsAny(value, "*?"):
		return query.Term{Field: names[field], Text: prefix + value}, nil
	case c.wide != nil:
		docs, err := matching(c.wide, names[field], prefix, value)
		if err != nil {
			return nil, err
		}
		return passing(query.DocsOf(slices.Values(docs))), nil
	}
	return query.Wildcard{Field: names[field], Pattern: prefix + strings.ReplaceAll(value, `\`, `\\`)}, nil
}

// words returns what asks for any of the words of a text, or for a pattern of one.
func (c *compiler) words(value string) (query.Node, error) {
	c.content = true
	if strings.ContainsAny(value, "*?") {
		return c.keyword(content, "", value)
	}
	if !strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return nothing(), nil // without a word a Match would be as good as absent
	}
	return query.Match{Field: names[content], Text: value}, nil
}

// number returns what asks for a number, or, after <, <=, > or >=, for those on one side of it.
func number(field int, value string) query.Node {
	digits := strings.TrimLeft(value, "<>=")
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(x) {
		return nothing()
	}
	whole := func(x float64) schema.Value {
		if x >= math.MaxInt64 { // the conversion of what does not fit is not defined
			return schema.IntegerValue(field, math.MaxInt64)
		}
		return schema.IntegerValue(field, int64(max(x, math.MinInt64)))
	}
	r := query.Range{Field: names[field]}
	switch value[:len(value)-len(digits)] {
	case "<":
		r.Max, r.BelowMax = whole(math.Ceil(x)), true
	case "<=":
		r.Max = whole(math.Floor(x))
	case ">":
		r.Min, r.AboveMin = whole(math.Floor(x)), true
	case ">=":
		r.Min = whole(math.Ceil(x))
	case "":
		r.Min, r.Max = whole(math.Ceil(x)), whole(math.Floor(x))
	default:
		return nothing()
	}
	return passing(r)
}

// period returns what asks for times, or nil if nothing is asked for.
func period(t Time) query.Node {
	field := mtime
	switch strings.ToLower(t.Key) {
	case "mtime":
	case takenKey:
		field = taken
	default:
		field = -1
	}
	r := query.Range{}
	v, side := instant(max(field, 0), t.Value)
	switch t.Op {
	case "<", "<=":
		if side > 0 { // all times are before it
			v, side = schema.NanosValue(field, math.MaxInt64), 0
		}
		r.Max, r.BelowMax = v, t.Op == "<"
	case ">", ">=":
		if side < 0 {
			v, side = schema.NanosValue(field, math.MinInt64+1), 0
		}
		r.Min, r.AboveMin = v, t.Op == ">"
	default:
		return nil
	}
	if field < 0 || side != 0 {
		return nothing()
	}
	r.Field = names[field]
	return passing(r)
}

// flag returns what asks for a flag that is set or not.
func flag(key string, set bool) query.Node {
	key = strings.ToLower(key)
	if key != flagHidden && key != flagDeleted {
		return query.Term{Field: names[metaTerm], Text: key + "\x00" + strconv.FormatBool(set)}
	}
	q := query.Const{Node: query.Term{Field: names[flags], Text: key}}
	if set {
		return q
	}
	return butNot(q)
}

// passing is matched by what passes a filter, with the score 1.
func passing(f query.Node) query.Node {
	return query.Const{Node: query.Bool{Filter: []query.Node{f}}}
}

// nothing is not matched.
func nothing() query.Node { return passing(query.Or{}) }

// folder is the media type of folders.
const folder = "httpd/unix-directory"

// mediaTypes are what people call kinds of files, by the patterns of their media types.
var mediaTypes = map[string][]string{
	"folder": {folder},
	"pdf":    {"application/pdf"},
	"image":  {"image/*"},
	"video":  {"video/*"},
	"audio":  {"audio/*"},
	"document": {
		"application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.form", "application/vnd.oasis.opendocument.text",
		"text/plain", "text/markdown", "application/rtf", "application/vnd.apple.pages",
	},
	"spreadsheet": {
		"application/vnd.ms-excel", "application/vnd.oasis.opendocument.spreadsheet", "text/csv",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.apple.numbers",
	},
	"presentation": {
		"application/vnd.openxmlformats-officedocument.presentationml.presentation", "application/vnd.oasis.opendocument.presentation",
		"application/vnd.ms-powerpoint", "application/vnd.apple.keynote",
	},
	"archive": {
		"application/zip", "application/gzip", "application/x-gzip", "application/x-7z-compressed", "application/x-rar-compressed",
		"application/x-tar", "application/x-bzip2", "application/x-bzip", "application/x-tgz",
	},
}

// mediaType returns what asks for a media type, or for one of those that have a name.
func (c *compiler) mediaType(value string) (query.Node, error) {
	if value == "file" {
		q, err := c.keyword(mimeType, "", folder)
		return butNot(q), err
	}
	patterns, named := mediaTypes[value]
	if !named {
		return c.keyword(mimeType, "", value)
	}
	var either query.Bool
	for _, p := range patterns {
		q, err := c.keyword(mimeType, "", p)
		if err != nil {
			return nil, err
		}
		either.Should = append(either.Should, q)
	}
	return either, nil
}
