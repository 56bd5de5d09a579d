package gpuload

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
	"pgregory.net/rapid"
)

const drawnDocs = 1500 // so that some lists have extents, in each of three segments

var (
	drawnTime     = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	drawnSynonyms = func() *query.Synonyms {
		s, err := query.NewSynonyms(query.SynonymRule{From: []string{drawnWord(0)}, To: []string{drawnWord(7), drawnWord(8) + " " + drawnWord(9)}})
		if err != nil {
			panic(err)
		}
		return s
	}()
	drawnSchema = &schema.Schema{Fields: []schema.Field{
		{Name: "body", Kind: schema.Text, Positions: true, Stored: true},
		{Name: "title", Kind: schema.Text, Boost: 2},
		{Name: "k", Kind: schema.Keyword, Column: true},
		{Name: "n", Kind: schema.Integer, Column: true},
		{Name: "f", Kind: schema.Float, Column: true},
		{Name: "t", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
		{Name: "v", Kind: schema.Vector, Dims: 4, Clusters: true},
		{Name: "codes", Kind: schema.Vector, Dims: 4, Values: schema.Int8},
		{Name: "weights", Kind: schema.Impacts},
	}}
)

// drawnIndex makes an index of three segments with deleted documents, of every kind of field or without a schema.
func drawnIndex(t *testing.T, of *schema.Schema, order writer.Order) (dir string) {
	t.Helper()
	dir = t.TempDir()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: of, Order: order, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(7, 7))
	text := func() string {
		var words []string
		for range 1 + rng.IntN(8) {
			words = append(words, drawnWord(min(rng.IntN(25), rng.IntN(25))))
		}
		return strings.Join(words, " ")
	}
	for i := range drawnDocs {
		body := text()
		if i == 50 { // more terms of a prefix than score each
			for k := range query.MaxScored + 50 {
				body += fmt.Sprint(" words", k)
			}
		}
		fields := map[string]any{"": body}
		if of != nil {
			fields = map[string]any{"body": body, "title": text(), "k": drawnWord(rng.IntN(4)), "codes": []float32{rng.Float32(), 1, -rng.Float32(), 0}, "f": float64(rng.IntN(8)) / 4}
			if i%5 > 0 {
				fields["n"], fields["v"] = rng.IntN(12), []float32{rng.Float32(), -1, rng.Float32(), 1}
			}
			if i%7 > 0 {
				fields["t"] = drawnTime.Add(time.Duration(rng.IntN(200)) * time.Hour)
			}
			weights := map[string]float64{}
			for range 1 + rng.IntN(5) {
				weights[drawnWord(rng.IntN(25))] = float64(1 + rng.IntN(255))
			}
			fields["weights"] = weights
		}
		d := writer.Doc{ID: []byte(fmt.Sprint(i))}
		for number, f := range w.Schema().Fields {
			if x := fields[f.Name]; x != nil {
				d.Values, err = w.Schema().AppendValues(d.Values, number, x)
				check(err)
			}
		}
		check(w.Add(t.Context(), d))
		if i%(drawnDocs/3) == drawnDocs/3-1 {
			check(w.Flush(t.Context()))
		}
	}
	for _, id := range []string{"3", "44", "90", "600", "1499"} {
		check(w.Delete(t.Context(), []byte(id)))
	}
	check(w.Commit(t.Context()))
	check(w.Close())
	return dir
}

// counting is an Executor that counts what it has answered.
type counting struct {
	*Executor
	asked, answered int
}

func (c *counting) count(found ...*pinion.Page) {
	for _, p := range found {
		if c.asked++; p != nil {
			c.answered++
		}
	}
}

func (c *counting) Execute(ctx context.Context, s *reader.Snapshot, requests []pinion.Request) ([]*pinion.Page, error) {
	found, err := c.Executor.Execute(ctx, s, requests)
	c.count(found...)
	return found, err
}

func (c *counting) ExecutePart(ctx context.Context, s *reader.Snapshot, r pinion.Request, of pinion.Part) (*pinion.Page, error) {
	found, err := c.Executor.ExecutePart(ctx, s, r, of)
	c.count(found)
	return found, err
}

