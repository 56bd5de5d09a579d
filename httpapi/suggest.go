package httpapi

import (
	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Complete returns r, which has Text, for an index with a schema. The error is an *Error, which names the key that is wrong.
func (r *SuggestRequest) Complete(s *schema.Schema) (c pinion.Complete, err error) {
	if _, ok := s.Field(r.Field); !ok {
		return c, invalid("field", "there is no field %q", r.Field)
	}
	if r.By != "" {
		f, err := column(s, "by", r.By)
		if err != nil {
			return c, err
		}
		if f.Kind == schema.Keyword {
			return c, invalid("by", "the field %q has no numbers or times", r.By)
		}
	}
	c = pinion.Complete{Field: r.Field, Text: r.Text, By: r.By, Exact: r.Exact, Limit: r.K}
	if r.Filter != "" {
		if c.Filter, err = query.ParseFilter(s, r.Filter); err != nil {
			return c, blame("filter", err)
		}
	}
	return c, nil
}

// NewSuggestions returns the answer to a request that is answered by completions.
func NewSuggestions(all []pinion.Completion) *SuggestResponse {
	a := &SuggestResponse{Terms: []Suggestion{}}
	for _, c := range all {
		a.Terms = append(a.Terms, Suggestion{Term: Text(c.Word), DF: uint64(c.Docs), Text: Text(c.Text), Value: plain(c.Value), Slip: c.Slip})
	}
	return a
}

// checkText returns what of r goes with Text alone.
func (r *SuggestRequest) checkText() error {
	switch {
	case r.Text != "" && r.Prefix != "":
		return invalid("text", "either prefix or text says what has been typed")
	case r.Text != "":
		return nil
	case r.Filter != "":
		return invalid("filter", "it goes with text")
	case r.By != "":
		return invalid("by", "it goes with text")
	case r.Exact:
		return invalid("exact", "it goes with text")
	}
	return nil
}
