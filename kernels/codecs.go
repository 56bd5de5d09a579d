package kernels

import "math/bits"

// Codec numbers of a ListDesc: codec.ID, and Raw for plain uint32 values.
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

// CodecsOf returns the set of some codec numbers. Numbers above EF, which no kernel
// decodes, make a set that no kernel takes.
func CodecsOf(codecs ...uint8) CodecSet {
	var s CodecSet
	for _, c := range codecs {
		s |= 1 << min(c, codecCount)
	}
	return s
}

func set(codec uint8) CodecSet { return CodecsOf(codec) }

// What several kernels are compiled for.
var (
	packed = CodecsOf(Raw, BP128, BP256)
	linear = CodecsOf(LRC, LRCSeg, SegLRC, HSLRC)
	all    = CodecSet(1<<codecCount - 1)
)

// Task is what one of several kernels does, depending on the codecs of its lists.
type Task uint8

// The tasks. The zero value is none.
const (
	_            Task = iota
	DecodeDocs        // docIDs to device memory
	SumDocs           // docIDs decoded and summed
	DecodeFreqs       // frequencies to device memory
	Intersect         // conjunctions, docIDs out
	FindElements      // likewise, where docIDs are looked up by single elements
	RankDocs          // conjunctions and disjunctions scored, list by list
	AddScores         // scores added to accumulators
)

// For returns the kernel that does a task for lists of these codecs: of those that can,
// the one compiled for the fewest codecs. None says that there is none.
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

// decodable are the codecs of which kernels decode docIDs and frequencies.
var decodable = func() (s CodecSet) {
	for c := range uint8(codecCount) {
		if For(DecodeDocs, set(c)) != None && For(DecodeFreqs, set(c)) != None {
			s |= set(c)
		}
	}
	return s
}()

// Decodable reports whether kernels decode the docIDs and the frequencies of a codec.
func Decodable(codec uint8) bool { return set(codec)&decodable != 0 }

// HasElements reports whether kernels find docIDs of a codec by single elements.
func HasElements(codec uint8) bool { return set(codec)&linear != 0 }
