package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/schema"
)

const timeForm = "2006-01-02T15:04:05.000Z"

// stamp is a time in JSON, in milliseconds.
type stamp time.Time

func (t stamp) MarshalText() ([]byte, error) { return []byte(time.Time(t).UTC().Format(timeForm)), nil }

// marshal returns v in JSON, in which < stays.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// MarshalJSON returns l as an object with the keys id, ts, level, service, host, tenant and msg.
func (l *Line) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		ID      string `json:"id"`
		Time    stamp  `json:"ts"`
		Level   string `json:"level"`
		Service string `json:"service"`
		Host    string `json:"host"`
		Tenant  string `json:"tenant"`
		Message string `json:"msg"`
	}{l.ID, stamp(l.Time), l.Level, l.Service, l.Host, l.Tenant, l.Message})
}

// MarshalJSON returns p as an object with the keys id, title, brand, category, colors, price,
// rating, sold and added. It has no colors or rating if the product has none.
func (p *Product) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		ID       string   `json:"id"`
		Title    string   `json:"title"`
		Brand    string   `json:"brand"`
		Category string   `json:"category"`
		Colors   []string `json:"colors,omitempty"`
		Price    float64  `json:"price"`
		Rating   float64  `json:"rating,omitempty"`
		Sold     int64    `json:"sold"`
		Added    stamp    `json:"added"`
	}{p.ID, p.Title, p.Brand, p.Category, p.Colors, p.Price, p.Rating, p.Sold, stamp(p.Added)})
}

// Filter returns q without its words, in the language of query.ParseFilter.
func (q LogQuery) Filter() string {
	return fmt.Sprintf("ts %s..<%s and level = %s", q.From.UTC().Format(timeForm), q.To.UTC().Format(timeForm), q.Level)
}

// Filter returns q without its words, in the language of query.ParseFilter.
func (q ShopQuery) Filter() string { return fmt.Sprintf("price %v..%v", q.Min, q.Max) }

// MarshalJSON returns q as an object with the keys words, from, to, level and filter; the last
// says the three before it.
func (q LogQuery) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Words  []string `json:"words"`
		From   stamp    `json:"from"`
		To     stamp    `json:"to"`
		Level  string   `json:"level"`
		Filter string   `json:"filter"`
	}{q.Words, stamp(q.From), stamp(q.To), q.Level, q.Filter()})
}

// MarshalJSON returns q as an object with the keys words, min, max and filter; the last says the
// two before it.
func (q ShopQuery) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Words  []string `json:"words"`
		Min    float64  `json:"min"`
		Max    float64  `json:"max"`
		Filter string   `json:"filter"`
	}{q.Words, q.Min, q.Max, q.Filter()})
}

// LogSchema returns the fields of lines: the message is searched, by analyzer simple, the others are
// columns, times in milliseconds.
func LogSchema() *schema.Schema {
	s := &schema.Schema{Fields: []schema.Field{{Name: "ts", Kind: schema.Time, Unit: schema.UnitMillisecond, Column: true}}}
	for _, name := range []string{"level", "service", "host", "tenant"} {
		s.Fields = append(s.Fields, schema.Field{Name: name, Kind: schema.Keyword, Column: true})
	}
	s.Fields = append(s.Fields, schema.Field{Name: "msg", Kind: schema.Text, Analyzer: "simple", Stored: true})
	return s
}

// ShopSchema returns the fields of products: the title is searched, by analyzer simple, the others
// are columns.
func ShopSchema() *schema.Schema {
	s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Analyzer: "simple", Stored: true}}}
	for _, f := range []schema.Field{
		{Name: "brand", Kind: schema.Keyword}, {Name: "category", Kind: schema.Keyword}, {Name: "colors", Kind: schema.Keyword},
		{Name: "price", Kind: schema.Float}, {Name: "rating", Kind: schema.Float},
		{Name: "sold", Kind: schema.Integer}, {Name: "added", Kind: schema.Time, Unit: schema.UnitSecond},
	} {
		f.Column = true
		s.Fields = append(s.Fields, f)
	}
	return s
}
