package static

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/pinion-index/pinion/adapters/static/page"
	"github.com/pinion-index/pinion/adapters/static/words"
)

// What words count: in the text of a section up to 1, and beside it up to
const (
	inTitle   = 0.8 // in the title of the page
	inPath    = 0.5 // in the last part of its path
	inHeading = 0.7 // in the heading of the section
	inLinks   = 0.3 // in a text that is links for the most part, in place of 1
)

// Parameters of BM25: how much it counts that a word is there several times, and that a text is long.
const (
	saturation = 1.2
	lengths    = 0.4
)

const (
	impactUnit = 30  // of what a word counts in a section
	mostImpact = 127 // in units
	mostRarity = 255 // how rare a word is
	rarityUnit = 32  // of the natural logarithm
)

// section is a part of a page that is found, and shown, by itself.
type section struct {
	page          int
	anchor        string // escaped
	heading, text string
	words         int  // in heading and text
	links         bool // the text is links for the most part
}

// posting is what a word is in a section.
type posting struct {
	section int
	text    int     // occurrences
	beside  float64 // what the word counts in the title, the path and the heading
	impact  byte
}

// form is a word of the index.
type form struct {
	text     string
	stem     string
	stop     bool
	postings []posting
	rarity   byte // of all forms with its stem
}

// index is the words of the pages of a language.
type index struct {
	pages    []webPage
	sections []section
	first    []int // the first section of each page, and their number
	forms    []*form
	stop     []string // stop words that occur
}

// longest is the length in bytes of the longest text of a section; longer ones are cut into several.
const longest = 4000

// newIndex returns the index of pages of a language.
func newIndex(language string, pages []webPage) (*index, error) {
	stemmer, err := words.NewStemmer(language)
	if err != nil {
		return nil, err
	}
	x := &index{pages: pages}
	b := &builder{x: x, stemmer: stemmer, forms: map[string]*form{}}
	for n := range pages {
		x.first = append(x.first, len(x.sections))
		b.page(n)
	}
	x.first = append(x.first, len(x.sections))
	b.finish()
	return x, nil
}

// builder makes an index.
type builder struct {
	x       *index
	stemmer *words.Stemmer
	forms   map[string]*form
	words   []words.Word // scratch
}

// page adds the sections of a page. The first is the page itself, which has its title.
func (b *builder) page(n int) {
	p := &b.x.pages[n]
	sections := p.Sections
	if len(sections) == 0 || sections[0].Anchor != "" {
		sections = slices.Insert(slices.Clone(sections), 0, page.Section{})
	}
	for i, s := range sections {
		for j, text := range cut(s.Text) {
			if j > 0 {
				text = "… " + text
			}
			b.section(section{page: n, anchor: escaped(s.Anchor), heading: s.Heading, text: text, links: 2*s.Links > len(s.Text)}, i+j == 0)
		}
	}
}

// cut divides a text where there are spaces.
func cut(text string) (parts []string) {
	for len(text) > longest {
		at := strings.LastIndexByte(text[:longest], ' ')
		if at < longest/2 {
			at = longest
			for at > 0 && text[at]&0xc0 == 0x80 { // not within a character
				at--
			}
		}
		parts, text = append(parts, text[:at]), strings.TrimPrefix(text[at:], " ")
	}
	return append(parts, text)
}

// section adds a section. The first of a page has the words of its title and its path.
func (b *builder) section(s section, first bool) {
	n := len(b.x.sections)
	s.words += b.add(n, s.text, true, func(p *posting) { p.text++ })
	s.words += b.beside(n, s.heading, inHeading)
	if first {
		p := &b.x.pages[s.page]
		b.beside(n, p.Title, inTitle)
		b.beside(n, pathWords(p.path), inPath)
	}
	b.x.sections = append(b.x.sections, s)
}

// beside adds the words of a title, a path or a heading, which count the more the fewer they are.
func (b *builder) beside(section int, text string, most float64) (n int) {
	all := 0
	for _, w := range words.Append(nil, text) {
		if strings.ContainsFunc(w.Form, unicode.IsLetter) { // not the number of a chapter
			all++
		}
	}
	each := most * 3 / float64(2+max(all, 1))
	return b.add(section, text, false, func(p *posting) { p.beside = p.beside + each })
}

// pathWords returns the last part of a path, without the name of a file that stands for its folder.
func pathWords(name string) string {
	name = strings.TrimSuffix(name, path.Ext(name))
	if name = strings.TrimSuffix("/"+name, "/index"); name == "" {
		return ""
	}
	return path.Base(name)
}

// add counts the words of a text. Stop words count nowhere but in titles, headings and paths.
func (b *builder) add(section int, text string, body bool, count func(*posting)) (n int) {
	b.words = words.Append(b.words[:0], text)
	for _, w := range b.words {
		f := b.forms[w.Form]
		if f == nil {
			f = &form{text: strings.Clone(w.Form), stem: w.Form}
			if !w.Pair {
				f.stem, f.stop = b.stemmer.Stem(w.Raw)
			}
			b.forms[f.text] = f
		}
		n++
		if f.stop && body {
			continue
		}
		if last := len(f.postings) - 1; last < 0 || f.postings[last].section != section {
			f.postings = append(f.postings, posting{section: section})
		}
		count(&f.postings[len(f.postings)-1])
	}
	return n
}

// finish computes what words weigh.
func (b *builder) finish() {
	x := b.x
	total := 0
	for i := range x.sections {
		total += x.sections[i].words
	}
	mean := float64(max(total, 1)) / float64(max(len(x.sections), 1))
	stems := map[string][]*form{}
	for _, f := range b.forms {
		if f.stop {
			x.stop = append(x.stop, f.text)
		}
		if len(f.postings) == 0 {
			continue
		}
		x.forms = append(x.forms, f)
		stems[f.stem] = append(stems[f.stem], f)
		for i := range f.postings {
			p := &f.postings[i]
			norm := 1 - lengths + lengths*float64(x.sections[p.section].words)/mean
			tf := float64(p.text) / norm
			count := tf / (tf + saturation)
			if x.sections[p.section].links {
				count *= inLinks
			}
			p.impact = byte(min(max(1, math.Round(impactUnit*(count+p.beside))), mostImpact))
		}
	}
	slices.Sort(x.stop)
	slices.SortFunc(x.forms, func(a, b *form) int { return cmp.Compare(a.text, b.text) })
	for _, of := range stems {
		pages := map[int]struct{}{}
		for _, f := range of {
			for _, p := range f.postings {
				pages[x.sections[p.section].page] = struct{}{}
			}
		}
		n, df := float64(len(x.pages)), float64(len(pages))
		for _, f := range of {
			f.rarity = byte(min(max(1, math.Round(rarityUnit*math.Log(1+(n-df+0.5)/(df+0.5)))), mostRarity))
		}
	}
}
