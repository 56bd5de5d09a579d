// Package analysis cuts text into terms. New returns an Analyzer for a name and
// options, which the index records. An Analyzer makes Tokenizers, which process one
// document at a time. The analyzers of this package are
//
//	simple      maximal runs of Unicode letters and decimal digits, lower-cased;
//	            runs over 64 bytes (before lower-casing) are dropped
//	standard    words of Unicode Standard Annex 29 that contain a letter or a number,
//	            lower-cased
//	english     standard, without stop words, stemmed by Snowball's English stemmer
//	whitespace  maximal runs without white space, unchanged
//	cjk         pairs of adjacent characters of scripts without spaces between words;
//	            the words of standard elsewhere
//	code        identifiers and their parts, lower-cased
//	keyword     the whole text, unchanged
//
// Package languages has more like english. Typographic apostrophes, as in dog’s, are the
// plain one in standard and the languages, unless the options keep them. In standard, english and
// cjk Unicode is normalized to NFKC, accents and case are folded, and what cannot be seen is left
// out, unless there are options; New says what they can be. Invalid UTF-8 separates terms in
// simple; the others keep its bytes.
//
// A Token has a term, the byte range of the text that it stands for, and its distance
// in positions from the token before it.
//
// Programs add their own analyzers with Register, and languages with RegisterLanguage.
package analysis
