package query

// Prefix is matched by the documents that have a term that begins with a prefix. It scores as a Const does: the
// boost, times those of the nodes around it.
type Prefix struct {
	Field  string // "" means all fields of text
	Text   string // folded as the field's words are, but not stemmed
	Boost  float64
	Scored bool // scores each term instead, as an alternative of a Bool, unless there are more than MaxScored, or the field is one of impacts
}

// Wildcard is matched by the documents that have a term that a pattern matches: * stands for any number of
// characters, ? for one, and \ takes away the meaning of what follows it. It scores as Prefix does.
type Wildcard struct {
	Field   string // as in Prefix
	Pattern string // as Prefix.Text
	Boost   float64
	Scored  bool // as in Prefix
}

// Regexp is matched by the documents that have a term that a regular expression matches as a whole. It scores as
// Prefix does.
//
// Expressions are those of package regexp with its flag s, so that . stands for any character, also a newline. They have
// no flags of their own, assertions such as ^ and \b, \p, named classes and repetitions that prefer fewer.
type Regexp struct {
	Field   string // as in Prefix
	Pattern string // for terms as the dictionary has them
	Boost   float64
	Scored  bool // as in Prefix
}

// Fuzzy is matched by the documents that have a term that a few edits make of a word: a character inserted, deleted
// or replaced, or two adjacent ones swapped. It scores each term, as an alternative of a Bool. Of more than MaxScored terms
// it stands for the closest: those with the fewest edits, of these those that begin like the word for longest, then the
// first by bytes. In a field of impacts it scores as Prefix does. Where nothing scores it, as in a Const or a filter, it stands for
// all terms.
type Fuzzy struct {
	Field       string // as in Prefix
	Text        string // as Prefix.Text
	Edits       int    // 1 or 2 at most; 0 means none of a word of 1 or 2 characters, 1 of one of 3 to 5, and 2 of others
	FixedPrefix int    // how many characters at the beginning are not edited
	Boost       float64
}

func (n Prefix) visit(v *visitor) {
	v.leaf("prefix", n.Field, n.Text, n.Boost)
	if v.flag(n.Scored); v.copies {
		v.copy = n
	}
}

func (n Wildcard) visit(v *visitor) {
	v.leaf("wildcard", n.Field, n.Pattern, n.Boost)
	if v.flag(n.Scored); v.copies {
		v.copy = n
	}
}

func (n Regexp) visit(v *visitor) {
	v.leaf("regexp", n.Field, n.Pattern, n.Boost)
	if v.flag(n.Scored); v.copies {
		v.copy = n
	}
}

func (n Fuzzy) visit(v *visitor) {
	v.leaf("fuzzy", n.Field, n.Text, n.Boost)
	v.integer(n.Edits)
	if v.integer(n.FixedPrefix); v.copies {
		v.copy = n
	}
}
