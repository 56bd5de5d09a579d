package embedding

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Splitter cuts texts into parts that models take, and that are about one thing. The zero value is one for plain text.
type Splitter struct {
	// Length is the greatest number of characters (Unicode code points) of a part. 0 means DefaultLength.
	Length int
	// Overlap is how many characters of the part before, at most, a part begins with where a text was cut for its length, from the beginning
	// of a word on. It is at most a quarter of Length.
	Overlap int
	// Markdown says that headings of Markdown (lines that begin with one to six #) begin parts, unless they are within a block of code. A
	// heading with nothing below it goes with the next one.
	Markdown bool
}

// DefaultLength is the greatest number of characters of a part if a Splitter does not say it.
const DefaultLength = 1000

// Split returns the parts of a text, in its order, without white space around them. None is empty. They are cut at headings, and what is longer
// than Length at the last end of a paragraph that fits, or at that of a sentence, a word or a character. A part has at least a quarter of
// Length before such a cut, unless there is only a worse one.
func (s Splitter) Split(text string) (parts []string) {
	s.Length = max(cmp.Or(s.Length, DefaultLength), 1)
	s.Overlap = max(min(s.Overlap, s.Length/4), 0)
	for len(text) > 0 {
		section := text
		if s.Markdown {
			section = text[:sectionEnd(text)]
		}
		parts = s.cut(parts, section)
		text = text[len(section):]
	}
	return parts
}

// sectionEnd returns where the next section of a Markdown text begins, or its end.
func sectionEnd(text string) int {
	fence, content := "", false
	for at := 0; at < len(text); {
		line := text[at:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		trimmed := strings.TrimSpace(line)
		mark, info := fenceOf(trimmed)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && info == "" {
				fence = ""
			}
		case mark != "" && (mark[0] == '~' || !strings.Contains(info, "`")): // otherwise it is code within a line
			fence, content = mark, true
		case isHeading(line):
			if content {
				return at
			}
		case trimmed != "":
			content = true
		}
		at += len(line)
	}
	return len(text)
}

// fenceOf returns the three or more backticks or tildes that a line begins with, as fences of code do, and what is behind them.
func fenceOf(line string) (mark, info string) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return "", line
	}
	info = strings.TrimLeft(line, line[:1])
	if mark = line[:len(line)-len(info)]; len(mark) < 3 {
		return "", line
	}
	return mark, info
}

// isHeading reports whether a line is a heading of Markdown.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n >= 1 && n <= 6 && rest != "" && (rest[0] == ' ' || rest[0] == '\t')
}

// cut appends the parts of a section.
func (s Splitter) cut(parts []string, section string) []string {
	begin, done := 0, 0 // of the part, and of what no part has yet
	for {
		done += len(section[done:]) - len(strings.TrimLeftFunc(section[done:], unicode.IsSpace))
		if done == len(section) {
			return parts
		}
		if strings.TrimSpace(section[begin:done]) == "" || after(section, begin, s.Length/2) < done { // nothing to repeat, or too far back
			begin = done
		}
		limit := after(section, begin, s.Length)
		end := limit
		if strings.TrimSpace(section[limit:]) != "" {
			end = bestCut(section, max(done, after(section, begin, s.Length/4)), done, limit)
		}
		parts = append(parts, strings.TrimSpace(section[begin:end]))
		done = end
		begin = wordFrom(section, before(section, end, s.Overlap), end)
	}
}

// after returns where n characters behind at end, before where they begin.
func after(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

func before(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// wordFrom returns where the first word begins that begins in text[from:to], or to.
func wordFrom(text string, from, to int) int {
	last := ' '
	if from > 0 {
		last, _ = utf8.DecodeLastRuneInString(text[:from])
	}
	for i, r := range text[from:to] {
		if unicode.IsSpace(last) && !unicode.IsSpace(r) {
			return from + i
		}
		last = r
	}
	return to
}

// bestCut returns the best place to cut a text up to limit: the last one of the best kind behind least, or behind done if all kinds but cuts
// within words are only there.
func bestCut(text string, least, done, limit int) int {
	for _, least := range []int{least, done} {
		for _, ends := range []func(before, behind string) bool{endsParagraph, endsSentence, endsWord} {
			for at := limit; at > least; {
				if ends(text[:at], text[at:]) {
					return at
				}
				_, size := utf8.DecodeLastRuneInString(text[:at])
				at -= size
			}
		}
	}
	return limit
}

// endsParagraph reports whether a paragraph ends between before and behind: in front of an empty line.
func endsParagraph(before, behind string) bool {
	rest, ok := strings.CutPrefix(behind, "\n")
	if !ok || strings.HasSuffix(before, "\n") {
		return false
	}
	line, _, whole := strings.Cut(rest, "\n")
	return whole && strings.TrimSpace(line) == ""
}

// endsSentence reports whether a sentence ends between before and behind.
func endsSentence(before, behind string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, `"')]»”’`))
	switch last {
	case '.', '!', '?', '…':
		return endsWord(before, behind)
	case '。', '！', '？':
		return true
	}
	return false
}

// endsWord reports whether there is white space behind, but not before.
func endsWord(before, behind string) bool {
	next, _ := utf8.DecodeRuneInString(behind)
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsSpace(next) && !unicode.IsSpace(last)
}
