// Package chunks has the content of blocks of stored text in their chunked forms: text cut into
// chunks of Size bytes, each compressed on its own against a dictionary that many blocks share.
// So a document is read by inflating its own chunks up to its end, and not a block.
// format/FORMAT.md, section 4.8, specifies them.
//
//	chunks.go      sizes
//	block.go       Block: the documents of one block
//	inflate.go     a chunk's elements to text
//	parts.go       a chunk's elements to the parts of the text that are wanted
//	encode.go      Encoder: text to elements, documents to a block
//	dictionary.go  a dictionary drawn from a sample of text
package chunks

// Size is the number of bytes of text of a chunk; the last one of a block has the rest.
const Size = 2048

// MaxDictionary is the greatest length of a dictionary: a copy reaches back 65535 bytes.
const MaxDictionary = 60 << 10

// slack is how many bytes behind the text inflate may overwrite.
const slack = 64
