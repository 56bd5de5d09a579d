package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"net/url"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"

	"github.com/pinion-index/pinion/query"
)

// Sizes in bytes of what files hold, before they are packed: a word or a section begins a new one behind that.
const (
	wordsSize = 24 << 10
	textsSize = 20 << 10
	spellSize = 64 << 10
)

// head is what the reader reads first of an index.
type head struct {
	Language string `json:"language"`
	// Pages have their address relative to the site, their title, and the number of their sections.
	Pages [][3]any `json:"pages"`
	// Words, Spelling and Texts say where their files begin: with which word, and how many sections behind the one before.
	Words    []string `json:"words"`
	Spelling []string `json:"spelling"`
	Texts    []int    `json:"texts"`
	Stop     []string `json:"stop,omitempty"`
	Synonyms []rule   `json:"synonyms,omitempty"`
}

// rule is a rule of synonyms: what is on its left is searched for as what is on its right.
type rule struct {
	From []string `json:"from"`
	To   []string `json:"to"`
}

// file is one of an index, by its name in the folder.
type file struct {
	name    string
	content []byte
}

// files returns the files of an index, packed by gzip.
func (x *index) files(language string, synonyms *query.Synonyms) ([]file, error) {
	h := head{Language: language, Stop: x.stop}
	if synonyms != nil {
		for r := range synonyms.Rules() {
			h.Synonyms = append(h.Synonyms, rule(r))
		}
	}
	for n, p := range x.pages {
		h.Pages = append(h.Pages, [3]any{p.url, p.Title, x.first[n+1] - x.first[n]})
	}
	var all []file
	add := func(kind string, number int, content []byte) error {
		packed, err := pack(content)
		all = append(all, file{fmt.Sprintf("%s%d.bin", kind, number), packed})
		return err
	}
	for from := 0; from < len(x.forms); {
		to := x.endOfWords(from)
		h.Words = append(h.Words, x.forms[from].text)
		if err := add("w", len(h.Words)-1, appendForms(nil, x.forms[from:to])); err != nil {
			return nil, err
		}
		from = to
	}
	for from := 0; from < len(x.forms); {
		to := x.endOfSpelling(from)
		h.Spelling = append(h.Spelling, x.forms[from].text)
		if err := add("s", len(h.Spelling)-1, x.spelling(x.forms[from:to])); err != nil {
			return nil, err
		}
		from = to
	}
	for from := 0; from < len(x.sections); {
		to, text, err := x.texts(from)
		if err != nil {
			return nil, err
		}
		h.Texts = append(h.Texts, to-from)
		if err := add("t", len(h.Texts)-1, text); err != nil {
			return nil, err
		}
		from = to
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	packed, err := pack(text)
	return append(all, file{"head.bin", packed}), err
}

// endOfWords returns where the file of words ends that begins with a word. Words that begin with the same four letters stay together where
// they can, since forms of a word often do.
func (x *index) endOfWords(from int) int {
	size := 0
	for i := from; i < len(x.forms); i++ {
		f := x.forms[i]
		if i > from && size >= wordsSize && (size >= 2*wordsSize || begin(f.text, 4) != begin(x.forms[i-1].text, 4)) {
			return i
		}
		size += 8 + len(f.text)/2 + 2*len(f.postings)
	}
	return len(x.forms)
}

// endOfSpelling returns where the file of spellings ends that begins with a word: all that begin with a letter are in one.
func (x *index) endOfSpelling(from int) int {
	size := 0
	for i := from; i < len(x.forms); i++ {
		if i > from && size >= spellSize/8 && begin(x.forms[i].text, 1) != begin(x.forms[i-1].text, 1) {
			return i
		}
		size += len(x.forms[i].text)
	}
	return len(x.forms)
}

// begin returns the first n characters of a word.
func begin(word string, n int) string {
	for i := range word {
		if n--; n < 0 {
			return word[:i]
		}
	}
	return word
}

// appendForms appends words with their postings: for each the length of what it begins with as the word before does, and the rest behind its
// length; which of the stems here it has; how rare it is; the number of its postings, the differences of their sections, and their impacts.
func appendForms(dst []byte, forms []*form) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(forms)))
	stems := map[string]int{}
	last := ""
	for _, f := range forms {
		same := 0
		for same < min(len(last), len(f.text)) && last[same] == f.text[same] {
			same++
		}
		for same > 0 && same < len(f.text) && !utf8.RuneStart(f.text[same]) {
			same--
		}
		stem, ok := stems[f.stem]
		if !ok {
			stem = len(stems)
			stems[f.stem] = stem
		}
		dst = binary.AppendUvarint(dst, uint64(same))
		dst = binary.AppendUvarint(dst, uint64(len(f.text)-same))
		dst = append(dst, f.text[same:]...)
		dst = append(binary.AppendUvarint(dst, uint64(stem)), f.rarity)
		dst = binary.AppendUvarint(dst, uint64(len(f.postings)))
		before := 0
		for _, p := range f.postings {
			dst = binary.AppendUvarint(dst, uint64(p.section-before))
			before = p.section
		}
		for _, p := range f.postings {
			dst = append(dst, p.impact)
		}
		last = f.text
	}
	return dst
}

// spelling returns lines of words, each with a digit that says how frequent it is.
func (x *index) spelling(forms []*form) []byte {
	var b bytes.Buffer
	for _, f := range forms {
		fmt.Fprintf(&b, "%s%d\n", f.text, min(bits.Len(uint(len(f.postings)))-1, 9))
	}
	return b.Bytes()
}

// texts returns the sections of the file of texts that begins with one, as JSON: their anchor, heading and text.
func (x *index) texts(from int) (to int, text []byte, err error) {
	var all [][3]string
	size := 0
	for to = from; to < len(x.sections) && (to == from || size+len(x.sections[to].text) <= textsSize); to++ {
		s := &x.sections[to]
		all = append(all, [3]string{s.anchor, s.heading, s.text})
		size += len(s.text) + len(s.heading)
	}
	text, err = json.Marshal(all)
	return to, text, err
}

// escaped returns an anchor as it stands in a URL.
func escaped(anchor string) string {
	return (&url.URL{Fragment: anchor}).EscapedFragment()
}

// pack returns content packed by gzip, the same always.
func pack(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// nameOf returns a name for files that no others have, so that browsers and hosts may keep them for ever.
func nameOf(language string, files []file) string {
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d ", f.name, len(f.content)) // a hash takes all
		sum.Write(f.content)
	}
	name := fmt.Sprintf("index-%x", sum.Sum(nil)[:6])
	if language != "" {
		name = language + "-" + name
	}
	return name
}
