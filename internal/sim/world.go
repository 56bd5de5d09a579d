package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// Config says what Run does.
type Config struct {
	Seed  uint64
	Ops   int       // operations, at least
	Trace io.Writer // if not nil, what happens is written to it
}

// Result is what a world did.
type Result struct {
	Hash    uint64 // of the trace
	Events  int    // of the trace
	Ops     int64  // additions, deletions, flushes, merges, publications, commits, queries
	Lives   int
	Crashes int
	Vectors int64 // of documents, compared with the model
}

var (
	errInjected = errors.New("injected fault")
	errEnough   = errors.New("the life has ended")
)

// world is the index, its model and its history.
type world struct {
	r       *rand.Rand
	seed    uint64
	fs      *memfs.FS
	trace   *tracer
	authors []*author
	exists  atomic.Bool    // a commit has succeeded
	stored  bool           // texts are stored
	fields  bool           // documents have fields
	schema  *schema.Schema // of the newest commit when the last life had ended; nil without fields
	filled  bool           // the newest commit had documents when the last life had ended
	ops     atomic.Int64
	vectors atomic.Int64 // compared
	lives   int
	crashes int
	newest  uint64                            // the newest commit when the last life had ended
	kept    map[uint64][]map[string]*document // what older ones held that were kept then
}

// Run runs a world and returns the first contradiction between engine and model.
func Run(c Config) (Result, error) {
	w := &world{r: rand.New(rand.NewPCG(c.Seed, 1)), seed: c.Seed, fs: memfs.New(), trace: newTracer(c.Trace)}
	w.stored, w.fields = w.r.IntN(4) > 0, w.r.IntN(2) == 0
	for i := range 1 + w.r.IntN(3) {
		w.authors = append(w.authors, newAuthor(i))
	}
	var err error
	for w.ops.Load() < int64(c.Ops) && err == nil {
		err = w.live()
		w.lives++
	}
	if err != nil {
		w.trace.printf("failure: %v", err)
		err = fmt.Errorf("seed %d, life %d: %w", c.Seed, w.lives, err)
	}
	w.trace.flush()
	return Result{w.trace.hash, w.trace.lines, w.ops.Load(), w.lives, w.crashes, w.vectors.Load()}, err
}

// life is the time from opening the index for writing until it is closed or crashes.
type life struct {
	*world
	writer *writer.Writer
	ending ending
	left   atomic.Pointer[memfs.FS] // what a crash left
	unsure atomic.Bool              // a commit failed that may be there nevertheless
	schema *schema.Schema           // of the Writer; nil without fields
	asked  *schema.Schema           // of the Writer's options
	firm   atomic.Bool              // a commit has recorded it

	mu      sync.Mutex
	failure error // the first contradiction
}

// ending is how a life ends.
type ending int

const (
	closing ending = iota // the writer is closed
	crashing
	failing // an operation of the file system fails
	full    // the disk is full
)

func (e ending) String() string { return [...]string{"closing", "crashing", "failing", "full"}[e] }

// live opens the index, lets goroutines work on it until they are done or the life ends
// otherwise, and checks what is there then.
func (w *world) live() error {
	l := &life{world: w, ending: ending(w.r.IntN(4))}
	o := DrawOptions(w.r, Past{w.stored, w.exists.Load(), w.filled, w.fields, w.schema})
	if o.MergeFailed != nil {
		o.MergeFailed = func(err error) {
			if err := l.judge("merge in the background", err); err != nil && !errors.Is(err, errEnough) {
				l.fail(err)
			}
		}
	}
	l.asked = o.Schema
	w.trace.printf("life %d ends %v; %s", w.lives, l.ending, describe(o))
	if err := w.contradict(); err != nil {
		return err
	}
	l.arrange()
	err := l.run(o)
	w.fs.Watch(nil)
	w.fs.Heal()
	w.fs.SetCapacity(-1)
	if left := l.left.Load(); left != nil {
		w.fs = left
		w.crashes++
		l.unsure.Store(true)
	} else if l.unsure.Load() {
		// What recover sees is what the model goes on from. Of a commit of uncertain
		// outcome that need not be durable: a crash before the next Lock has synced the
		// directory may still take it back.
		if err := w.fs.Sync(); err != nil {
			return err
		}
	}
	if err == nil {
		err = w.recover(l.ended, l.unsure.Load(), l.ending == closing)
	}
	return err
}

// arrange prepares the end of the life, and makes goroutines yield around operations of
// the file system.
func (l *life) arrange() {
	at := 1 + l.r.IntN(1<<(2+l.r.IntN(9)))
	switch l.ending {
	case failing:
		l.fs.Inject(memfs.Fault{At: at, Err: errInjected, Sticky: l.r.IntN(2) == 0, Effect: l.r.IntN(2) == 0})
	case full:
		l.fs.SetCapacity(l.fs.Used() + int64(memfs.Sector*l.r.IntN(1<<(1+l.r.IntN(10)))))
	}
	crash := memfs.Crash{Keep: []int{0, 10, 50, 100}[l.r.IntN(4)], Torn: l.r.IntN(2) == 0, Rand: rand.New(rand.NewPCG(l.seed, uint64(l.lives)<<8|2))}
	fsys, r, n := l.fs, rand.New(rand.NewPCG(l.seed, uint64(l.lives)<<8|3)), 0
	var mu sync.Mutex
	fsys.Watch(func(op memfs.Op) {
		mu.Lock()
		n++
		now, yields := l.ending == crashing && n == at, r.IntN(4)*r.IntN(2)
		mu.Unlock()
		l.trace.printf("%s %s %d %d", op.Kind, op.Name, op.Off, op.Len)
		for range yields {
			runtime.Gosched()
		}
		if now {
			l.trace.printf("crash, %d %% kept, torn %v", crash.Keep, crash.Torn)
			l.left.Store(fsys.CrashWith(crash))
		}
	})
}

