package archtest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxPage  = 150 // lines; notes and the map of the code may be longer
	maxWords = 55  // of a sentence, or of a cell of a table
)

var (
	sentenceEnd = regexp.MustCompile(`[.!?]['")*]*\s+`)
	item        = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s+`)
	notWord     = regexp.MustCompile(`[^\p{L}\p{N} _-]+`)
)

// prose returns the sentences and cells of a Markdown page, code left out, and its headings.
func prose(text string) (sentences, headings []string) {
	var paragraph []string
	end := func() {
		rest := strings.Join(paragraph, " ")
		for at := sentenceEnd.FindStringIndex(rest); at != nil; at = sentenceEnd.FindStringIndex(rest) {
			sentences, rest = append(sentences, rest[:at[0]+1]), rest[at[1]:]
		}
		sentences, paragraph = append(sentences, rest), nil
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
			end()
		case fenced, len(paragraph) == 0 && strings.HasPrefix(line, "    "):
		case strings.HasPrefix(trimmed, "#"):
			end()
			headings = append(headings, strings.TrimLeft(trimmed, "# "))
		case strings.HasPrefix(trimmed, "|"):
			end()
			sentences = append(sentences, strings.Split(trimmed, " | ")...)
		case trimmed == "":
			end()
		default:
			if item.MatchString(line) {
				end()
			}
			paragraph = append(paragraph, item.ReplaceAllString(trimmed, ""))
		}
	}
	end()
	return sentences, headings
}

// anchor returns the name that a heading has in links.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(notWord.ReplaceAllString(heading, "")), " ", "-")
}

// eachPage calls f with the pages of the root and of docs.
func eachPage(t *testing.T, f func(name, text string)) {
	n := 0
	err := walkModules(func(name string) error {
		if path.Ext(name) != ".md" || path.Dir(name) != "." && !strings.HasPrefix(name, "docs/") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		n++
		f(name, string(text))
		return err
	})
	if err != nil || n < 20 {
		t.Fatalf("%d pages, %v", n, err)
	}
}

// TestPages bounds the length of pages, sentences and cells.
func TestPages(t *testing.T) {
	eachPage(t, func(name, text string) {
		mayBeLong := name == "CHANGELOG.md" || name == "ARCHITECTURE.md" || strings.HasPrefix(name, "docs/notes/")
		if n := strings.Count(text, "\n"); n > maxPage && !mayBeLong {
			t.Errorf("%s has %d lines, more than %d", name, n, maxPage)
		}
		sentences, _ := prose(text)
		for _, s := range sentences {
			if words := strings.Fields(s); len(words) > maxWords {
				t.Errorf("%s: %d words, more than %d: %s ...", name, len(words), maxWords, strings.Join(words[:9], " "))
			}
		}
	})
}

// TestAnchors finds links to headings that pages do not have.
func TestAnchors(t *testing.T) {
	toHeading := regexp.MustCompile(`\]\(([^)#:\s]*)#([^)\s]+)\)`)
	eachPage(t, func(name, text string) {
		for _, m := range toHeading.FindAllStringSubmatch(text, -1) {
			target := name
			if m[1] != "" {
				target = path.Join(path.Dir(name), m[1])
			}
			page, err := os.ReadFile(filepath.Join(root, target))
			if err != nil {
				continue // which TestReferences says
			}
			_, headings := prose(string(page))
			if !slices.ContainsFunc(headings, func(h string) bool { return anchor(h) == m[2] }) && !strings.Contains(string(page), `<a name="`+m[2]+`"`) {
				t.Errorf("%s: %s has no heading #%s", name, target, m[2])
			}
		}
	})
}

func TestProse(t *testing.T) {
	sentences, headings := prose("# A `B`, c\n\nOne two\nthree. Four (*five.*) Six\n- seven\n\n    code code\n\n```go\nmore code\n```\n| a | b c |\n")
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	if want := []string{"One two three.", "Four (*five.", "Six", "seven", "| a", "b c |"}; !slices.Equal(sentences, want) {
		t.Errorf("sentences %q, want %q", sentences, want)
	}
	if len(headings) != 1 || anchor(headings[0]) != "a-b-c" {
		t.Errorf("headings %q", headings)
	}
}