// sameAnswers searches with and without Executors: whatever a request asks for, the answers are the same, errors too.
func sameAnswers(t *testing.T, open func() *Executor) {
	drawn := map[string]bool{}
	for _, of := range []struct {
		name   string
		schema *schema.Schema
		order  writer.Order
		params query.Params
	}{
		{name: "a schema", schema: drawnSchema},
		{name: "parameters", schema: drawnSchema, params: query.Params{K1: 2, Scorer: "bm25"}},
		{name: "another formula", schema: drawnSchema, params: query.Params{B: 0.5, Scorer: "inl2"}},
		{name: "an order", schema: drawnSchema, order: writer.OrderField("n", true)},
		{name: "no schema"},
	} {
		t.Run(of.name, func(t *testing.T) {
			dir := drawnIndex(t, of.schema, of.order)
			without := drawnReader(t, dir, nil, of.params)
			for name, same := range map[string]func(*rapid.T, context.Context, *pinion.Reader, *pinion.Reader, pinion.Request){"search": sameAnswer, "part": samePartAnswer} {
				t.Run(name, func(t *testing.T) {
					x := &counting{Executor: open()}
					defer x.Close()
					with := drawnReader(t, dir, x, of.params)
					rapid.Check(t, func(rt *rapid.T) {
						d := &drawing{t: rt, schema: of.schema != nil, wrong: rapid.IntRange(0, 9).Draw(rt, "wrong") == 9, drawn: drawn}
						r := d.request()
						ctx := t.Context()
						if d.chance(2) {
							ctx = context.WithoutCancel(ctx)
						}
						same(rt, ctx, with, without, r)
						if err := x.Ready(ctx); err != nil {
							rt.Fatal(err)
						}
					})
					if x.asked < 40 { // of so few, all may be for the CPU
						return
					}
					if x.answered*4 < x.asked || x.options.Mode == hybrid.OnlyGPU && of.params == (query.Params{}) && x.Stats().GPU.Searches == 0 {
						t.Errorf("%d of %d requests answered: %+v", x.answered, x.asked, x.Stats())
					}
				})
			}
		})
	}
	if names := undrawn(drawn); len(names) > 0 && !t.Failed() {
		t.Errorf("no request had %v", names)
	}
}

// drawnReader returns a Reader that x answers for.
func drawnReader(t *testing.T, dir string, x pinion.Executor, params query.Params) *pinion.Reader {
	t.Helper()
	o := pinion.ReaderOptions{NoCache: true, Params: params, Executor: x, Observe: func(e pinion.Event) {
		if e.Kind == pinion.EventExecutor {
			t.Error(e.Err)
		}
	}}
	r, err := o.OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// sameAnswer compares the pages of two Readers, and those behind them.
func sameAnswer(t *rapid.T, ctx context.Context, with, without *pinion.Reader, r pinion.Request) {
	for range 3 {
		want, wantErr := without.Search(ctx, r)
		got, err := with.Search(ctx, r)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v:\n%+v, %v, want\n%+v, %v", r, got, err, want, wantErr)
		}
		next := want.Next()
		if next == nil || r.Offset > 0 {
			return
		}
		r.After = next
	}
}

// samePartAnswer compares the answers of two Readers as parts of a collection.
func samePartAnswer(t *rapid.T, ctx context.Context, with, without *pinion.Reader, r pinion.Request) {
	if r.Fuse != nil || r.Rescore != nil || r.Synonyms != nil {
		return // who asks parts does without
	}
	var pages [2]pinion.PartPage
	var errs [2]error
	for i, x := range []*pinion.Reader{with, without} {
		errs[i] = x.View(ctx, func(v *pinion.View) (err error) {
			of := pinion.Part{Frequencies: new(query.Frequencies)}
			f, err := v.Frequencies(ctx, r.Node())
			for range 2 { // another part has as many
				err = cmp.Or(err, of.Collection.Add(v.Collection()), of.Frequencies.Add(f))
			}
			if err != nil {
				return err
			}
			found, err := v.Neighbors(ctx, r.Node(), of)
			if err != nil {
				return err
			}
			of.Neighbors = found
			pages[i], err = v.SearchPart(ctx, r, of)
			return err
		})
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) || !reflect.DeepEqual(pages[0], pages[1]) {
		t.Fatalf("%+v of a part:\n%+v, %v, want\n%+v, %v", r, pages[0], errs[0], pages[1], errs[1])
	}
}

// Whatever a request asks for, it is answered as without an Executor.
func TestExecutorSameAnswers(t *testing.T) {
	o := &opener{gate: make(chan struct{})}
	close(o.gate)
	sameAnswers(t, func() *Executor {
		x, err := Open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		x.open, x.options.Mode = o.open, hybrid.OnlyGPU
		return x
	})
}
