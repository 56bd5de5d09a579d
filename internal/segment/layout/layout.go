// Package layout defines what the views, builders, checks and dumps of a segment share:
// sizes of blocks and tables, field offsets, flags, and the coding of terms, ids and
// dictionary entries. format/FORMAT.md, section 4, specifies all of it.
//
//	layout.go   blocks, flags and limits of the sections
//	extent.go   the parts of a list extent
//	heads.go    varints and front coding
//	ids.go      the hashes of ids
package layout

// Blocks of the sections.
const (
	TermsPerBlock = 32 // terms of a block of TERMS
	IDsPerBlock   = 16 // ids of a block of IDS

	// StoredEntry is the size of an entry of STOREDINDEX: u32 first docID, u32 form of
	// the block, u64 offset in STORED. An additional last entry holds the ends.
	StoredEntry = 16
)

// Forms of a block of stored text, in the low 8 bits of the form. The others say, for
// StoredChunks, how many blocks before it the one with its dictionary is.
const (
	StoredSnappy     = 0
	StoredRaw        = 1
	StoredChunks     = 2
	StoredDictionary = 3 // a dictionary, then chunks

	StoredFormBits = 8
)

// MaxInflated bounds the decompressed size of a block, unless that is at most twice its
// compressed size, so that the memory needed is proportional to the file.
const MaxInflated = 512 << 10

// The version of META and its flags.
const (
	MetaVersion        = 1
	MetaStored         = 1 << 0 // the segment has stored text
	MetaForeignLengths = 1 << 1 // document lengths are not sums of frequencies
	MetaFields         = 1 << 2 // the segment has section FIELDS, and META a tail
	MetaFlags          = MetaStored | MetaForeignLengths | MetaFields
)

// Limits of META.
const (
	MaxAnalyzer = 255     // bytes of the analyzer's name
	MaxOptions  = 1 << 16 // bytes of its options
	MaxMeta     = MaxOptions + 1024
)

// FIELDS: the greatest length of the section, and the flags of a field.
const (
	MaxFields        = 1 << 24
	FieldStored      = 1 << 0 // its values are stored
	FieldByteLengths = 1 << 1 // a length is one length code
	FieldColumn      = 1 << 2 // it is a column
	FieldUnit        = 1 << 3 // its unit in this bit and the next
	FieldClusters    = 1 << 5 // its vectors are in clusters
	FieldFlags       = FieldStored | FieldByteLengths | FieldColumn | 3*FieldUnit | FieldClusters

	// LengthsAlign is what the offset in DOCLENGTHS of each field's lengths is a multiple of.
	LengthsAlign = 64
)

// FREQUENT: segments of more than FrequentOver documents have the section. It holds terms of
// more than one in FrequentShare of the documents, at most MaxFrequent of them.
const (
	FrequentOver     = 1 << 16
	FrequentShare    = 64
	MaxFrequent      = 1024
	MaxFrequentBytes = 2 + MaxFrequent*(7+5) // ordinals are below 2^47, df at most 2^31
)

// MaxPartLength is how many bytes of POSITIONS say how long the part of a list is, at most: its blocks
// end below 2^32, and what says where they do takes less than 2^34 bytes.
const MaxPartLength = 5

// The low two bits of a dictionary entry's first varint.
const (
	EntryOnce    = iota // singleton with frequency 1
	EntrySingle         // singleton
	EntryCompact        // compact list
	EntryExtent         // extent
)

// LengthWidth returns the number of bytes of an entry of DOCLENGTHS.
func LengthWidth(maxLen uint32) int {
	switch {
	case maxLen < 1<<8:
		return 1
	case maxLen < 1<<16:
		return 2
	}
	return 4
}

// TermBlocks returns the number of blocks of a dictionary, or of a field's part, with that
// many terms.
func TermBlocks(terms uint64) uint64 {
	return terms/TermsPerBlock + (terms%TermsPerBlock+TermsPerBlock-1)/TermsPerBlock
}
