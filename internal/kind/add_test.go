package kind_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// address is a kind that only this test has: an address of IPv4. What follows is all that there is of it.
const address = schema.Vector + 1

func init() {
	parse := func(text string) (uint64, bool) {
		a, err := netip.ParseAddr(text)
		if err != nil || !a.Is4() {
			return 0, false
		}
		b := a.As4()
		return uint64(binary.BigEndian.Uint32(b[:])), true
	}
	text := func(bits uint64) string {
		return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(bits)))).String()
	}
	kind.Register(uint8(address), &kind.Number{
		Name:   "address",
		Takes:  "addresses such as 192.0.2.1",
		Want:   func(string) string { return "address such as 192.0.2.1" },
		Whole:  true,
		Quoted: true,
		Key:    func(bits uint64, _ int64) int64 { return int64(bits) },
		Bits:   func(key, _ int64) uint64 { return uint64(key) },
		Invalid: func(bits uint64) string {
			if bits > math.MaxUint32 {
				return "the number is no address"
			}
			return ""
		},
		Any:       func(bits uint64) any { return text(bits) },
		OfInteger: func(int64, int64) (uint64, bool) { return 0, false },
		OfText:    parse,
		Append:    func(dst []byte, bits uint64) []byte { return append(dst, text(bits)...) },
		Parse:     func(text string, _ int64) (uint64, bool) { return parse(text) },
	})
}

var hosts = &schema.Schema{Fields: []schema.Field{
	{Name: "host", Kind: schema.Text, Stored: true},
	{Name: "ip", Kind: address, Column: true, Stored: true},
}}

// addresses are those of the documents 0 to 299: of every tenth two, of every seventh none.
func addresses(i int) []string {
	switch {
	case i%7 == 6:
		return nil
	case i%10 == 9:
		return []string{fmt.Sprintf("10.9.%d.%d", i%3, i%200), "192.0.2.1"}
	}
	return []string{fmt.Sprintf("10.0.%d.%d", i%3, i%200)}
}

// A kind that is one row is stored, filtered, sorted, counted, imported and exported like those that are there.
func TestAddKind(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	x, err := pinion.Open(ctx, dir, pinion.Options{Schema: hosts})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	type hit struct{ id, ip string }
	var all []hit // sorted by address: the least of each
	for i := range 300 {
		fields := map[string]any{"host": "node rack", "ip": addresses(i)}
		do(x.Add(ctx, pinion.Doc{ID: fmt.Sprintf("%03d", i), Fields: fields}))
		if own := addresses(i); len(own) > 0 {
			all = append(all, hit{fmt.Sprintf("%03d", i), own[0]})
		}
		if i == 100 {
			do(x.Sync(ctx))
		}
	}
	slices.SortStableFunc(all, func(a, b hit) int { return netip.MustParseAddr(a.ip).Compare(netip.MustParseAddr(b.ip)) })

	r := pinion.Request{Query: query.Match{Text: "rack"}, Sort: []pinion.Sort{{Field: "ip"}}, Limit: 40}
	var got []hit
	for {
		page, err := x.Search(ctx, r)
		do(err)
		for _, h := range page.Hits {
			if v := h.Sort[0]; v.Kind != 0 {
				got = append(got, hit{h.ID, v.String()})
			}
		}
		next := httpapi.FormatAfter(page.Next())
		if r.After, err = httpapi.ParseAfter(next); err != nil || r.After == nil {
			do(err)
			break
		}
	}
	if !slices.Equal(got, all) {
		t.Errorf("sorted: %v, want %v", got, all)
	}

	in := func(low, high string) (n int) { // how many documents have an address from low to high
		for i := range 300 {
			if slices.ContainsFunc(addresses(i), func(s string) bool {
				a := netip.MustParseAddr(s)
				return a.Compare(netip.MustParseAddr(low)) >= 0 && a.Compare(netip.MustParseAddr(high)) <= 0
			}) {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		node query.Node
		want int
	}{
		{filter(t, "ip = 192.0.2.1"), in("192.0.2.1", "192.0.2.1")},
		{filter(t, "ip 10.0.1.0..10.9.0.255"), in("10.0.1.0", "10.9.0.255")},
		{query.AtLeast("ip", "10.0.2.0"), in("10.0.2.0", "255.255.255.255")},
		{query.ParseLenient(hosts, "rack ip:192.0.2.1").Node, in("192.0.2.1", "192.0.2.1")},
	} {
		if n, err := x.Count(ctx, c.node); err != nil || n != c.want || n == 0 {
			t.Errorf("%v: %d documents, %v; want %d", c.node, n, err, c.want)
		}
	}
	for _, text := range []string{"ip = 1.2.3", "ip > 2001:db8::1"} {
		if _, err := query.ParseFilter(hosts, text); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), "is no address such as") {
			t.Errorf("%s: %v", text, err)
		}
	}
	page, err := x.Search(ctx, pinion.Request{Query: query.Match{Text: "rack"}, Facets: []pinion.Facet{
		{Field: "ip", Ranges: []pinion.Range{{Min: "10.0.1.0", Max: "10.0.1.255"}}}, {Field: "ip", Width: 1 << 24},
	}})
	do(err)
	if c := page.Facets[0].Counts; len(c) != 1 || c[0].Count != uint64(in("10.0.1.0", "10.0.1.255")) {
		t.Errorf("facet by ranges: %+v", c)
	}
	if c := page.Facets[1].Counts; len(c) != 2 || c[0].Value != "10.0.0.0" || c[1].Value != "192.0.0.0" {
		t.Errorf("facet by width: %+v", c)
	}
	hits, err := x.Get(ctx, "009")
	do(err)
	var own struct {
		Host string
		IP   []string `pinion:"ip"`
	}
	if do(hits.Decode(&own)); !slices.Equal(own.IP, addresses(9)) {
		t.Errorf("decoded %v", own.IP)
	}
	for _, bad := range []any{"10.0.0.256", 7, 1.5} {
		if err := x.Add(ctx, pinion.Doc{ID: "x", Fields: map[string]any{"ip": bad}}); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	do(x.Close())
	exportImport(t, dir)
}

func filter(t *testing.T, text string) query.Node {
	t.Helper()
	node, err := query.ParseFilter(hosts, text)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// exportImport exports an index as JSON lines and imports them into another, whose export is the same.
func exportImport(t *testing.T, dir string) {
	text, err := json.Marshal(hosts)
	if err != nil {
		t.Fatal(err)
	}
	s := new(schema.Schema)
	if err := json.Unmarshal(text, s); err != nil || !s.Equal(hosts) {
		t.Fatalf("%s, %v", text, err)
	}
	export := func(dir string) []byte {
		r, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		v, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if err := v.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := exchange.ExportJSONL(t.Context(), &b, v); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	lines := export(dir)
	if !bytes.Contains(lines, []byte(`"ip":["10.9.0.9","192.0.2.1"]`)) {
		t.Fatalf("exported %.200s", lines)
	}
	again := t.TempDir()
	w, err := writer.Open(t.Context(), again, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	j := exchange.NewJSONL("hosts.jsonl", bytes.NewReader(lines))
	if err := j.SetSchema(exchange.Fields{}, s); err != nil {
		t.Fatal(err)
	}
	for {
		id, values, err := j.NextValues()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.Add(t.Context(), writer.Doc{ID: id, Values: values})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	if b := export(again); !bytes.Equal(b, lines) {
		t.Errorf("exported again: %.200s, want %.200s", b, lines)
	}
}
