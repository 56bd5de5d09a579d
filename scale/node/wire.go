package node

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// version is the first byte of each message. A node answers others with an error that says its own.
const version = 4 // 3 had no slips of words and no groups, 2 no weights of fields, 1 no order of equal scores

// The kinds of requests.
const (
	askFrequencies byte = iota + 1
	askSearch
	askCount
	askSuggest
	askNeighbors // of httpapi.Request.Nearest; nodes of earlier versions refuse it
	askShow      // of httpapi.Request.Fuse: what hits show

	rescoring = 1 << 6 // beside one of these: of httpapi.Request.Rescore
)

// The kinds of answers.
const (
	answered byte = iota
	refused       // by an error that any node of the shard would give
	absent        // the node does not have the commit, or is full: another may answer
)

var errWire = errors.New("node: a message that makes no sense")

// encoder appends to a message.
type encoder struct{ b []byte }

func (e *encoder) byte(x byte)   { e.b = append(e.b, x) }
func (e *encoder) uint(x uint64) { e.b = binary.AppendUvarint(e.b, x) }
func (e *encoder) float(x float32) {
	e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(x))
}
func (e *encoder) bool(x bool) {
	if x {
		e.byte(1)
	} else {
		e.byte(0)
	}
}
func (e *encoder) bytes(x []byte) {
	e.uint(uint64(len(x)))
	e.b = append(e.b, x...)
}
func (e *encoder) string(x string) {
	e.uint(uint64(len(x)))
	e.b = append(e.b, x...)
}

// decoder takes a message apart. What it returns after an error is zero.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.err, d.b = errWire, nil
		return nil
	}
	x := d.b[:n:n]
	d.b = d.b[n:]
	return x
}

func (d *decoder) byte() byte {
	if x := d.take(1); len(x) == 1 {
		return x[0]
	}
	return 0
}

func (d *decoder) bool() bool { return d.byte() != 0 }

func (d *decoder) uint() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.err, d.b = errWire, nil
		return 0
	}
	d.b = d.b[n:]
	return x
}

// count returns the number of elements that follow, each of which takes at least one byte.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.err, d.b = errWire, nil
		return 0
	}
	return int(n)
}

// each yields once for each of the elements that follow, until one makes no sense.
func (d *decoder) each(yield func() bool) {
	for n := d.count(); n > 0 && d.err == nil && yield(); n-- {
	}
}

func (d *decoder) float() float32 {
	if x := d.take(4); len(x) == 4 {
		return math.Float32frombits(binary.LittleEndian.Uint32(x))
	}
	return 0
}

func (d *decoder) bytes() []byte  { return d.take(d.uint()) }
func (d *decoder) string() string { return string(d.bytes()) }

// end returns the error, also if something follows.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		d.err = errWire
	}
	return d.err
}

// ask is a request to one shard.
type ask struct {
	kind       byte
	shard      int
	commit     string
	timeout    uint64 // microseconds that the answer may take: clocks are not compared
	request    []byte // JSON of package httpapi
	collection collection
	afterDoc   uint32 // of askSearch with httpapi.Request.After: the local docID of the hit, or its place
	place      byte
	statistics statistics    // of askSearch
	whole      bool          // of askCount: what there is of the collection matters
	neighbors  neighbors     // of askSearch and askCount with httpapi.Request.Nearest
	docs       []uint32      // of askShow and rescoring: the documents that are meant
	took       time.Duration // of the node's own index; not in the message
}

// Where the hit that a page begins after is, seen from a shard.
const (
	placeNone   byte = iota // there is none
	placeBefore             // before all documents of the shard
	placeWithin             // it is one of them
	placeBehind             // behind all
)

func (a *ask) encode() []byte {
	e := encoder{make([]byte, 0, 512)}
	e.byte(version)
	e.byte(a.kind)
	e.uint(uint64(a.shard))
	e.string(a.commit)
	e.uint(a.timeout)
	e.bytes(a.request)
	kind := a.kind &^ rescoring
	if kind == askShow || kind != a.kind {
		e.uint(uint64(len(a.docs)))
		for _, doc := range a.docs {
			e.uint(uint64(doc))
		}
	}
	switch {
	case kind == askSearch:
		a.collection.encode(&e)
		e.byte(a.place)
		e.uint(uint64(a.afterDoc))
		a.statistics.encode(&e)
	case kind == askNeighbors || kind == askCount && (a.whole || len(a.neighbors) > 0):
		a.collection.encode(&e)
		a.statistics.encode(&e)
	}
	if len(a.neighbors) > 0 {
		a.neighbors.encode(&e)
	}
	return e.b
}

func (a *ask) decode(b []byte) error {
	d := decoder{b: b}
	d.byte() // version
	a.kind, a.shard, a.commit, a.timeout, a.request = d.byte(), int(min(d.uint(), MaxShards)), d.string(), d.uint(), d.bytes()
	kind := a.kind &^ rescoring
	if kind == askShow || kind != a.kind {
		for range d.each {
			a.docs = append(a.docs, uint32(min(d.uint(), math.MaxUint32)))
		}
	}
	switch {
	case kind == askSearch:
		a.collection.decode(&d)
		a.place, a.afterDoc = d.byte(), uint32(min(d.uint(), math.MaxUint32))
		a.statistics.decode(&d)
	case kind == askNeighbors || kind == askCount && len(d.b) > 0:
		a.whole = true
		a.collection.decode(&d)
		a.statistics.decode(&d)
	}
	if (kind == askSearch || kind == askCount) && len(d.b) > 0 {
		a.neighbors.decode(&d)
	}
	return d.end()
}

// answer is what a node says.
type answer struct {
	kind  byte
	shard int
	node  string // of answered: what a request to this node alone is addressed to, after the subject of the shard
	took  uint64 // of answered: nanoseconds that the node's index took, without what is around it
	body  []byte // of answered
	// of the others
	status               int
	code, message, field string
}

func (a *answer) encode() []byte {
	e := encoder{make([]byte, 0, len(a.body)+64)}
	e.byte(version)
	e.byte(a.kind)
	e.uint(uint64(a.shard))
	if a.kind == answered {
		e.string(a.node)
		e.uint(a.took)
		e.b = append(e.b, a.body...)
		return e.b
	}
	e.uint(uint64(a.status))
	e.string(a.code)
	e.string(a.message)
	e.string(a.field)
	return e.b
}

func (a *answer) decode(b []byte) error {
	d := decoder{b: b}
	if v := d.byte(); v != version {
		return errVersion
	}
	a.kind, a.shard = d.byte(), int(min(d.uint(), MaxShards))
	if a.kind == answered {
		a.node, a.took, a.body = d.string(), d.uint(), d.b
		return d.err
	}
	a.status, a.code, a.message, a.field = int(min(d.uint(), 999)), d.string(), d.string(), d.string()
	return d.end()
}

var errVersion = errors.New("node: another version of the protocol")
