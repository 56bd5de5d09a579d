package gpu

import (
	"errors"
	"fmt"
	"iter"

	"github.com/pinion-index/pinion/internal/gpu/docs"
)

// Reason says why the CPU answers a query, or what is left of it. OnDevice is none: the device does. Steps on the device have
// reasons too.
type Reason uint8

// The reasons. docs/gpu-plan.md has their names and what they mean.
const (
	OnDevice Reason = iota

	// What the query asks for.
	ReasonAfter
	reasonTotal
	reasonParams
	ReasonColumns
	reasonTrace
	reasonNodes
	reasonTerms
	reasonHits
	reasonStatic
	reasonDot
	reasonNearest

	// What the index is.
	reasonTies
	reasonTwice
	reasonSmall

	// What is on the device.
	reasonField
	reasonVectors
	reasonTable
	reasonAbsent
	reasonMisfit
	reasonKeys
	ReasonNoDevice
	reasonMemory
	reasonFailed
	reasonDamaged

	// What it costs.
	reasonEmpty
	reasonFilter
	reasonFields
	reasonList
	reasonShort
	reasonRatio
	reasonSooner
	reasonAsked

	reasonLong // of a step on the device
	reasonCount
)

// reasons are what errors, statistics, plans, traces and docs/gpu-plan.md say: a name, and a clause that is true of the query.
var reasons = [reasonCount]struct{ name, is string }{
	OnDevice:       {"", "the device answers it"},
	ReasonAfter:    {"after", "it asks for the hits behind another one, of a dot product or in an index that keeps an order"},
	reasonTotal:    {"total", "it asks for the total of a dot product"},
	reasonParams:   {"parameters", "it brings parameters or a scorer of its own"},
	ReasonColumns:  {"columns", "it is sorted, counted or collapsed by columns"},
	reasonTrace:    {"trace", "it asks what the CPU does for it"},
	reasonNodes:    {"nodes", "it is no tree of terms that all score in what matches, or in an alternative of a best, nor a dot product alone"},
	reasonTerms:    {"terms", "it has more than 64 terms"},
	reasonHits:     {"hits", "it asks for more hits than the device selects: 10,000, of a dot product 1,024, and fewer if thread blocks have little shared memory"},
	reasonStatic:   {"static scores", "it has static scores, whose column the CPU checks, and no terms that occur, or a dot product, or counts more than the values, or multiplies by them"},
	reasonDot:      {"dot product", "its sums or its scores are too great or too small for the device"},
	reasonNearest:  {"nearest", "it compares vectors and is not one nearest alone, under filters of columns or not, that compares all, or it is asked of a part of a collection"},
	reasonTies:     {"ties", "docIDs do not order its last hits, whose scores are equal, or all that mode and-or finds"},
	reasonTwice:    {"two filters", "it is filtered where all queries are"},
	reasonSmall:    {"small lists", "it has more lists of few postings than a batch takes"},
	reasonField:    {"field", "the field of its dot product is not on the device: it is being loaded, does not fit or is damaged"},
	reasonVectors:  {"vectors", "the field of vectors is not on the device: it is being loaded, does not fit, is damaged, or keeps codes alone"},
	reasonTable:    {"table", "the bitmap of its filter or its static scores are not on the device: they do not fit, or have not been asked for enough"},
	reasonAbsent:   {"not resident", "lists of it are not on the device, and a core is sooner than their copies"},
	reasonMisfit:   {"did not fit", "lists of it were not loaded: memory is full, and loading takes longer than the CPU, or one is damaged, or in a codec without kernels"},
	reasonKeys:     {"keys", "there is no room for the keys of all documents that may be hits"},
	ReasonNoDevice: {"no device", "the device does not answer yet, or no more"},
	reasonMemory:   {"out of device memory", "the device had too little memory for its batch"},
	reasonFailed:   {"the device failed", "the device failed, or did not finish its work in time"},
	reasonDamaged:  {"damaged", "a list has changed since it was checked"},
	reasonEmpty:    {"no terms", "it searches for nothing"},
	reasonFilter:   {"own filter", "it came alone with a filter of its own, of which the device would make a bitmap"},
	reasonFields:   {"conjunction", "it is no disjunction, and over fields: the CPU takes all of these that come alone"},
	reasonList:     {"one list", "it came alone and has one list, in which a core skips most blocks by their bounds"},
	reasonShort:    {"short", "it came alone, and has less work than a launch is worth"},
	reasonRatio:    {"ratio", "the next list is many times as long as what is left"},
	reasonSooner:   {"predicted", "it came alone, and a core is predicted to be sooner; of a step on the device, the device"},
	reasonAsked:    {"asked for", "the caller chose the processor"},

	reasonLong: {"long", "it has more work than a launch is worth"},
}

// String returns the name of a reason, "" for OnDevice.
func (r Reason) String() string {
	if r < reasonCount {
		return reasons[r].name
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// Clause returns what is true of the query, for a sentence.
func (r Reason) Clause() string {
	if r < reasonCount {
		return reasons[r].is
	}
	return r.String()
}

// Reasons returns all reasons why the CPU answers.
func Reasons() []Reason {
	all := make([]Reason, reasonLong-1)
	for i := range all {
		all[i] = Reason(i + 1)
	}
	return all
}

// unsupported returns the error of a query that the device does not answer where no CPU does.
func (r Reason) unsupported() error { return fmt.Errorf("%w: %s", ErrUnsupported, r.Clause()) }

// Reasoned are numbers of queries that the CPU answered, by their reasons.
type Reasoned [reasonCount]int64

// All returns the reasons that there were, with their numbers.
func (n *Reasoned) All() iter.Seq2[Reason, int64] {
	return func(yield func(Reason, int64) bool) {
		for r, of := range n {
			if of > 0 && !yield(Reason(r), of) {
				return
			}
		}
	}
}

// Sum returns the number of all.
func (n *Reasoned) Sum() (sum int64) {
	for _, of := range n {
		sum += of
	}
	return sum
}

func (n *Reasoned) add(o *Reasoned) {
	for i := range n {
		n[i] += o[i]
	}
}

// failure says why the device did not answer.
func failure(err error) Reason {
	if errors.Is(err, ErrMemory) {
		return reasonMemory
	}
	return reasonFailed
}

// ErrUnsupported means that the device cannot answer a query and that Options.CPU is nil. It says which Reason there is.
//
// New fails with it if the snapshot has more than 2^32-2^20 documents or one of more than 2^26 tokens.
var ErrUnsupported = docs.ErrUnsupported
