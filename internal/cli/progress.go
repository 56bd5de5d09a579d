package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/pinion-index/pinion/writer"
)

// Progress shows the progress of an operation on a terminal: a bar, the rate and the
// time left. It shows nothing in the first second, or if the output is not a
// terminal.
type Progress struct {
	mu    sync.Mutex // guards the next three
	label string
	rate  func(done int64, d time.Duration) string // nil: none is shown
	start time.Time                                // of what label names

	done    atomic.Int64
	total   atomic.Int64
	stop    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

// BytesRate prints a rate in bytes per second.
func BytesRate(done int64, d time.Duration) string {
	return Bytes(int64(float64(done)/max(d.Seconds(), 1e-9))) + "/s"
}

// ItemRate returns a function that prints a rate in things, such as documents, per
// second.
func ItemRate(things string) func(int64, time.Duration) string {
	return func(done int64, d time.Duration) string { return Rate(float64(done), d) + " " + things + "/s" }
}

// NewProgress starts showing progress on w. A total of 0 means that it is unknown.
func NewProgress(w io.Writer, label string, total int64, rate func(done int64, d time.Duration) string) *Progress {
	p := &Progress{label: label, rate: rate, start: time.Now(), stop: make(chan struct{})}
	p.total.Store(total)
	if IsTerminal(w) {
		p.stopped.Add(1)
		go p.show(w)
	}
	return p
}

// Set records how much is done.
func (p *Progress) Set(done int64) { p.done.Store(done) }

// Update records how much is done, and the total.
func (p *Progress) Update(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

// Phase records how much of another part of the operation is done, in a unit of its
// own. Repeated calls with the same label go on with that part. rate may be nil.
func (p *Progress) Phase(label string, done, total int64, rate func(done int64, d time.Duration) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if label != p.label {
		p.label, p.rate, p.start = label, rate, time.Now()
	}
	p.Update(done, total)
}

// Writer records the progress of a writer.Writer: each of its stages is a phase.
func (p *Progress) Writer(x writer.Progress) {
	rate := ItemRate("postings")
	if x.Stage == "order" {
		rate = nil // documents, counted once for each level
	}
	p.Phase(x.Stage, int64(x.Done), int64(x.Total), rate)
}

// Stop removes the bar. Further calls do nothing.
func (p *Progress) Stop() {
	p.once.Do(func() { close(p.stop) })
	p.stopped.Wait()
}

// defaultWidth is the width of a terminal that does not tell.
const defaultWidth = 80

func (p *Progress) show(w io.Writer) {
	defer p.stopped.Done()
	start, shown := time.Now(), 0
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			if shown > 0 {
				fmt.Fprintf(w, "\r%s\r", strings.Repeat(" ", shown))
			}
			return
		case <-tick.C:
		}
		if now := time.Now(); now.Sub(start) >= time.Second {
			width := terminalWidth(w)
			if width <= 0 {
				width = defaultWidth
			}
			line := p.line(now, width-1)
			shown = min(shown, width-1) // the window may have become narrower
			fmt.Fprintf(w, "\r%s%s", line, strings.Repeat(" ", max(0, shown-len(line))))
			shown = max(shown, len(line))
		}
	}
}

const barWidth = 24

// line returns the text to show at a time, of at most width columns.
func (p *Progress) line(now time.Time, width int) string {
	p.mu.Lock()
	label, rate, d := p.label, "", now.Sub(p.start)
	done, total := p.done.Load(), p.total.Load()
	if p.rate != nil {
		rate = "  " + p.rate(done, d)
	}
	p.mu.Unlock()
	if total <= 0 {
		return fit(width, label, rate, "  "+Seconds(d.Truncate(time.Second)))
	}
	part := min(float64(done)/float64(total), 1)
	percent, left := fmt.Sprintf(" %3.0f %%", 100*part), "  finishing"
	switch {
	case part == 0:
		left = "  ? left"
	case part < 1:
		left = "  " + (time.Duration(float64(d)/part) - d).Round(time.Second).String() + " left"
	}
	room := width - len(label) - len(percent) - len(rate) - len(left) - len("  []")
	bar := ""
	if size := min(barWidth, room); size >= barWidth/4 {
		n := int(part * float64(size))
		bar = "  [" + strings.Repeat("=", n) + strings.Repeat(" ", size-n) + "]"
	}
	return fit(width, label+bar+percent, rate, left)
}

// fit joins as many parts as width allows. The second goes first.
func fit(width int, first, second, third string) string {
	for _, line := range []string{first + second + third, first + third, first} {
		if len(line) <= width {
			return line
		}
	}
	return first[:max(width, 0)]
}

// IsTerminal reports whether w, or the writer that it wraps, is a terminal, even one that
// does not say how wide it is.
func IsTerminal(w any) bool {
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return IsTerminal(u.Unwrap())
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns the number of columns of the terminal that w, or the writer that it
// wraps, writes to, and 0 if that is no terminal or does not say.
func Width(w io.Writer) int { return terminalWidth(w) }

// terminalWidth returns the number of columns of w, or of the writer that it wraps, and
// 0 if that is not a terminal.
func terminalWidth(w any) int {
	width, _ := terminalSize(w)
	return width
}

// terminalSize returns the columns and rows of w, or of the writer that it wraps, and 0
// if that is not a terminal.
func terminalSize(w any) (width, height int) {
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return terminalSize(u.Unwrap())
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}