// run is the life itself.
func (l *life) run(o writer.Options) (err error) {
	if l.writer, err = writer.OpenFS(context.Background(), l.fs, o); err != nil {
		if errors.Is(err, store.ErrUncertain) {
			l.unsure.Store(true)
		}
		return l.judge("open", err)
	}
	l.schema = schemaOf(l.writer)
	if err := l.checkSchema(); err != nil {
		return errors.Join(err, l.writer.Close())
	}
	var group sync.WaitGroup
	role := func(n int, f func(*rand.Rand) error) {
		r := rand.New(rand.NewPCG(l.seed, uint64(l.lives)<<8|uint64(10+n)))
		group.Go(func() {
			if err := f(r); err != nil && !errors.Is(err, errEnough) {
				l.fail(err)
			}
		})
	}
	for i, a := range l.authors {
		role(i, func(r *rand.Rand) error { return l.write(r, a) })
	}
	role(50, l.maintain)
	for i := range l.r.IntN(3) {
		role(100+i, l.readers)
	}
	group.Wait()
	closed := l.judge("close", l.writer.Close())
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.failure, closed)
}

// checkSchema checks that the Writer has the schema that it was asked for.
func (l *life) checkSchema() error {
	if !l.fields {
		if l.schema != nil {
			return errors.New("an index without fields has a schema")
		}
		return nil
	}
	return follows(l.schema, l.asked, l.world.schema)
}

// ended checks the schema of the index after l.
func (l *life) ended(is *schema.Schema) error {
	switch {
	case reflect.DeepEqual(is, l.schema), !l.firm.Load() && reflect.DeepEqual(is, l.world.schema):
		return nil
	case l.writer == nil && l.fields: // Open failed, and has committed nevertheless
		return follows(is, l.asked, l.world.schema)
	}
	return fmt.Errorf("the schema is %s, the Writer's was %s", describeSchema(is), describeSchema(l.schema))
}

// contradict checks that a Writer whose schema contradicts the index is refused.
func (w *world) contradict() error {
	if !w.fields || !w.filled || w.r.IntN(4) > 0 {
		return nil
	}
	s, name := contradiction(w.r, w.schema)
	x, err := writer.OpenFS(context.Background(), w.fs, writer.Options{Schema: s})
	if err == nil {
		err = x.Close()
	}
	if !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
		return fmt.Errorf("a schema that contradicts the index in field %q: %v", name, err)
	}
	return nil
}

// fail records a contradiction.
func (l *life) fail(err error) {
	l.mu.Lock()
	l.failure = errors.Join(l.failure, err)
	l.mu.Unlock()
}

// judge returns nil for an error that the ending of the life explains, and otherwise err.
// An error of the index means that the life is over for the caller, who gets errEnough.
func (l *life) judge(what string, err error) error {
	if err == nil {
		return nil
	}
	l.trace.printf("%s: %v", what, err)
	expected := map[ending]error{crashing: memfs.ErrCrashed, failing: errInjected, full: memfs.ErrNoSpace}[l.ending]
	if expected != nil && errors.Is(err, expected) {
		if what == "open" || what == "close" {
			return nil
		}
		return errEnough
	}
	return fmt.Errorf("%s: %w", what, err)
}

// recover checks that the index has a schema that ended allows and holds what was acknowledged, or if
// unsure more than that, and makes what it holds the state from which the next life begins. strict says
// that files of older commits are either all there or gone.
func (w *world) recover(ended func(*schema.Schema) error, unsure, strict bool) error {
	x, err := reader.Open(context.Background(), reader.FromStore(w.fs), reader.Options{})
	if errors.Is(err, format.ErrNotAnIndex) && !w.exists.Load() {
		for _, a := range w.authors {
			a.restart(0)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("after the life: %w", err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return fmt.Errorf("after the life: %w", err)
	}
	defer s.Close()
	w.exists.Store(true)
	w.filled = len(s.Segments()) > 0
	if err := s.Verify(context.Background()); err != nil {
		return fmt.Errorf("after the life: %w", err)
	}
	is := schemaOf(s)
	if err := ended(is); err != nil {
		return fmt.Errorf("after the life: %w", err)
	}
	w.schema = is
	o, err := w.observe(s, false)
	if err != nil {
		return fmt.Errorf("after the life: %w", err)
	}
	b := w.acknowledged()
	for i, a := range w.authors {
		if unsure {
			b.hi[i] = a.begun()
		}
	}
	n, err := w.match(o, b)
	if err != nil {
		return fmt.Errorf("after the life: %w", err)
	}
	w.trace.printf("recovered %v of %v", n, b)
	names, err := w.fs.List()
	if err != nil || slices.Contains(names, store.QuarantineName) {
		return fmt.Errorf("after the life: files are in quarantine: %v, %v", names, err)
	}
	if err := w.older(s.Generation(), n, strict); err != nil {
		return fmt.Errorf("after the life: %w", err)
	}
	w.newest, w.kept[s.Generation()] = s.Generation(), o.live
	if w.r.IntN(3) == 0 {
		if err := w.backup(o.live); err != nil {
			return fmt.Errorf("after the life: %w", err)
		}
	}
	if w.r.IntN(4) == 0 {
		if err := w.mergeInto(o.live); err != nil {
			return fmt.Errorf("after the life: merged into another index: %w", err)
		}
	}
	for i, a := range w.authors {
		a.restart(n[i])
	}
	return nil
}
