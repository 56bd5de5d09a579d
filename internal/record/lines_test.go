package record

import (
	"testing"

	"github.com/pinion-index/pinion/schema"
)

// Records are shown by the names of the schema, without fields that it has dropped.
func TestLines(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{ID: 1, Name: "title", Kind: schema.Text}, {ID: 3, Name: "size", Kind: schema.Integer}}}
	b := Append(nil, 1, schema.TextValue(0, []byte("a\xff")))
	b = Append(b, 2, schema.KeywordValue(1, []byte("dropped")))
	b = Append(b, 3, schema.IntegerValue(2, -5))
	got, err := AppendLines([]byte("x "), b, s.ByID)
	if want := "x title: a\xff\nsize: -5\n"; string(got) != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, bad := range [][]byte{b[:len(b)-1], Append(nil, 3, schema.TextValue(0, ""))} {
		if got, err := AppendLines([]byte("x"), bad, s.ByID); err == nil || string(got) != "x" {
			t.Errorf("% x: %q, %v", bad, got, err)
		}
	}
}
