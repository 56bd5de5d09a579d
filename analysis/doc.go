// Package analysis cuts text into terms. An Analyzer is made by name and options,
// which the index records, and makes Tokenizers, which do the work a whole document
// at a time:
//
//	simple      maximal runs of Unicode letters and decimal digits, lower-cased;
//	            runs over 64 bytes (before lower-casing) are dropped
//	standard    words of Unicode Standard Annex 29 that hold a letter or a number,
//	            lower-cased
//	english     standard, stop words removed, stemmed by Snowball's English stemmer
//	whitespace  maximal runs without white space, unchanged
//
// Invalid UTF-8 separates terms in simple; the others keep its bytes.
//
// A Token carries, beside its term, the byte range of the text that it stands for
// and its distance in positions from the token before it. Indexes do not store
// positions yet: they record terms and how often each occurs.
//
// Programs add analyzers of their own with Register.
package analysis
