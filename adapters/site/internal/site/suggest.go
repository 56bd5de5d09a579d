package site

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

const (
	maxSuggested = 8    // suggestions
	maxTyped     = 1000 // bytes of a text that is completed
	fewExact     = 3    // words that begin as was typed, beside which there are corrections
)

// suggestion is a query that what has been typed may become.
type suggestion struct {
	Text       string `json:"text"`
	Docs       int    `json:"docs"`                 // documents that have the word, with those before it if some have
	Correction bool   `json:"correction,omitempty"` // it does not begin as was typed
}

// suggest answers what the box asks for while people type: as /v1/suggest completes texts, in all fields at once, and without
// losing what of the query language is in a query.
func (s *Site) suggest(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := s.within(r)
	defer cancel()
	all := []suggestion{}
	a, err := readAsked(r.URL.Query())
	if err == nil && len(a.q) <= maxTyped {
		err = s.index.View(ctx, func(v *pinion.View) error {
			found, err := s.suggestions(ctx, v, a)
			all = append(all, found...)
			return err
		})
		if err != nil && httpapi.ErrorOf(err).Status != http.StatusBadRequest { // which a search shows
			return err
		}
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(map[string]any{"suggestions": all}) // an error is the client's
	return nil
}

// suggestions returns what the last word of a query may become, and behind it what may have been meant by all words.
func (s *Site) suggestions(ctx context.Context, v *pinion.View, a asked) ([]suggestion, error) {
	words := s.shown.words(a.q)
	if len(words) == 0 || len(words) > maxAdvised {
		return nil, nil
	}
	last := &words[len(words)-1]
	end, _ := utf8.DecodeLastRuneInString(a.q)
	var filter query.Node
	if picks := a.filter(); len(picks) > 0 {
		filter = picks
	}
	var all []suggestion
	if !unicode.IsSpace(end) && last.core != "" && last.tail == "" && !last.other {
		head := a.q[:strings.LastIndex(a.q, last.core)]
		plain := !slices.ContainsFunc(words, func(w word) bool { return !w.isWord() || w.lead != "" })
		found, err := s.completions(ctx, v, filter, last, head, plain)
		if err != nil {
			return nil, err
		}
		all = found
	}
	if len(all) < fewExact && !slices.ContainsFunc(all, func(x suggestion) bool { return x.Correction }) {
		q, err := s.meant(ctx, v, strings.TrimSpace(a.q), words)
		if err != nil {
			return nil, err
		}
		if q != "" && !slices.ContainsFunc(all, func(x suggestion) bool { return x.Text == q }) {
			all = append(all, suggestion{Text: q, Correction: true})
		}
	}
	all = slices.DeleteFunc(all, func(x suggestion) bool { return x.Text == a.q || !utf8.ValidString(x.Text) })
	return all[:min(len(all), maxSuggested)], nil
}

// completions returns completions of a word behind what is before it, which is plain words or counts for nothing.
func (s *Site) completions(ctx context.Context, v *pinion.View, filter query.Node, w *word, head string, plain bool) ([]suggestion, error) {
	if w.field != nil && w.field.Kind != schema.Text {
		return s.values(ctx, v, filter, w, head)
	}
	if plain && strings.TrimSpace(head) != "" { // the words together, also as they may have been meant
		all, err := s.completedIn(ctx, v, filter, w, head, head+w.core)
		if len(all) > 0 || err != nil {
			return all, err
		}
		meant, err := s.meant(ctx, v, strings.TrimSpace(head), s.shown.words(head))
		if err != nil {
			return nil, err
		}
		if meant != "" {
			all, err = s.completedIn(ctx, v, filter, w, meant+" ", meant+" "+w.core)
			for i := range all {
				all[i].Correction = true
			}
			if len(all) > 0 || err != nil {
				return all, err
			}
		}
	}
	return s.completedIn(ctx, v, filter, w, head, w.core)
}

// completedIn returns completions of a text, whose last word is w, in all fields that w may be in.
func (s *Site) completedIn(ctx context.Context, v *pinion.View, filter query.Node, w *word, head, typed string) (all []suggestion, err error) {
	var found []pinion.Completion
	for i := range s.shown.texts {
		t := &s.shown.texts[i]
		if w.field != nil && t.name != w.field.Name || t.analyzer == nil {
			continue
		}
		some, err := completed(ctx, v, filter, t, typed, w.core)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	slices.SortStableFunc(found, func(a, b pinion.Completion) int {
		if a.Slip != b.Slip {
			if a.Slip {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.Docs, a.Docs)
	})
	exact, seen := 0, map[string]bool{}
	for _, c := range found {
		if !c.Slip {
			exact++
		}
		if !seen[c.Word] && (!c.Slip || exact < fewExact) {
			seen[c.Word] = true
			all = append(all, suggestion{Text: head + c.Word, Docs: c.Docs, Correction: c.Slip})
		}
	}
	return all, nil
}

// completed returns completions in one field of text.
func completed(ctx context.Context, v *pinion.View, filter query.Node, t *text, typed, last string) (found []pinion.Completion, err error) {
	if !t.stems {
		return v.Complete(ctx, pinion.Complete{Field: t.name, Text: typed, Filter: filter, Limit: maxSuggested})
	}
	if !t.stored {
		return nil, nil
	}
	// Words that begin so, of those whose stems do, or whose stems are shorter.
	last = strings.ToLower(last)
	for prefix, cut := last, 0; cut < 5 && utf8.RuneCountInString(prefix) > 1 && len(found) == 0; cut++ {
		words, err := surfaces(ctx, v, filter, t.name, query.Prefix{Field: t.name, Text: prefix})
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			if strings.HasPrefix(w.Text, last) {
				found = append(found, pinion.Completion{Word: w.Text, Docs: w.Docs})
			}
		}
		_, n := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-n]
	}
	return found, nil
}

// values returns completions of a keyword, in the query language.
func (s *Site) values(ctx context.Context, v *pinion.View, filter query.Node, w *word, head string) (all []suggestion, err error) {
	if w.field.Kind != schema.Keyword || w.field.Index == schema.IndexNone || strings.ContainsAny(w.lead, "(") {
		return nil, nil
	}
	head = strings.TrimRight(head, openQuotes)
	first, n := utf8.DecodeRuneInString(w.core)
	for _, typed := range []string{w.core, string(unicode.ToUpper(first)) + w.core[n:], strings.ToUpper(w.core)} { // keywords are as they are
		found, err := v.Complete(ctx, pinion.Complete{Field: w.field.Name, Text: typed, Filter: filter, Exact: true, Limit: maxSuggested})
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			all = append(all, suggestion{Text: head + quoted(c.Word), Docs: c.Docs})
		}
		if len(all) > 0 {
			break
		}
	}
	return all, nil
}

// quoted returns a value as the query language reads it.
func quoted(value string) string {
	if value != "" && !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
