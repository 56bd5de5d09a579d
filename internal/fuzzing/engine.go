package fuzzing

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
)

// hang is how long an execution may take.
const hang = 100 * time.Second

// engine executes the body of one target.
type engine struct {
	t       *testing.T
	name    string
	body    reflect.Value
	kinds   []reflect.Kind
	in      []reflect.Value // what body is called with: t, and arguments that can be set
	args    []value         // the mutated input, in buffers of its own
	mutator mutator
	inputs  [][]value
	loaded  int // inputs that are in files

	counters []byte
	reached  []byte // for each counter a bit for each power of two that it had
	buckets  [256]byte

	calling bool         // the body runs, or has failed
	done    atomic.Int64 // executions
}

func newEngine(t *testing.T, name string, body any, seeds [][]any) *engine {
	e := &engine{t: t, name: name, body: reflect.ValueOf(body), in: []reflect.Value{reflect.ValueOf(t)}, counters: counters(),
		mutator: mutator{rand.New(rand.NewPCG(*seed, 0)), shortest}}
	for i := 1; i < e.body.Type().NumIn(); i++ {
		arg := reflect.New(e.body.Type().In(i)).Elem()
		e.in, e.kinds = append(e.in, arg), append(e.kinds, arg.Kind())
	}
	e.args = make([]value, len(e.kinds))
	e.reached = make([]byte, len(e.counters))
	for i := range e.buckets {
		e.buckets[i] = byte(1 << max(0, bits.Len8(uint8(i))-1))
	}
	for _, args := range seeds {
		input := make([]value, len(args))
		for i := range args {
			input[i] = valueOf(reflect.ValueOf(args[i]))
		}
		e.inputs = append(e.inputs, input)
	}
	err := e.load(filepath.Join("testdata", "fuzz", name))
	for _, input := range e.inputs {
		e.mutator.longest = max(e.mutator.longest, 2*length(input))
	}
	if err == nil && *corpus != "" {
		err = e.load(filepath.Join(*corpus, name))
	}
	if err != nil {
		t.Fatal(err)
	}
	e.loaded = len(e.inputs)
	return e
}

// shortest is the length of arguments in bytes up to which all may grow. Others may grow to
// twice the longest seed: what is long is slow.
const shortest = 1 << 12

// length returns the length of the longest argument.
func length(input []value) (n int) {
	for _, v := range input {
		n = max(n, len(v.bytes))
	}
	return n
}

// load adds the inputs in folder dir, if there is one.
func (e *engine) load(dir string) error {
	files, _ := filepath.Glob(filepath.Join(dir, "[0-9a-f]*"))
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err == nil {
			err = parseFile(b, e.in[1:])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		input := make([]value, len(e.kinds))
		for i, arg := range e.in[1:] {
			input[i] = valueOf(arg)
			input[i].bytes = bytes.Clone(input[i].bytes)
		}
		e.inputs = append(e.inputs, input)
	}
	return nil
}

// run executes all inputs kept, and n mutations.
func (e *engine) run(n int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a guard page is hit
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	defer func() {
		if e.calling {
			e.keepFailure()
		}
	}()
	defer e.watch()()
	start := time.Now()
	for _, input := range e.inputs {
		e.take(input)
		e.execute()
	}
	for range n {
		e.take(e.pick())
		e.mutator.mutate(e.args, e.kinds, e.pick())
		if e.execute() {
			e.keep()
		}
	}
	guided := "guided by coverage"
	if e.counters == nil {
		guided = "unguided"
	}
	e.t.Logf("%d executions %s in %.1f s, %d of %d inputs new", n, guided, time.Since(start).Seconds(), len(e.inputs)-e.loaded, len(e.inputs))
}

// pick returns an input: mostly the shorter of two, which is the faster one, too.
func (e *engine) pick() []value {
	a, b := e.random(), e.random()
	if e.mutator.IntN(4) > 0 && total(b) < total(a) {
		return b
	}
	return a
}

// total returns the length of all arguments.
func total(input []value) (n int) {
	for _, v := range input {
		n += len(v.bytes)
	}
	return n
}

// random returns an input: any, or every second time one of the latest.
func (e *engine) random() []value {
	n := len(e.inputs)
	if recent := 1 + n/8; e.mutator.IntN(2) == 0 {
		return e.inputs[n-1-e.mutator.IntN(recent)]
	}
	return e.inputs[e.mutator.IntN(n)]
}

// take copies an input into e.args.
func (e *engine) take(input []value) {
	for i, v := range input {
		e.args[i].bytes = append(e.args[i].bytes[:0], v.bytes...)
		e.args[i].number = v.number
	}
}

// execute calls the body and reports whether it reached something new.
func (e *engine) execute() bool {
	for i, v := range e.args {
		v.set(e.in[1+i])
	}
	clear(e.counters)
	e.calling = true
	e.body.Call(e.in)
	if e.t.Failed() {
		e.t.FailNow()
	}
	e.calling = false
	e.done.Add(1)
	return e.fresh()
}

// fresh adds the counters to what was reached and reports whether they add to it.
func (e *engine) fresh() (found bool) {
	c := e.counters
	for at := 0; at < len(c); at += len(zeros) {
		block := c[at:min(at+len(zeros), len(c))]
		if bytes.Equal(block, zeros[:len(block)]) {
			continue
		}
		reached := e.reached[at:][:len(block)]
		for i, n := range block {
			if b := e.buckets[n] &^ reached[i]; b != 0 && n != 0 {
				reached[i] |= b
				found = true
			}
		}
	}
	return found
}

var zeros [64]byte

// keep adds e.args to the inputs, and to the folder of the flag -corpus.
func (e *engine) keep() {
	input := make([]value, len(e.args))
	for i, v := range e.args {
		input[i] = value{bytes.Clone(v.bytes), v.number}
	}
	e.inputs = append(e.inputs, input)
	if *corpus == "" {
		return
	}
	if _, err := write(filepath.Join(*corpus, e.name), appendFile(nil, e.in[1:])); err != nil {
		e.t.Fatal(err)
	}
}

// keepFailure adds the input of the body that failed to the seeds, as go test -fuzz does.
func (e *engine) keepFailure() {
	content := appendFile(nil, e.in[1:])
	path, err := write(filepath.Join("testdata", "fuzz", e.name), content)
	fmt.Printf("%s fails after %d executions; its input is now in %s, %v:\n%s", e.name, e.done.Load(), path, err, content)
}

// watch ends the process if an execution hangs. It returns a function that ends it.
func (e *engine) watch() (stop func()) {
	ticker, done := time.NewTicker(hang), make(chan bool)
	go func() {
		last := int64(-1)
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			now := e.done.Load()
			if now == last {
				e.keepFailure()
				panic(fmt.Sprintf("%s: an execution takes longer than %v", e.name, hang))
			}
			last = now
		}
	}()
	return func() { ticker.Stop(); close(done) }
}
