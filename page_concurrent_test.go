package pinion_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

// Requests at the same time give the same pages, and after Close, ErrClosed.
func TestConcurrent(t *testing.T) {
	x := open(t, "english", true)
	defer x.close()
	for i := range 200 {
		x.add(t, fmt.Sprint(i), fmt.Sprintf("running word%d and run words %d", i%7, i))
	}
	pages, _ := x.pages(t)
	want := map[string]string{}
	ask := func(i int) (string, string, error) {
		q := fmt.Sprintf("run word%d", i%7)
		page, err := pages.Search(t.Context(), pinion.Request{Query: query.Match{Text: q}, Fields: []string{""}, Snippet: &pinion.Snippet{Length: 20}})
		text := ""
		for i := range page.Hits {
			h := &page.Hits[i]
			text += fmt.Sprintf("%s %v %s %s\n", h.ID, h.Score, h.Values[0].Bytes(), marked(h))
		}
		return q, text, err
	}
	for i := range 7 {
		q, text, err := ask(i)
		if err != nil {
			t.Fatal(err)
		}
		want[q] = text
	}
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 40 {
				q, text, err := ask(g + i)
				if err != nil && !errors.Is(err, pinion.ErrClosed) || err == nil && text != want[q] {
					t.Errorf("%s: %v\n%s", q, err, text)
				}
				if g == 0 && i == 30 {
					pages.Close()
				}
			}
		})
	}
	group.Wait()
	if _, _, err := ask(0); !errors.Is(err, pinion.ErrClosed) {
		t.Error(err)
	}
}
