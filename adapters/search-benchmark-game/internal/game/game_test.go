package game

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/writer"
)

// vocabulary are the words of the test's documents, the first ones frequent.
var vocabulary = strings.Fields("the of and griffith observatory in a python snake lord rings who bowel climate")

// build makes an index of documents in the game's form, and opens it. The id of a document is its number, and its
// sort_field minus that.
func build(t *testing.T, docs [][]string, order writer.Order) *Engine {
	t.Helper()
	var corpus bytes.Buffer
	for i, words := range docs {
		fmt.Fprintf(&corpus, `{"id": "https://en.wikipedia.org/wiki?curid=%d", "text": %q, "sort_field": %d}`+"\n", i, strings.Join(words, " "), len(docs)-i)
	}
	file := filepath.Join(t.TempDir(), "corpus.json")
	if err := os.WriteFile(file, corpus.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "idx")
	if err := Build(t.Context(), dir, file, order); err != nil {
		t.Fatal(err)
	}
	e, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// documents returns n documents of up to 40 words.
func documents(n int) [][]string {
	r := rand.New(rand.NewPCG(1, 2))
	docs := make([][]string, n)
	for i := range docs {
		for range 1 + r.IntN(40) {
			w := r.IntN(len(vocabulary))
			docs[i] = append(docs[i], vocabulary[w*w/len(vocabulary)])
		}
	}
	return docs
}

// TestForms asks questions of all forms that the game has, with every command, and compares the answers, and the hits
// behind them, with those of the oracle.
func TestForms(t *testing.T) {
	docs := documents(300)
	o := newOracle(docs)
	engines := []*Engine{build(t, docs, writer.OrderInput), build(t, docs, writer.OrderBisection)}
	words := rapid.SampledFrom(vocabulary)
	row := func(least, most int) *rapid.Generator[[]string] { return rapid.SliceOfN(words, least, most) }
	signed := func(sign string, least, most int) *rapid.Generator[[]clause] {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) clause {
			return clause{sign: sign, words: row(1, 1).Draw(t, "word")}
		}), least, most)
	}
	forms := map[string]*rapid.Generator[[]clause]{
		"union":        signed("", 1, 6),
		"intersection": signed("+", 1, 5),
		"phrase":       rapid.Map(row(2, 4), func(w []string) []clause { return []clause{{words: w}} }),
		"negated": rapid.Custom(func(t *rapid.T) []clause {
			return slices.Concat(signed("+", 1, 2).Draw(t, "must"), signed("-", 1, 2).Draw(t, "not"))
		}),
		"intersection_union": rapid.Custom(func(t *rapid.T) []clause {
			return rapid.Permutation(slices.Concat(signed("+", 1, 2).Draw(t, "must"), signed("", 1, 3).Draw(t, "should"))).Draw(t, "order")
		}),
		"two-phase-critic": rapid.Custom(func(t *rapid.T) []clause {
			return append(signed("+", 1, 2).Draw(t, "must"), clause{sign: "+", words: row(2, 3).Draw(t, "phrase")})
		}),
		"group": rapid.Custom(func(t *rapid.T) []clause {
			return append(signed("+", 1, 2).Draw(t, "must"), clause{sign: "+", group: signed("", 1, 3).Draw(t, "group")})
		}),
		"mixed": rapid.SliceOfN(rapid.Custom(func(t *rapid.T) clause {
			return clause{sign: rapid.SampledFrom([]string{"", "+", "-"}).Draw(t, "sign"), words: row(1, 2).Draw(t, "words")}
		}), 1, 4).Filter(func(all []clause) bool {
			return slices.ContainsFunc(all, func(c clause) bool { return c.sign != "-" })
		}),
	}
	for name, form := range forms {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			clauses := form.Draw(t, "clauses")
			want := o.hits(clauses)
			for _, e := range engines {
				check(t, e, text(clauses), want)
			}
		}))
	}
}

