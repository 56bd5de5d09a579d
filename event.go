package pinion

import (
	"errors"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// EventKind says what happened.
type EventKind uint8

// The kinds of events.
const (
	EventPublish  EventKind = 1 + iota // changes were written, so that searches can see them
	EventCommit                        // and became durable
	EventMerge                         // segments were merged in the background
	EventRefresh                       // searches see a newer state
	EventSlow                          // a search took longer than Options.Slow
	EventDamage                        // a file is damaged: see Err
	EventRefused                       // a document turned out to be bad after Add had returned (writer.Options.Refused): see Err
	EventFault                         // the program has a fault: Err is a *store.PanicError, with the stack
	EventExecutor                      // Options.Executor failed, so that the CPU answered: see Err
	EventEmbed                         // a cache of Options.Embed failed, so that texts may be embedded again: see Err
)

var eventNames = [...]string{EventPublish: "publish", EventCommit: "commit", EventMerge: "merge", EventRefresh: "refresh", EventSlow: "slow", EventDamage: "damage", EventRefused: "refused", EventFault: "fault", EventExecutor: "executor", EventEmbed: "embed"}

// String returns a word for k.
func (k EventKind) String() string {
	if k == 0 || int(k) >= len(eventNames) {
		return fmt.Sprintf("EventKind(%d)", k)
	}
	return eventNames[k]
}

// Event is what Options.Observe is told.
type Event struct {
	Kind EventKind
	// Took is how long it took. It is 0 for a merge.
	Took time.Duration
	// Commit is the number of the newest commit that searches see, and Docs the number of
	// documents.
	Commit, Docs uint64
	// Request is that of a slow search.
	Request *Request
	// Merge says what a merge did.
	Merge writer.MergeStats
	// Err is why a publication, commit, merge, refresh or search failed, what is damaged or at fault, or the document that is refused.
	Err error
}

// tell calls observe.
func (x *front) tell(e Event) {
	if x.observe == nil {
		return
	}
	x.observing.Lock()
	defer x.observing.Unlock()
	x.observe(e)
}

// alarm tells of err if that is damage or a fault of the program.
func (x *front) alarm(err error) {
	switch {
	case errors.As(err, new(*store.PanicError)):
		x.tell(Event{Kind: EventFault, Err: err})
	case errors.Is(err, format.ErrCorrupt):
		x.tell(Event{Kind: EventDamage, Err: err})
	}
}

// report tells of an event.
func (x *front) report(k EventKind, took time.Duration, err error) {
	e := Event{Kind: k, Took: took, Err: err}
	if s := x.hold(); s != nil {
		e.Commit, e.Docs = s.snapshot.Generation(), s.snapshot.Stats().Live
		s.release()
	}
	x.tell(e)
	x.alarm(err)
}
