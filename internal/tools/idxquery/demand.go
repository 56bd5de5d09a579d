package idxquery

import "time"

// opens is what it takes to open and to close a GPU: untilOpen, 0.25 to 0.38 s on an H200, and 0.1 s at
// the end of the process, which cannot end while the driver is opening one. A GPU is worth that
// if the CPU takes at least pays for what waits: for it also has to load lists, and what the
// CPU has not answered until then must take half of its time.
const (
	opens = untilOpen + 150*time.Millisecond
	pays  = 650 * time.Millisecond
)

// untilOpen is how long it takes until a GPU answers. What the CPU answers meanwhile needs no
// lists there.
const untilOpen = 300 * time.Millisecond

// window is the time over which demand measures how fast queries are answered.
const window = 20 * time.Millisecond

// demand decides when the GPU of hybrid is worth opening: when the CPU needs pays for the
// queries that wait and those that are known to come. While nobody knows how many these are, that
// is once the CPU has been behind for as long as a GPU takes to open: at worst a run takes twice
// as long as it would have (Karlin, Manasse, Rudolph and Sleator, Competitive snoopy caching, 1988).
type demand struct {
	behind time.Duration // since then queries have always waited
	from   time.Duration // of the window
	done   int           // answered until then
	rate   float64       // answered in a second of the last window
	warm   bool          // it is not the first window, in which lists are first touched
}

// pays reports whether the GPU should be opened. It is called every few milliseconds, until
// it reports true, with the time since the start, how many queries have been answered, how
// many of those that have been read wait for a processor, about how many are known to come, and
// whether all have been read.
func (d *demand) pays(now time.Duration, done, waiting, coming int, ended bool) bool {
	if waiting <= 0 {
		*d = demand{behind: now, from: now, done: done, warm: d.warm}
		return false
	}
	if !ended && now-d.behind >= opens {
		return true
	}
	took, answered := now-d.from, max(done-d.done, 1)
	if took < window {
		return false
	}
	d.rate = float64(answered) / took.Seconds()
	left := time.Duration(float64(waiting+coming) / d.rate * float64(time.Second))
	most := pays
	if !d.warm {
		most *= 2
	}
	if done > d.done {
		d.from, d.done, d.warm = now, done, true
	}
	return left >= most
}
