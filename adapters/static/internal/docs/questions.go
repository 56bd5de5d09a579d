package docs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Question is what a visitor types, and where the answer stands.
type Question struct {
	Typed string
	// Want are URLs of pages relative to the site, with a section or not: one of them must be found.
	Want []string
}

// ReadQuestions reads questions, one a line: what is typed, and after tabs the URLs. Lines that begin with # are comments.
func ReadQuestions(r io.Reader) (questions []Question, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' })
		if len(parts) < 2 {
			return nil, fmt.Errorf("line %d has no tab with a URL behind it", n)
		}
		questions = append(questions, Question{parts[0], parts[1:]})
	}
	return questions, lines.Err()
}

// Search returns the URLs of the first k pages for what is typed, with their sections, relative to the site.
type Search func(ctx context.Context, typed string, k int) ([]string, error)

// Answered returns the first place, from 1, among k where a search finds what a question wants, or 0, and what is found.
func (q Question) Answered(ctx context.Context, search Search, k int) (place int, found []string, err error) {
	found, err = search(ctx, q.Typed, k)
	for i, url := range found {
		page, _, _ := strings.Cut(url, "#")
		if slices.Contains(q.Want, url) || slices.Contains(q.Want, page) {
			return i + 1, found, err
		}
	}
	return 0, found, err
}