// check compares what e answers to a query with the hits that it should find.
func check(t *rapid.T, e *Engine, text string, want []hit) {
	answer := func(command string) uint64 {
		n, err := e.Answer(context.Background(), command+"\t"+text)
		if err != nil {
			t.Fatalf("%s %s: %v", command, text, err)
		}
		return n
	}
	if n := answer("COUNT"); n != uint64(len(want)) {
		t.Fatalf("COUNT %s is %d, want %d", text, n, len(want))
	}
	for _, k := range []int{1, 10, 100, 1000} {
		for suffix, n := range map[string]uint64{"": 1, "_COUNT": uint64(len(want)), "_FF": 1} {
			command := fmt.Sprint("TOP_", k, suffix)
			if got := answer(command); got != n {
				t.Fatalf("%s %s is %d, want %d", command, text, got, n)
			}
			if len(e.hits) != min(k, len(want)) {
				t.Fatalf("%s %s finds %d, want %d", command, text, len(e.hits), min(k, len(want)))
			}
			if suffix == "_FF" {
				checkSorted(t, e, want)
				continue
			}
			for i, h := range e.hits {
				if w := want[i].score; math.Abs(float64(h.Score)-w) > 1e-5*max(1, math.Abs(w)) {
					t.Fatalf("%s %s: hit %d has the score %v, want %v", command, text, i, h.Score, w)
				}
			}
		}
	}
}

// checkSorted compares hits that are sorted by sort_field, the number of documents less that of the document, with the
// first of those that match.
func checkSorted(t *rapid.T, e *Engine, want []hit) {
	docs := make([]int, len(want))
	for i, w := range want {
		docs[i] = w.doc
	}
	slices.Sort(docs)
	for i, h := range e.hits {
		id, err := e.snapshot.AppendID(nil, h.Doc)
		if want := fmt.Sprint("https://en.wikipedia.org/wiki?curid=", docs[i]); err != nil || string(id) != want {
			t.Fatalf("hit %d by sort_field is %s, %v, want %s", i, id, err, want)
		}
	}
}

// TestServe holds the protocol: a line for each line, in order, whatever it says.
func TestServe(t *testing.T) {
	e := build(t, [][]string{{"griffith", "observatory"}, {"griffith"}, {"the", "who"}}, writer.OrderInput)
	for _, tt := range []struct{ ask, answer string }{
		{"COUNT\tgriffith", "2"},
		{"COUNT\t+griffith +observatory", "1"},
		{"COUNT\t+GRIFFITH -Observatory", "1"},
		{"TOP_10\tgriffith", "1"},
		{"TOP_10\tnowhere", "1"},
		{"TOP_10_COUNT\tnowhere", "0"},
		{"TOP_100_COUNT\tgriffith who", "3"},
		{"COUNT\t", "0"},
		{"COUNT\tgriffith\r", "2"},
		{"COUNT\t\xff\xfegriffith", "2"},
		{"TOP_100000_COUNT\tgriffith", "2"},
		{"", "UNSUPPORTED"},
		{"COUNT", "UNSUPPORTED"},
		{"COUNT griffith", "UNSUPPORTED"},
		{"\tgriffith", "UNSUPPORTED"},
		{"count\tgriffith", "UNSUPPORTED"},
		{"TOP_\tgriffith", "UNSUPPORTED"},
		{"TOP_0\tgriffith", "UNSUPPORTED"},
		{"TOP_-1\tgriffith", "UNSUPPORTED"},
		{"TOP_+1\tgriffith", "UNSUPPORTED"},
		{"TOP_100001\tgriffith", "UNSUPPORTED"},
		{"TOP_99999999999999999999\tgriffith", "UNSUPPORTED"},
		{"TOP_10_COUNT_FF\tgriffith", "UNSUPPORTED"},
		{"TOP_10_COUNT_COUNT\tgriffith", "UNSUPPORTED"},
		{"UNOPTIMIZED_COUNT\tgriffith", "UNSUPPORTED"},
		{"COUNT\t-griffith", "UNSUPPORTED"},
		{`COUNT` + "\t" + `"griffith`, "UNSUPPORTED"},
		{"COUNT\t+(griffith", "UNSUPPORTED"},
		{"COUNT\tbody:griffith", "UNSUPPORTED"},
		{"COUNT\t" + strings.Repeat("griffith ", 5000), "2"},
		{"COUNT\t" + strings.Repeat("griffith ", 20_000), "UNSUPPORTED"}, // more nodes than a query may have
		{"COUNT\twho", "1"},
	} {
		var out, log bytes.Buffer
		// The line after it is answered, also if it does not end.
		if err := e.Serve(t.Context(), iotest.HalfReader(strings.NewReader(tt.ask+"\nCOUNT\tthe")), &out, &log); err != nil {
			t.Errorf("%.50q: %v", tt.ask, err)
		}
		if want := tt.answer + "\n1\n"; out.String() != want {
			t.Errorf("%.50q: answers %q, want %q", tt.ask, out.String(), want)
		}
		if unsupported := tt.answer == "UNSUPPORTED"; unsupported != (log.Len() > 0) || log.Len() > 1000 {
			t.Errorf("%.50q: the log is %.1000q", tt.ask, log.String())
		}
	}
}

