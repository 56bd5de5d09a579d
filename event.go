package pinion

import (
	"errors"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/writer"
)

// EventKind says what happened.
type EventKind uint8

// The kinds of events.
const (
	EventPublish EventKind = 1 + iota // changes were written, so that searches can see them
	EventCommit                       // and became durable
	EventMerge                        // segments were merged in the background
	EventRefresh                      // searches see a newer state
	EventSlow                         // a search took longer than Options.Slow
	EventDamage                       // a file is damaged: see Err
)

var eventNames = [...]string{EventPublish: "publish", EventCommit: "commit", EventMerge: "merge", EventRefresh: "refresh", EventSlow: "slow", EventDamage: "damage"}

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
	// Err is why a publication, commit, merge, refresh or search failed, or what is damaged.
	Err error
}

// tell calls Options.Observe.
func (x *Index) tell(e Event) {
	if x.o.Observe == nil {
		return
	}
	x.observing.Lock()
	defer x.observing.Unlock()
	x.o.Observe(e)
}

// damaged tells of damage if err is that.
func (x *Index) damaged(err error) {
	if errors.Is(err, format.ErrCorrupt) {
		x.tell(Event{Kind: EventDamage, Err: err})
	}
}
