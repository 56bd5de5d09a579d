package hybrid

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/query"
)

// Three terms: in few documents, in some, in every other one.
var (
	rare   = &query.TermInfo{Docs: 10, Share: 0.0001, Weight: 10}
	medium = &query.TermInfo{Docs: 1000, Share: 0.01, Weight: 6, Blocks: 8, Bytes: 2000, Bound: 5, Kth: [3]float32{4, 3, 2},
		Above: [8]uint8{255, 204, 102, 80, 60, 40, 20, 10}, DocsCodec: codec.NewPFD, FreqsCodec: codec.NewPFD}
	common = &query.TermInfo{Docs: 50000, Share: 0.5, Weight: 1, Blocks: 391, Bytes: 20000, Bound: 0.9, Kth: [3]float32{0.8, 0.7, 0.6},
		Above: [8]uint8{255, 255, 255, 255, 255, 255, 255, 51}, DocsCodec: codec.BP128, FreqsCodec: codec.BP128}
	absent0 = &query.TermInfo{}
)

// TestFeatures compares features with what follows from the terms by hand.
func TestFeatures(t *testing.T) {
	of := func(mode query.Mode, k int, infos ...*query.TermInfo) Features {
		return FeaturesOf(&query.Query{Mode: mode, K: k}, infos)
	}
	ding := Features{Shortest: 10, Second: 1000, Sum: 51010, Terms: 3, K: 10, Mode: query.And, Decode: (5 + 530 + 13500) / 51010.0}
	and := ding
	// 10 documents are looked up in the second list; a hundredth of them in the third, a bitmap.
	and.Probes, and.Touched, and.Matches = 10.1, 8, 0.05
	or := ding
	// Ten documents hold the rare term: they score about 5. Without the common term no document
	// that lacks the two others does; 6.5 takes the rare one. One in 6 of them holds the second term, which
	// adds 2.5, and all the third, which adds 0.45.
	or.Mode, or.Essential, or.Postings, or.Passing = query.Or, 2, [2]float64{1010, 10}, 10/128.0+1
	or.Reached, or.Shared = (5+0.16*2.5+0.45)/12.4, 10*0.51+1000*0.5
	hundred := or
	// The thresholds are 3 and 3.9: of the blocks of the second list, those that reach 3.9-0.9 of 5.
	hundred.K, hundred.Postings, hundred.Passing, hundred.Reached = 100, [2]float64{1010, 1010}, 10/128.0+1+8*(204-0.6*102)/255, 0
	both := or
	both.Mode, both.Probes, both.Touched, both.Matches = query.AndOr, and.Probes, and.Touched, and.Matches
	alone := Features{Shortest: 1000, Sum: 1000, Terms: 1, K: 10, Mode: query.Or, Decode: 0.53, Essential: 1, Postings: [2]float64{1000, 0}, Reached: 0.8}
	for _, c := range []struct {
		name      string
		got, want Features
	}{
		{"and", of(query.And, 10, common, rare, medium), and},
		{"or", of(query.Or, 10, medium, rare, common, absent0), or},
		{"k 100", of(query.Or, 100, medium, rare, common), hundred},
		{"and-or, a term twice", of(query.AndOr, 10, rare, common, medium, common), both},
		{"one term", of(query.Or, 10, medium), alone},
		{"unknown term", of(query.And, 10, medium, absent0), Features{Second: 1000, Sum: 1000, Terms: 2, K: 10, Mode: query.And, Decode: 0.53}},
		{"no term", of(query.Or, 10), Features{K: 10, Mode: query.Or}},
	} {
		got, want := c.got, c.want
		for _, v := range []struct{ got, want *float64 }{{&got.Decode, &want.Decode}, {&got.Probes, &want.Probes}, {&got.Touched, &want.Touched},
			{&got.Matches, &want.Matches}, {&got.Passing, &want.Passing}, {&got.Reached, &want.Reached}, {&got.Shared, &want.Shared}} {
			if math.Abs(*v.got-*v.want) > 1e-5*math.Abs(*v.want) {
				t.Errorf("%s: %v, want %v", c.name, *v.got, *v.want)
			}
			*v.got = *v.want
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

// TestRead counts lists that are read beside the essential ones.
func TestRead(t *testing.T) {
	long := *medium
	long.Docs, long.Blocks, long.Bound, long.Kth = 17000, 133, 0.1, [3]float32{}
	f := FeaturesOf(&query.Query{Mode: query.Or, K: 10}, []*query.TermInfo{medium, &long, common})
	// The threshold is 4; 17,000 are at most 16,000 more than 1,000, but 50,000 are more.
	if f.Essential != 1 || f.Postings[0] != 1000 || f.Read != 17000 {
		t.Errorf("%+v", f)
	}
}

// TestVersion1 reads a file of version 1: it predicts what it did when it was written.
func TestVersion1(t *testing.T) {
	m, err := ReadModel("testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Old(); err == nil || !strings.Contains(err.Error(), "calibrate again") {
		t.Errorf("a file of version 1 is as good as a new one: %v", err)
	}
	for _, c := range []struct {
		f    Features
		want Cost
	}{
		{Features{Shortest: 100, Second: 2000, Sum: 2100, Terms: 2, K: 10, Mode: query.Or}, Cost{CPU: 17890, GPU: 68, Host: 1664, Alone: 68569 + 68}},
		{Features{Shortest: 100, Second: 2000, Sum: 2100, Terms: 2, K: 10, Mode: query.And}, Cost{CPU: 6966, GPU: 58, Host: 1664, Alone: 68569 + 58}},
		{Features{Shortest: 5000, Second: 20000, Sum: 200000, Terms: 5, K: 100, Mode: query.AndOr}, Cost{CPU: 120157, GPU: 2192, Host: 2948, Alone: 68569 + 2192}},
		{Features{Second: 20000, Sum: 200000, Terms: 5, K: 100, Mode: query.And}, Cost{CPU: 1000, GPU: 1000, Host: 808, Alone: 68569}},
	} {
		if got := m.Predict(&c.f); got != c.want {
			t.Errorf("%+v costs %v, want %v", c.f, got, c.want)
		}
	}
}

// TestReached estimates the score of the k-th of many documents: the more there are, the more of the
// other terms the best of them hold.
func TestReached(t *testing.T) {
	other := *medium
	other.Docs, other.Share, other.Bound = 2000, 0.02, 4
	for k, want := range map[int]float64{
		10:   4 + 0.32*2 + math.Sqrt(2*math.Log(100)*0.32*0.68*4), // above 6, all that there is
		1000: 2 + 0.32*2,
		1001: 0, // documents are too few
	} {
		if want = min(want, 4+2); math.Abs(reached([]*query.TermInfo{medium, &other}, k)-want) > 0.01 {
			t.Errorf("the %d-th document reaches %v, want %v", k, reached([]*query.TermInfo{medium, &other}, k), want)
		}
	}
	other.Share = 0.005
	want := 3 + 0.08*2 + math.Sqrt(2*math.Log(10)*0.08*0.92*4)
	if got := reached([]*query.TermInfo{medium, &other}, 100); math.Abs(got-want) > 0.01 {
		t.Errorf("a rarer term: %v, want %v", got, want)
	}
}

// TestOldVersions reads files of versions 2 and 3: they predict what they did when they were written, and
// that of version 2 that a query alone takes the fixed time and its share.
func TestOldVersions(t *testing.T) {
	features := [...]Features{
		{Shortest: 100, Second: 2000, Sum: 2100, Terms: 2, K: 10, Mode: query.And, Probes: 100, Touched: 16, Matches: 0.6, Decode: 0.5},
		{Shortest: 100, Second: 2000, Sum: 2100, Terms: 2, K: 10, Mode: query.Or, Essential: 2, Postings: [2]float64{2100, 100}, Passing: 3, Decode: 0.5, Reached: 0.7, Shared: 100},
	}
	for file, want := range map[string][len(features)]Cost{
		"testdata/version2.json": {{CPU: 6336, GPU: 56, Host: 1724, Alone: 78271}, {CPU: 16625, GPU: 59, Host: 1724, Alone: 78274}},
		"testdata/version3.json": {{CPU: 5898, GPU: 56, Host: 1298, Alone: 52343}, {CPU: 12316, GPU: 66, Host: 1298, Alone: 63980}},
	} {
		m, err := ReadModel(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Old(); err == nil || !strings.Contains(err.Error(), "calibrate again") {
			t.Errorf("%s is as good as a new one: %v", file, err)
		}
		for i := range features {
			if got := m.Predict(&features[i]); got != want[i] {
				t.Errorf("%s: %+v costs %v, want %v", file, features[i], got, want[i])
			}
		}
	}
	m, err := ReadModel("testdata/version2.json")
	if err != nil {
		t.Fatal(err)
	}
	var l Load
	l[query.Or].Queries, l[query.Or].Work = 100, 50*micro
	if got := m.Alone(&l); got != 225284 {
		t.Errorf("a batch takes %v", got)
	}
}

// TestModelFiles writes and reads models, and refuses those that are wrong.
func TestModelFiles(t *testing.T) {
	m := *DefaultModel()
	if m.Old() != nil {
		t.Errorf("the built-in model: %v", m.Old())
	}
	coefficients := make([]float64, Basis)
	coefficients[0], coefficients[1] = 10, 1
	m.Modes = map[string]*Polynomials{}
	for mode, p := range DefaultModel().Modes {
		m.Modes[mode] = &Polynomials{CPU: coefficients, GPU: p.GPU}
	}
	m.Load = 0.5
	file := filepath.Join(t.TempDir(), "model.json")
	if err := m.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	got, err := ReadModel(file)
	if err != nil {
		t.Fatal(err)
	}
	f := FeaturesOf(&query.Query{Mode: query.Or, K: 10}, []*query.TermInfo{rare, medium, common})
	before := got.Predict(&f)
	// 2 to 10 ns, times 1 plus the postings of the essential lists.
	if took := before.CPU; math.Abs(float64(took)/(1024*1011)-1) > 0.01 {
		t.Errorf("predicted %v", took)
	}
	f.Missing = 4000
	if after := got.Predict(&f); after.GPU-before.GPU != 2*time.Microsecond || after.CPU != before.CPU || after.Host != before.Host {
		t.Errorf("4,000 missing bytes change %v to %v", before, after)
	}
	for name, change := range map[string]func(*Model){
		"version":    func(m *Model) { m.Version = ModelVersion + 1 },
		"version 0":  func(m *Model) { m.Version = 0 },
		"old, new":   func(m *Model) { m.Version = 1 },
		"older, new": func(m *Model) { m.Version = 3 },
		"load":       func(m *Model) { m.Load = -1 },
		"mode":       func(m *Model) { m.Modes = map[string]*Polynomials{} },
		"polynomial": func(m *Model) { m.Modes = map[string]*Polynomials{"and": {}, "or": {}, "and-or": {}} },
		"no waits":   func(m *Model) { m.Wakes = []Wake{{}} },
		"waits":      func(m *Model) { m.Spared = []Wake{{Delays: []time.Duration{-1}}} },
		"slower":     func(m *Model) { m.Spared = []Wake{{Delays: []time.Duration{1}, Slower: ByMode{0, -1, 0}}} },
		"order": func(m *Model) {
			m.Lanes = []Wake{{Idle: 1, Delays: []time.Duration{1}}, {Idle: 1, Delays: []time.Duration{1}}}
		},
		"coefficient": func(m *Model) { m.Modes = withCoefficient(m.Modes, 1e308) },
		"negative":    func(m *Model) { m.Modes = withCoefficient(m.Modes, -1e7) },
		"fixed time":  func(m *Model) { m.Batch = math.MaxInt64 },
		"host":        func(m *Model) { m.Host[1] = mostTime + 1 },
		"high load":   func(m *Model) { m.Load = 1e308 },
		"crowd":       func(m *Model) { m.Crowd = 1e5 },
		"cold":        func(m *Model) { m.Wakes = []Wake{{Delays: []time.Duration{1}, Cold: ByMode{0, 0, 1e300}}} },
		"much slower": func(m *Model) { m.Wakes = []Wake{{Delays: []time.Duration{1}, Slower: ByMode{1e300}}} },
		"long wait":   func(m *Model) { m.Wakes = []Wake{{Delays: []time.Duration{math.MaxInt64}}} },
		"more": func(m *Model) {
			m.Batches = map[string]*BatchTimes{"or": {Alone: coefficients, More: []MoreTime{{Work: 1, Time: math.MaxInt64}}}}
		},
	} {
		bad := m
		change(&bad)
		if err := bad.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(file, append(bytes.Clone(defaultModel), "{}"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadModel(file); err == nil || !strings.Contains(err.Error(), "follows") {
		t.Errorf("two models in a file: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadModel(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// withCoefficient returns modes with another coefficient of disjunctions on the GPU.
func withCoefficient(modes map[string]*Polynomials, c float64) map[string]*Polynomials {
	out, or := maps.Clone(modes), *modes["or"]
	or.GPU = slices.Clone(or.GPU)
	or.GPU[0] = c
	out["or"] = &or
	return out
}

// TestGreatestTimes predicts times of a model with the greatest numbers that one may have: none
// overflows, not even of the largest batch.
func TestGreatestTimes(t *testing.T) {
	m := *DefaultModel()
	m.Version, m.Batches = 2, nil // with Each and Depth
	m.Batch, m.Host, m.Each, m.Launch, m.Queued = mostTime, [2]time.Duration{mostTime, mostTime}, mostTime, mostTime, mostTime
	m.Load, m.Depth, m.Crowd = mostFactor, mostFactor/1000, mostFactor/1000
	m.Modes = map[string]*Polynomials{}
	for i, c := range [...]float64{mostFactor, -mostFactor, math.NaN()} {
		all := slices.Repeat([]float64{c}, DingBasis)
		m.Modes[query.Mode(i).String()] = &Polynomials{CPU: all, GPU: all}
	}
	if err := m.Prepare(); err == nil {
		t.Error("a coefficient may be no number")
	}
	m.Modes["and-or"] = m.Modes["and"]
	if err := m.Prepare(); err != nil {
		t.Fatal(err)
	}
	for mode := range query.Mode(3) {
		f := Features{Shortest: 1 << 32, Second: 1 << 32, Sum: 1 << 38, Terms: 64, K: 1024, Mode: mode, Missing: 1 << 36}
		c := m.Predict(&f)
		var l Load
		l[mode].Queries, l[mode].Longest, f.Missing = 4096, c, 0
		l[mode].Work = 4096 * m.Predict(&f).GPU
		if c.CPU <= 0 || c.GPU <= 0 || c.Host <= 0 || c.Alone <= 0 || m.Alone(&l) <= 0 {
			t.Errorf("%v costs %+v, a batch of it %v", mode, c, m.Alone(&l))
		}
	}
	steep := &BatchTimes{More: []MoreTime{{Work: 1, Time: mostTime}}}
	if got := steep.more(4096 * mostTime); got <= 0 {
		t.Errorf("the largest batch takes %v more", got)
	}
	if got := power([]float64{math.Inf(1), math.Inf(1)}, []float64{1, -1}); got != mostTime {
		t.Errorf("what has no value takes %v", got)
	}
}

// TestByMode reads numbers of each mode, and one for all.
func TestByMode(t *testing.T) {
	for text, want := range map[string]ByMode{"0.5": {0.5, 0.5, 0.5}, "[1,2,3]": {1, 2, 3}} {
		var got ByMode
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is %v: %v", text, got, err)
		}
	}
	for _, text := range []string{`"a"`, "null", "[]", "[1,2]", "[1,2,3,4]"} {
		var b ByMode
		if err := json.Unmarshal([]byte(text), &b); err == nil {
			t.Errorf("%s is %v", text, b)
		}
	}
}

// TestVersion4 reads a file of version 4 without its wakes, which had another meaning.
func TestVersion4(t *testing.T) {
	m := *DefaultModel()
	m.Version, m.Wakes = 4, []Wake{{Idle: micro, Delays: []time.Duration{micro}}}
	text, err := json.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"slower":[0,0,0]`), []byte(`"slower":0.3`), 1)
	got, err := decodeModel(text)
	if err != nil || got.Wakes != nil || !slices.Equal(got.Modes["or"].CPU, m.Modes["or"].CPU) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := got.Old(); err == nil || !strings.Contains(err.Error(), "calibrate again") {
		t.Errorf("a file of version 4 is as good as a new one: %v", err)
	}
}

// resides is an executor on a GPU that has the lists of some terms.
type resides struct {
	query.Executor
	terms string
}

func (r resides) Resident(term []byte) bool { return strings.Contains(r.terms, string(term)) }

// TestMissing adds up the bytes of long lists that are not on the device.
func TestMissing(t *testing.T) {
	q := &query.Query{RawTerms: [][]byte{[]byte("a"), []byte("b"), []byte("c")}}
	infos := []*query.TermInfo{common, medium, common}
	for terms, want := range map[string]uint64{"": 40000, "b": 40000, "a": 20000, "ac": 0} {
		if n := MissingOf(resides{terms: terms}, q, infos); n != want {
			t.Errorf("%q is there: %d bytes are missing, want %d", terms, n, want)
		}
	}
	if n := MissingOf(stubless{}, q, infos); n != 0 {
		t.Errorf("%d bytes are missing on a device that does not say", n)
	}
}

type stubless struct{ query.Executor }

// BenchmarkPredict is what the model costs a query whose terms are looked up.
func BenchmarkPredict(b *testing.B) {
	m := *DefaultModel()
	coefficients := make([]float64, Basis)
	coefficients[0] = 10
	p := &Polynomials{CPU: coefficients, GPU: coefficients}
	m.Modes = map[string]*Polynomials{"and": {CPU: coefficients[:AndBasis], GPU: coefficients[:AndBasis]}, "or": p, "and-or": p}
	if err := m.Prepare(); err != nil {
		b.Fatal(err)
	}
	many := make([]*query.TermInfo, 12)
	for i := range many {
		x := *medium
		x.Docs += uint64(i) * 1000
		many[i] = &x
	}
	for name, infos := range map[string][]*query.TermInfo{"3 terms": {common, medium, rare}, "12 terms": many} {
		for _, mode := range []query.Mode{query.And, query.Or} {
			b.Run(mode.String()+", "+name, func(b *testing.B) {
				q := &query.Query{Mode: mode, K: 10}
				memory := make([]*query.TermInfo, len(infos))
				for b.Loop() {
					copy(memory, infos)
					f := FeaturesOf(q, memory)
					m.Predict(&f)
				}
			})
		}
	}
}

// TestAlone adds up what batches take.
func TestAlone(t *testing.T) {
	ding := make([]float64, DingBasis)
	m := Model{Version: ModelVersion, Modes: DefaultModel().Modes, Batch: 50 * micro,
		Batches: map[string]*BatchTimes{"and": {ding, []MoreTime{{20 * micro, 2 * micro}, {80 * micro, 10 * micro}}}, "or": {ding, []MoreTime{{14 * micro, 28 * micro}}}}}
	if err := m.Prepare(); err != nil {
		t.Fatal(err)
	}
	old := Model{Batch: 50 * micro, Each: micro, Depth: 2}
	var none, and, both, all Load
	for _, l := range []*Load{&and, &both, &all} {
		l.Add(query.And, Cost{GPU: 10 * micro, Alone: 70 * micro})
		l.Add(query.And, Cost{GPU: 20 * micro, Alone: 80 * micro})
		l.Add(query.And, Cost{GPU: 30 * micro, Alone: 60 * micro})
	}
	for _, l := range []*Load{&both, &all} {
		l.Add(query.Or, Cost{GPU: 5 * micro, Alone: 200 * micro})
		l.Add(query.Or, Cost{GPU: 7 * micro, Alone: 100 * micro})
	}
	all.Add(query.AndOr, Cost{GPU: 11 * micro, Alone: 20 * micro})
	for _, c := range []struct {
		name string
		m    *Model
		l    *Load
		want time.Duration
	}{
		{"nothing", &m, &none, 0},
		{"one mode, half way from 20 to 80 us", &m, &and, (80 + 6) * micro},
		{"two modes, one after the other", &m, &both, (86 + 214) * micro},
		{"one that was not measured", &m, &all, (86 + 214 + 61) * micro},
		{"version 2", &old, &both, (50 + 5 + 2*72) * micro},
		{"no times of batches", &Model{Batch: 50 * micro}, &both, 200 * micro},
	} {
		if got := c.m.Alone(c.l); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestMore refuses times of batches that do not ascend, and is in proportion outside those
// that do.
func TestMore(t *testing.T) {
	ding := make([]float64, DingBasis)
	for name, more := range map[string][]MoreTime{"work": {{2, 1}, {2, 2}}, "no work": {{0, 0}}, "time": {{2, 2}, {3, 1}}, "below 0": {{2, -1}}} {
		m := Model{Version: ModelVersion, Modes: DefaultModel().Modes, Batches: map[string]*BatchTimes{"and": {ding, more}}}
		if m.Prepare() == nil {
			t.Errorf("%s: a model with times that do not ascend", name)
		}
	}
	b := BatchTimes{More: []MoreTime{{10 * micro, 40 * micro}, {100 * micro, 100 * micro}}}
	for work, want := range map[time.Duration]time.Duration{0: 0, 5 * micro: 20 * micro, 10 * micro: 40 * micro, 100 * micro: 100 * micro, 300 * micro: 300 * micro} {
		if got := b.more(work); got != want {
			t.Errorf("%v for %v of work, want %v", got, work, want)
		}
	}
}
