package analysis

// Folder is an Analyzer that can spell text as its terms are spelled. Those of this package and of languages are
// Folders.
type Folder interface {
	// AppendFolded appends text, a part of a word, with its letters changed as those of terms: lower-cased, normalized
	// and folded, as the analyzer and its options say. It neither cuts the text nor stems it.
	AppendFolded(dst, text []byte) []byte
}

// AppendFolded implements Folder.
func (a *builtin) AppendFolded(dst, text []byte) []byte {
	if a.apostrophes && !a.unchanged {
		text = []byte(foldApostrophes(string(text)))
	}
	return a.rewriter().append(dst, text)
}
