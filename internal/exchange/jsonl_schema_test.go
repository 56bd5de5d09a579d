package exchange_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/schema"
)

// JSON lines that are in memory are read into the fields of a schema as those of a file are.
func TestJSONLSchema(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text}, {Name: "price", Kind: schema.Integer, Stored: true}}}
	j := exchange.NewJSONL("body", strings.NewReader(`{"id": 7, "title": "Rose", "price": 3, "other": 1}`+"\n\n"+`{"id": "b", "price": "x"}`+"\n"))
	text := exchange.NewJSONL("body", strings.NewReader(`{"id": 7, "contents": "Rose"}`))
	if err := text.SetSchema(exchange.Fields{}, schema.Implicit("", "", false)); err != nil {
		t.Fatal(err)
	}
	if id, values, err := text.NextValues(); fmt.Sprint(string(id), values, err) != "7[Rose] <nil>" {
		t.Errorf("in the implicit schema: %q, %v, %v", id, values, err)
	}
	if err := j.SetSchema(exchange.Fields{}, nil); !errors.Is(err, exchange.ErrInvalid) {
		t.Errorf("no schema: %v", err)
	}
	if err := j.SetSchema(exchange.Fields{Keys: []exchange.Key{{Key: "a"}}}, s); err == nil {
		t.Error("a key of no field is taken")
	}
	if err := j.SetSchema(exchange.Fields{}, s); err != nil {
		t.Fatal(err)
	}
	id, values, err := j.NextValues()
	if got := fmt.Sprint(string(id), values, err); got != "7[Rose 3] <nil>" || j.Ignored() != 1 {
		t.Errorf("read %s, %d ignored", got, j.Ignored())
	}
	if _, _, err = j.NextValues(); err == nil || !exchange.Recoverable(err) || !strings.Contains(err.Error(), "body:3") {
		t.Errorf("a bad value: %v", err)
	}
	if _, _, err = j.NextValues(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}