// TestServeStep asks as the game does: the next question comes after the answer to the one before.
func TestServeStep(t *testing.T) {
	e := build(t, [][]string{{"the", "who"}}, writer.OrderInput)
	questions, ask := io.Pipe()
	answers, reply := io.Pipe()
	done := make(chan error)
	go func() { done <- e.Serve(t.Context(), questions, reply, io.Discard) }()
	b := make([]byte, 100)
	for range 3 {
		for _, q := range []struct{ ask, answer string }{{"COUNT\tthe", "1\n"}, {"nothing", "UNSUPPORTED\n"}} {
			if _, err := io.WriteString(ask, q.ask+"\n"); err != nil {
				t.Fatal(err)
			}
			n, err := answers.Read(b)
			if got := string(b[:n]); err != nil || got != q.answer {
				t.Fatalf("%q: %q, %v", q.ask, got, err)
			}
		}
	}
	ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestServeEnds ends with its reader, its writer and its context.
func TestServeEnds(t *testing.T) {
	e := build(t, [][]string{{"the"}}, writer.OrderInput)
	broken := errors.New("broken")
	if err := e.Serve(t.Context(), iotest.ErrReader(broken), io.Discard, io.Discard); !errors.Is(err, broken) {
		t.Error(err)
	}
	_, w := io.Pipe()
	w.CloseWithError(broken)
	if err := e.Serve(t.Context(), strings.NewReader("COUNT\tthe\n"), w, io.Discard); err == nil {
		t.Error("no error of a writer that is closed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Serve(ctx, strings.NewReader("TOP_10\tthe\n"), io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestBuild makes indexes of odd and of bad corpora.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ corpus, fails string }{
		"empty":     {"", ""},
		"blank":     {"\n{\"id\":\"a\",\"text\":\"the\"}\r\n\n", ""},
		"other key": {`{"id":"a","text":"the","more":{"x":[1]}}`, ""},
		"no text":   {`{"id":"a"}`, ""},
		"no id":     {`{"text":"the"}`, "id"},
		"broken":    {`{"id":"a"` + "\n", "broken.json:1"},
		"number":    {`{"id":"a","text":1}`, "text"},
		"sort":      {`{"id":"a","text":"the","sort_field":"x"}`, "sort_field"},
	} {
		file := filepath.Join(dir, name+".json")
		if err := os.WriteFile(file, []byte(tt.corpus), 0o600); err != nil {
			t.Fatal(err)
		}
		switch err := Build(t.Context(), filepath.Join(dir, name), file, writer.OrderInput); {
		case tt.fails == "" && err != nil, tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
			t.Errorf("%s: %v, want %q", name, err, tt.fails)
		}
	}
	if err := Build(t.Context(), filepath.Join(dir, "blank"), filepath.Join(dir, "blank.json"), writer.OrderInput); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into an index: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("no error of an index that is not there")
	}
}

// TestDetails holds the file that the game shows beside the results.
func TestDetails(t *testing.T) {
	b, err := os.ReadFile("../../details.json")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	if err := json.Unmarshal(b, &lines); err != nil || len(lines) == 0 {
		t.Errorf("%q, %v", lines, err)
	}
}
