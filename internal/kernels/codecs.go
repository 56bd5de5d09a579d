package kernels

import "math/bits"

// Codec numbers in a ListDesc. They equal codec.ID, except that Raw stands for plain
// uint32 values.
const (
	Raw       = 0
	BP128     = 1
	VByte128  = 2
	BP256     = 3
	VByte1024 = 4
	Rice      = 5
	PForDelta = 6
	NewPFD    = 7
	ParaPFor  = 8
	LRC       = 9
	LRCSeg    = 10
	SegLRC    = 11
	HSLRC     = 12
	EF        = 13

	codecCount = 14
)

// CodecSet is a set of codec numbers. The zero value is empty.
type CodecSet uint16

// CodecsOf returns the set of the given codec numbers. No kernel supports a set with a
// number above EF.
func CodecsOf(codecs ...uint8) CodecSet {
	var s CodecSet
	for _, c := range codecs {
		s |= 1 << min(c, codecCount)
	}
	return s
}

func set(codec uint8) CodecSet { return CodecsOf(codec) }

// Sets that several kernels are compiled for.
var (
	packed = CodecsOf(Raw, BP128, BP256)
	linear = CodecsOf(LRC, LRCSeg, SegLRC, HSLRC)
	all    = CodecSet(1<<codecCount - 1)
)

// Task is a task for which there are several kernels, for different codecs.
type Task uint8

// The tasks. The zero value is not a task.
const (
	_               Task = iota
	DecodeDocs           // decode docIDs to device memory
	SumDocs              // decode docIDs and sum them
	DecodeFreqs          // decode frequencies to device memory
	Intersect            // answer conjunctions with docIDs
	FindElements         // the same, searching lists by single elements
	RankDocs             // answer conjunctions and disjunctions with scores, list by list
	RankInFields         // the same over fields
	AddDocs              // answer disjunctions with scores, by ranges of documents
	AddInFields          // the same over fields
	AddClauses           // answer trees of terms with scores, by ranges of documents
	RankTrees            // the same, list by list
	CheckPostings        // check lists by decoding them
	MeasurePostings      // measure what lists take in bp128
	RecodePostings       // write lists in bp128
	MarkPostings         // make presence words
	SetPostings          // make bitmaps of sets of documents
)

// For returns the kernel for a task on lists of the given codecs. If several support
// these codecs, it returns the one compiled for the fewest; if none does, it returns
// None.
func For(task Task, codecs CodecSet) Kernel {
	best := None
	for k, e := range table {
		if task == 0 || e.task != task || codecs&^e.codecs != 0 {
			continue
		}
		if best == None || bits.OnesCount16(uint16(e.codecs)) < bits.OnesCount16(uint16(table[best].codecs)) {
			best = Kernel(k)
		}
	}
	return best
}

// Variants returns the kernels that For returns for a task on lists of some of the given codecs.
func Variants(task Task, codecs CodecSet) (ks []Kernel) {
	for k, e := range table {
		if task != 0 && e.task == task && For(task, codecs&e.codecs) == Kernel(k) {
			ks = append(ks, Kernel(k))
		}
	}
	return ks
}

// decodable is the set of codecs with kernels that decode docIDs and frequencies.
var decodable = func() (s CodecSet) {
	for c := range uint8(codecCount) {
		if For(DecodeDocs, set(c)) != None && For(DecodeFreqs, set(c)) != None {
			s |= set(c)
		}
	}
	return s
}()

// Decodable reports whether there are kernels that decode docIDs and frequencies of a
// codec.
func Decodable(codec uint8) bool { return set(codec)&decodable != 0 }

// HasElements reports whether there are kernels that search lists of a codec by single
// elements, without decoding blocks.
func HasElements(codec uint8) bool { return set(codec)&linear != 0 }
