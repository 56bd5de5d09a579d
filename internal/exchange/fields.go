package exchange

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoField is matched by errors about an object without one of the fields to read.
var ErrNoField = errors.New("is missing")

// Fields names the fields of JSON objects, or the columns of CSV and TSV, that make a
// document. The columns of TSV are numbers from 1.
//
// The zero value means those that public collections use, and whatever follows the first
// tab of TSV. The id is the first of id, _id, pid, docid, doc_id and docno that a
// document has. Its text is contents, or else title and headings, if there, and the first
// of text, body, passage and segment.
type Fields struct {
	// ID is the field of the external id.
	ID string
	// Contents are the fields of the text, joined by line feeds, but for empty ones. All
	// must be there.
	Contents []string
	// Keys say, for documents with a schema, into which fields keys go; a field that none
	// of them names takes the key of its own name. No key need be there.
	Keys []Key
	// Unknown says what becomes of keys that no field takes.
	Unknown Unknown
}

// ParseFields parses "id=FIELD,contents=FIELD+FIELD..."; what is left out is empty, and
// then as in the zero value. Documents with a schema have no contents, but keys, of which
// ParseKey parses each.
func ParseFields(text string, keys ...string) (Fields, error) {
	var f Fields
	for _, text := range keys {
		k, err := ParseKey(text)
		if err != nil {
			return f, err
		}
		f.Keys = append(f.Keys, k)
	}
	if text == "" {
		return f, nil
	}
	seen := map[string]bool{}
	for _, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		names := strings.Split(value, "+")
		switch {
		case !ok || slices.Contains(names, ""):
			return f, fmt.Errorf("%q is not of the form id=FIELD,contents=FIELD+FIELD", text)
		case key == "id" && len(names) == 1:
			f.ID = value
		case key == "contents":
			f.Contents = names
		default:
			return f, fmt.Errorf("%q: documents have one id, and contents", part)
		}
		if seen[key] {
			return f, fmt.Errorf("%s is given twice", key)
		}
		seen[key] = true
	}
	if len(keys) > 0 && len(f.Contents) > 0 {
		return f, errors.New("documents have contents, or fields with keys")
	}
	all := slices.Clone(f.Contents)
	if f.ID != "" {
		all = append(all, f.ID)
	}
	n := len(all)
	slices.Sort(all)
	if len(slices.Compact(all)) != n {
		return f, fmt.Errorf("%q uses a field twice", text)
	}
	return f, nil
}

// The fields of the zero Fields. Those of the text are the whole text, parts that may be
// there, and the parts of which one must be.
var (
	usualIDs   = []string{"id", "_id", "pid", "docid", "doc_id", "docno"}
	usualTexts = []string{"contents", "title", "headings", "text", "body", "passage", "segment"}
)

const (
	usualWhole = 0
	usualMain  = 3 // index in usualTexts of the first of which one must be there
)

// fieldSet finds the parts of a document among named values. A slot is a place for the
// value of one name: first those of the ids, then those of the texts.
type fieldSet struct {
	names []string
	ids   int  // names that can be the id
	texts bool // the texts are the usual ones
}

// set returns the slots of f; without an id, if that is made up.
func (f Fields) set(autoID bool) *fieldSet {
	s := &fieldSet{}
	switch {
	case autoID:
	case f.ID != "":
		s.names = append(s.names, f.ID)
	default:
		s.names = append(s.names, usualIDs...)
	}
	s.ids = len(s.names)
	if s.texts = len(f.Contents) == 0; s.texts {
		s.names = append(s.names, usualTexts...)
	} else {
		s.names = append(s.names, f.Contents...)
	}
	return s
}

// find returns the slot of a name, or -1.
func (s *fieldSet) find(name []byte) int {
	for i, n := range s.names {
		if string(name) == n {
			return i
		}
	}
	return -1
}

// optional reports whether a slot is that of a usual part that need not be there.
func (s *fieldSet) optional(slot int) bool {
	return s.texts && slot > s.ids+usualWhole && slot < s.ids+usualMain
}

// choose returns the slot of the id, or -1 if it is made up, and appends the slots of the
// text to dst. has says which slots have a value.
func (s *fieldSet) choose(dst []int, has func(slot int) bool) (id int, text []int, err error) {
	if id = -1; s.ids > 0 {
		if id = s.first(0, s.ids, has); id < 0 {
			return 0, dst, missing(s.names[0])
		}
	}
	if !s.texts {
		for i := s.ids; i < len(s.names); i++ {
			if !has(i) {
				return 0, dst, missing(s.names[i])
			}
			dst = append(dst, i)
		}
		return id, dst, nil
	}
	if whole := s.ids + usualWhole; has(whole) {
		return id, append(dst, whole), nil
	}
	main := s.first(s.ids+usualMain, len(s.names), has)
	if main < 0 {
		return 0, dst, missing(usualTexts[usualWhole])
	}
	for i := s.ids; i < main; i++ {
		if s.optional(i) && has(i) {
			dst = append(dst, i)
		}
	}
	return id, append(dst, main), nil
}

// first returns the first slot from from to before to that has a value, or -1.
func (s *fieldSet) first(from, to int, has func(slot int) bool) int {
	for i := from; i < to; i++ {
		if has(i) {
			return i
		}
	}
	return -1
}

// missing says that a document lacks a field; of the usual ones it names the first.
func missing(name string) error { return fmt.Errorf("field %q %w", name, ErrNoField) }

// maxIgnored is how many names of fields that are not read are kept.
const maxIgnored = 100

// ignored counts the fields that are not read, by their names; those after the first
// maxIgnored under the empty name.
type ignored map[string]uint64

func (g ignored) count(name []byte, n uint64) {
	if _, ok := g[string(name)]; !ok {
		names := len(g)
		if _, others := g[""]; others {
			names--
		}
		if names >= maxIgnored {
			name = nil
		}
	}
	g[string(name)] += n
}
