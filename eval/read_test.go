package eval_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pinion-index/pinion/eval"
)

func TestReadQrels(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"TREC", "1 0 a 1\n1\t0  b\t-1 \r\n\n2 Q0 a 0", "map[1:map[a:1 b:-1] 2:map[a:0]]"},
		{"byte order mark", "\ufeff1 0 a 1\n", "map[1:map[a:1]]"},
		{"no-break space, next line, line separator", "q\u00a01 0 a\u00a0b 1\nq\u00a01 0 a\u0085b 2\nq\u00a01 0 a\u2028b 3\n",
			"map[q\u00a01:map[a\u0085b:2 a\u00a0b:1 a\u2028b:3]]"},
		{"not UTF-8", "1 0 a\xa0b 1\n", "map[1:map[a\xa0b:1]]"},
		{"vertical tab and form feed", "1\v0\fa\v1\n", "map[1:map[a:1]]"},
		{"BEIR", "query-id\tcorpus-id\tscore\nq1\td 1\t2\r\nq1\td2\t0\n", "map[q1:map[d 1:2 d2:0]]"},
		{"empty ids apart", "1 0 query-id 1\n", "map[1:map[query-id:1]]"},
	} {
		got, err := eval.ReadQrels("f", strings.NewReader(test.text))
		if err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, %v; want %s", test.name, got, err, test.want)
		}
	}
	for text, want := range map[string]string{
		"":                                   "f holds none: expected are",
		"\n \n":                              "f holds none",
		"query-id\tcorpus-id\tscore\n":       "f holds none",
		"1 0 a\n":                            "f:1: invalid line: the line has 3 fields, not 4: expected are",
		"\n1 0 a 1 x\n":                      "f:2: invalid line: the line has 5 fields",
		"1 0 a 1\n2 a 1\n":                   "f:2: invalid line: the line has 3 fields",
		"1 0 a 1.5\n":                        `f:1: invalid line: relevance "1.5" is no integer`,
		"1 0 a x\n":                          "is no integer",
		"1 0 a 1\n1 0 a 1\n":                 `f:2: invalid line: document "a" is judged twice for query "1"`,
		"query-id\tcorpus-id\tscore\n1 2 3":  "f:2: invalid line: the line has 1 fields, not 3",
		"query-id\tcorpus-id\tscore\n1\t2\t": "is no integer",
		"<top>\n":                            "f:1: invalid line: the line has 1 fields",
	} {
		if got, err := eval.ReadQrels("f", strings.NewReader(text)); !errors.Is(err, eval.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestReadRun(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"TREC, ranks not used", "1 Q0 a 1 1.5 t\n1 Q0 b 2 2e0 t\n\n2\tQ0\tc\t0\t-1\tt", "map[1:[{b 2} {a 1.5}] 2:[{c -1}]]"},
		{"equal scores", "1 Q0 a 1 2 t\n1 Q0 c 2 2 t\n1 Q0 b 3 2 t\n1 Q0 \xffb 3 2 t\n1 Q0 B 4 2 t\n", "map[1:[{\xffb 2} {c 2} {b 2} {a 2} {B 2}]]"},
		{"no-break space", "q1 Q0 a\u00a0b 1 2.0 s\n", "map[q1:[{a\u00a0b 2}]]"},
		{"MS MARCO", "7\td2\t2\n7\td1\t1\n8\td2\t1\r\n", "map[7:[{d1 -1} {d2 -2}] 8:[{d2 -1}]]"},
	} {
		got, err := eval.ReadRun("f", strings.NewReader(test.text))
		if err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, %v; want %s", test.name, got, err, test.want)
		}
	}
	for text, want := range map[string]string{
		"":                                 "f holds none: expected are",
		"1 Q0 a 1 x t\n":                   `f:1: invalid line: score "x" is no number`,
		"1 Q0 a 1 NaN t\n":                 "is no number",
		"1 Q0 a 1 2\n":                     "f:1: invalid line: the line has 5 fields, not 6: expected are",
		"1 Q0 a b 1 2 t\n":                 "f:1: invalid line: the line has 7 fields",
		"1 a 1\n1 Q0 a 1 2 t\n":            "f:2: invalid line: the line has 6 fields, not 3",
		"1 a 0\n":                          "is no number from 1",
		"1 a 1.5\n":                        "is no number from 1",
		"1 a 1\n1 b 1\n":                   `f:2: invalid run: rank 1 comes twice for query "1"`,
		"1 Q0 a 1 2 t\n\n1 Q0 a 2 1 t\n":   `f:3: invalid run: document "a" comes twice for query "1"`,
		"1 0 a 1\n":                        "f:1: invalid line: the line has 4 fields",
		"query-id\tcorpus-id\tscore\n1\t2": "is no number from 1",
	} {
		if got, err := eval.ReadRun("f", strings.NewReader(text)); !errors.Is(err, eval.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}

// TestReadFails: a file that cannot be read to its end is an error, not a short file.
func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", 2<<20)
	if _, err := eval.ReadRun("f", strings.NewReader("1 Q0 a 1 2 t\n"+long)); err == nil || !strings.Contains(err.Error(), "f:2: ") {
		t.Errorf("a long line: %v", err)
	}
	if _, err := eval.ReadQrels("f", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("judgments: %v", err)
	}
	if _, err := eval.ReadRun("f", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("run: %v", err)
	}
}
