package records

import (
	"iter"
	"math/rand/v2"
	"strconv"
	"time"
)

// Logs describes the lines of a log.
type Logs struct {
	Lines int
	Seed  uint64
}

// Line is one line of a log.
type Line struct {
	ID      string
	Time    time.Time // in milliseconds; never before that of the line before
	Level   string    // one of Levels
	Service string
	Host    string
	Tenant  string
	Message string // words, numbers and one random id
}

// Levels are those of lines, by severity.
var Levels = []string{"debug", "info", "warn", "error", "fatal"}

// LogStart is the time before the first line of a log.
var LogStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// LogGap is the mean time between lines outside of bursts, in which they come burstRate times as fast.
const LogGap = 300 * time.Millisecond

// The shape of a log.
const (
	services     = 40
	hosts        = 400
	tenants      = 10_000
	templates    = 60 // of a service
	logWords     = 50_000
	burstLines   = 2000  // mean length of a burst
	burstGap     = 18000 // mean number of lines between two
	burstRate    = 10
	shareOfBurst = 0.6 // of the lines of a burst that are of its service
)

// levelShares are what part of the lines, outside of bursts and in the service of a burst, have
// at most each level.
var (
	levelShares      = [...]float64{0.15, 0.90, 0.97, 0.998, 1}
	burstLevelShares = [...]float64{0.02, 0.15, 0.35, 0.96, 1}
)

// logs draws lines.
type logs struct {
	rng       *rand.Rand
	names     []string
	templates [services][templates]string // "%" stands for what varies
	service   zipf
	template  zipf
	tenant    zipf
	word      zipf
	left      int  // lines until the burst begins or ends
	burst     bool // whether one is on
	failing   int  // its service
	message   []byte
}

func newLogs(seed uint64) *logs {
	g := &logs{rng: rand.New(rand.NewPCG(seed, 1)), names: words(langService, services), service: newZipf(services, 1),
		template: newZipf(templates, 1), tenant: newZipf(tenants, 10), word: newZipf(logWords, 2.7)}
	for s := range g.templates {
		for t := range g.templates[s] {
			g.templates[s][t] = g.newTemplate()
		}
	}
	g.left = g.until(burstGap)
	return g
}

// newTemplate draws a message: 4 to 10 words, some of which vary.
func (g *logs) newTemplate() string {
	var b []byte
	n := 4 + g.rng.IntN(7)
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		if i > 0 && g.rng.IntN(4) == 0 {
			b = append(b, '%')
			continue
		}
		b = appendWord(b, langWord, g.word.draw(g.rng))
	}
	return string(b)
}

// until draws a number of lines of that mean.
func (g *logs) until(mean int) int { return 1 + int(g.rng.ExpFloat64()*float64(mean)) }

// All returns the lines in the order of their times.
func (s Logs) All() iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		g := newLogs(s.Seed)
		at := LogStart
		for i := range s.Lines {
			l := g.line(i)
			gap := LogGap
			if g.burst {
				gap /= burstRate
			}
			at = at.Add(time.Duration(g.rng.ExpFloat64() * float64(gap)).Truncate(time.Millisecond))
			l.Time = at
			if !yield(l) {
				return
			}
		}
	}
}

// line draws line i, but for its time.
func (g *logs) line(i int) *Line {
	if g.left--; g.left <= 0 {
		g.burst = !g.burst
		g.left = g.until(burstGap)
		if g.burst {
			g.left, g.failing = g.until(burstLines), g.service.draw(g.rng)
		}
	}
	service, shares, template := 0, levelShares[:], 0
	if g.burst && g.rng.Float64() < shareOfBurst {
		service, shares, template = g.failing, burstLevelShares[:], g.rng.IntN(3)
	} else {
		service, template = g.service.draw(g.rng), g.template.draw(g.rng)
	}
	level, at := 0, g.rng.Float64()
	for at >= shares[level] {
		level++
	}
	return &Line{ID: "l" + strconv.Itoa(i), Level: Levels[level], Service: g.names[service], Host: g.host(service),
		Tenant: "t" + strconv.Itoa(g.tenant.draw(g.rng)), Message: g.fill(g.templates[service][template])}
}

// host draws a host of a service, which has 10 of them.
func (g *logs) host(service int) string {
	return "host" + strconv.Itoa(service*(hosts/services)+g.rng.IntN(hosts/services))
}

// fill returns a message of a template: where it has "%" stand words and numbers. A random id ends it.
func (g *logs) fill(template string) string {
	b := g.message[:0]
	for _, c := range []byte(template) {
		switch {
		case c != '%':
			b = append(b, c)
		case g.rng.IntN(2) == 0:
			b = strconv.AppendInt(b, int64(g.rng.IntN(1000)), 10)
		default:
			b = appendWord(b, langWord, g.word.draw(g.rng))
		}
	}
	b = append(b, " id "...)
	b = strconv.AppendUint(b, g.rng.Uint64()>>32, 16)
	g.message = b
	return string(b)
}
