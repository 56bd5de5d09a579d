package node

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// complete answers a request for what completes a text: all words of the shard, so that those of all shards can be added up.
func (c *commit) complete(ctx context.Context, a *ask, r *httpapi.SuggestRequest) ([]byte, error) {
	x, err := r.Complete(c.schema)
	if err != nil {
		return nil, err
	}
	x.Limit = mostSuggestions + 1
	began := time.Now()
	found, err := c.plain.Complete(ctx, x)
	a.took = time.Since(began)
	switch {
	case err != nil:
		return nil, err
	case len(found) > mostSuggestions:
		return nil, fmt.Errorf("%w: more than %d words of a shard complete %.40q", ErrInvalid, mostSuggestions, r.Text)
	}
	to := completed{words: found}
	if len(found) > 0 {
		to.before = found[0].Text[:len(found[0].Text)-len(found[0].Word)]
	}
	return to.encode(), nil
}

// complete adds up the words of all shards.
func (q *question) complete(x *httpapi.SuggestRequest) (*httpapi.SuggestResponse, error) {
	of, err := x.Complete(q.v.Schema)
	if err != nil {
		return nil, err
	}
	by, _ := q.v.Schema.Field(of.By)
	sum, before := map[string]*pinion.Completion{}, ""
	err = q.ask(askSuggest, nil, func(shard int, body []byte) error {
		if err := httpapi.Hold(q.ctx, 8*len(body)); err != nil { // for what is decoded and added up, beside the body
			return err
		}
		var own completed
		if err := own.decode(body); err != nil {
			return err
		}
		if err := own.check(&q.v.Shards[shard], &of, by); err != nil {
			return err
		}
		for i := range own.words {
			w := &own.words[i]
			if t := sum[w.Word]; t == nil {
				sum[w.Word], before = w, own.before
			} else if t.Docs += w.Docs; compareCounted(w.Value, t.Value) > 0 {
				t.Value = w.Value
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := make([]pinion.Completion, 0, len(sum))
	for _, w := range sum {
		w.Text = before + w.Word
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b pinion.Completion) int {
		if a.Slip != b.Slip {
			return map[bool]int{false: -1, true: 1}[a.Slip]
		}
		return cmp.Or(compareCounted(b.Value, a.Value), cmp.Compare(b.Docs, a.Docs), cmp.Compare(a.Word, b.Word))
	})
	a := httpapi.NewSuggestions(all[:min(len(all), cmp.Or(x.K, query.DefaultK))])
	a.Partial = q.partial()
	return a, nil
}

// check returns an error unless c may be the answer of s to x, by being the field x.By.
func (c *completed) check(s *Shard, x *pinion.Complete, by *schema.Field) error {
	for i := range c.words {
		w := &c.words[i]
		switch {
		case w.Docs <= 0 || w.Docs > int(s.Docs):
			return nonsense("%d of %d documents have a word", w.Docs, s.Docs)
		case w.Slip && x.Exact:
			return nonsense("a word with a slip")
		case w.Value != nil && (x.By == "" || kindOf(w.Value) != by.Kind):
			return nonsense("the value %v of the field %q", w.Value, x.By)
		}
	}
	return nil
}

// compareCounted compares two values of one kind of numbers or times: nil is the least.
func compareCounted(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	case time.Time:
		return a.Compare(b.(time.Time))
	}
	return 0
}
