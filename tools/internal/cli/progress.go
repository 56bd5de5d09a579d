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
)

// Progress shows the progress of an operation on a terminal: a bar, the rate and the
// time left. It shows nothing in the first second, or if the output is not a
// terminal.
type Progress struct {
	label   string
	rate    func(done int64, d time.Duration) string
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
	p := &Progress{label: label, rate: rate, stop: make(chan struct{})}
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

// Stop removes the bar. Further calls do nothing.
func (p *Progress) Stop() {
	p.once.Do(func() { close(p.stop) })
	p.stopped.Wait()
}

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
		if d := time.Since(start); d >= time.Second {
			line := p.line(d)
			if width := terminalWidth(w); width > 0 {
				line = line[:min(len(line), width-1)]
			}
			fmt.Fprintf(w, "\r%s%s", line, strings.Repeat(" ", max(0, shown-len(line))))
			shown = max(shown, len(line))
		}
	}
}

const barWidth = 24

// line returns the text to show when d has passed.
func (p *Progress) line(d time.Duration) string {
	done, total := p.done.Load(), p.total.Load()
	if total <= 0 {
		return fmt.Sprintf("%s  %s  %s", p.label, p.rate(done, d), Seconds(d.Truncate(time.Second)))
	}
	part := min(float64(done)/float64(total), 1)
	n := int(part * barWidth)
	left := "?"
	if part > 0 {
		left = (time.Duration(float64(d)/part) - d).Round(time.Second).String()
	}
	return fmt.Sprintf("%s  [%s%s] %3.0f %%  %s  %s left", p.label,
		strings.Repeat("=", n), strings.Repeat(" ", barWidth-n), 100*part, p.rate(done, d), left)
}

// IsTerminal reports whether w, or the writer that it wraps, is a terminal.
func IsTerminal(w any) bool {
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return IsTerminal(u.Unwrap())
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth returns the number of columns of w, or of the writer that it wraps, and
// 0 if that is not a terminal.
func terminalWidth(w any) int {
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return terminalWidth(u.Unwrap())
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
