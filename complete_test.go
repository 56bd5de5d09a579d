package pinion_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// A typedDoc is a document of TestComplete.
type typedDoc struct {
	words, tags []string
	tenant      string
	rank        []int64
	gone        bool
}

func completeSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english"}, {Name: "words", Kind: schema.Text, Analyzer: "simple", Of: "title"},
		{Name: "tag", Kind: schema.Keyword, Column: true, Index: schema.IndexDocs}, {Name: "tenant", Kind: schema.Keyword, Index: schema.IndexDocs, Column: true},
		{Name: "rank", Kind: schema.Integer, Column: true}, {Name: "at", Kind: schema.Time, Column: true}}}
}

// drawTyped draws documents, whose words have few letters.
func drawTyped(rng *rand.Rand, n int) []typedDoc {
	word := func() string {
		w := "r"
		for range 1 + rng.IntN(6) {
			w += string("aosé"[rng.IntN(3)])
		}
		return w
	}
	all := make([]typedDoc, n)
	for i := range all {
		d := &all[i]
		for range 1 + rng.IntN(6) {
			d.words = append(d.words, word())
		}
		for range rng.IntN(3) {
			d.tags = append(d.tags, word()+" "+word())
		}
		for range rng.IntN(3) {
			d.rank = append(d.rank, int64(rng.IntN(9)-4))
		}
		d.tenant = string("ab"[rng.IntN(2)])
	}
	return all
}

// begins reports whether some beginning of a word is at most one edit from what was typed, whose first character stays.
func begins(word, typed string) bool {
	for end := range len(word) + 1 {
		if word[:1] == typed[:1] && within(word[:end], typed) {
			return true
		}
	}
	return false
}

// within reports whether one edit at most behind the first character makes a of b.
func within(a, b string) bool {
	if a == b {
		return true
	}
	for i := 1; i <= len(b); i++ {
		if i < len(b) && (a == b[:i]+b[i+1:] || len(a) == len(b) && a == b[:i]+a[i:i+1]+b[i+1:]) {
			return true
		}
		if i+1 < len(b) && a == b[:i]+b[i+1:i+2]+b[i:i+1]+b[i+2:] || len(a) == len(b)+1 && a == b[:i]+a[i:i+1]+b[i:] {
			return true
		}
	}
	return false
}

// completions is Complete over a list of documents.
func completions(docs []typedDoc, c pinion.Complete, tenant string) (all []pinion.Completion) {
	before, typed := "", c.Text
	if c.Field != "tag" {
		if i := strings.LastIndex(c.Text, " "); i >= 0 {
			before, typed = c.Text[:i+1], c.Text[i+1:]
		}
	}
	found := map[string]*pinion.Completion{}
	for _, d := range docs {
		has := func(w string) bool { return slices.Contains(d.words, w) }
		if d.gone || tenant != "" && d.tenant != tenant || slices.ContainsFunc(strings.Fields(before), func(w string) bool { return !has(w) }) {
			continue
		}
		words := d.words
		if c.Field == "tag" {
			words = d.tags
		}
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			exact := strings.HasPrefix(w, typed)
			if !exact && (c.Exact || len(typed) < 4 || !begins(w, typed)) {
				continue
			}
			x := found[w]
			if x == nil {
				x = &pinion.Completion{Text: before + w, Word: w, Slip: !exact}
				found[w] = x
			}
			x.Docs++
			if c.By != "" && len(d.rank) > 0 && (x.Value == nil || slices.Max(d.rank) > x.Value.(int64)) {
				x.Value = slices.Max(d.rank)
			}
		}
	}
	for _, x := range found {
		all = append(all, *x)
	}
	value := func(x pinion.Completion) int64 {
		if x.Value == nil {
			return -1 << 40
		}
		return x.Value.(int64)
	}
	slices.SortFunc(all, func(a, b pinion.Completion) int {
		if a.Slip != b.Slip {
			return map[bool]int{false: -1, true: 1}[a.Slip]
		}
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(b.Docs, a.Docs), cmp.Compare(a.Word, b.Word))
	})
	return all[:min(len(all), cmp.Or(c.Limit, query.DefaultK))]
}

func TestComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 6))
	ctx := t.Context()
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: completeSchema()})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	docs := drawTyped(rng, 400)
	for i, d := range docs {
		doc := pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"title": strings.ToUpper(strings.Join(d.words, " ")), "tag": d.tags, "tenant": d.tenant, "rank": d.rank}}
		if err := x.Add(ctx, doc); err != nil {
			t.Fatal(err)
		}
		if i%90 == 89 {
			if err := x.Sync(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range docs {
		if rng.IntN(9) == 0 {
			docs[i].gone = true
			if err := x.Delete(ctx, fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	some := 0
	for range 600 {
		c := pinion.Complete{Field: []string{"title", "words", "tag"}[rng.IntN(3)], Limit: rng.IntN(8), Exact: rng.IntN(3) == 0}
		d := &docs[rng.IntN(len(docs))]
		word := d.words[rng.IntN(len(d.words))]
		if c.Field == "tag" {
			word = "ra ro"
			if len(d.tags) > 0 {
				word = d.tags[0]
			}
		}
		typed := []byte(word[:1+rng.IntN(len(word))])
		if i := rng.IntN(len(typed)); i > 0 && rng.IntN(3) == 0 {
			typed[i] = "aosx"[rng.IntN(4)]
		}
		c.Text = string(typed)
		if c.Field != "tag" && rng.IntN(3) == 0 {
			c.Text = d.words[rng.IntN(len(d.words))] + " " + c.Text
		}
		if rng.IntN(3) == 0 {
			c.By = "rank"
		}
		tenant := []string{"", "a", "b"}[rng.IntN(3)]
		if tenant != "" {
			c.Filter = query.Equal("tenant", tenant)
		}
		got, err := x.Complete(ctx, c)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		want := completions(docs, c, tenant)
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Fatalf("%+v of tenant %q:\n got %+v\nwant %+v", c, tenant, got, want)
		}
		some += len(got)
	}
	if some < 1000 {
		t.Errorf("%d completions", some)
	}
}

func TestCompleteMisuse(t *testing.T) {
	ctx := t.Context()
	s := completeSchema()
	s.Fields = append(s.Fields[:1], s.Fields[2:]...)
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Add(ctx, pinion.Doc{ID: "1", Fields: map[string]any{"title": "roses", "tag": "Rose", "at": time.Unix(9, 0)}}); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]pinion.Complete{
		"has stems, not words": {Field: "title", Text: "ro"},
		`no field "nosuch"`:    {Field: "nosuch", Text: "ro"},
		"-1 words":             {Field: "tag", Text: "ro", Limit: -1},
		`by field "none"`:      {Field: "tag", Text: "ro", By: "none"},
		"no column of numbers": {Field: "tag", Text: "ro", By: "tag"},
		`field "x"`:            {Field: "tag", Text: "ro", Filter: query.Equal("x", 1)},
	} {
		if _, err := x.Complete(ctx, c); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Complete(canceled, pinion.Complete{Field: "tag", Text: "R", By: "rank"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	got, err := x.Complete(ctx, pinion.Complete{Field: "tag", Text: "R", By: "at"})
	if err != nil || len(got) != 1 || got[0].Value != time.Unix(9, 0).UTC() {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := x.Complete(ctx, pinion.Complete{Field: "tag", Text: ""}); got == nil && err != nil || len(got) != 0 {
		t.Errorf("nothing typed: %+v, %v", got, err)
	}
}
