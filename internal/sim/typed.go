package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// typed draws a text in the query language that has words and values in columns. It returns nothing if no
// field is a column.
func (d *treeDrawer) typed() (query.Node, *oracle.Node) {
	columns := d.columns
	if len(columns) == 0 || len(d.fields) == 0 {
		return nil, nil
	}
	o := &oracle.Node{Kind: oracle.Bool}
	var parts []string
	add := func(text, sign string) { parts = append(parts, sign+text) }
	switch d.IntN(4) {
	case 0: // alternatives
		word, of := d.typedWord()
		column, in, _ := d.typedColumn(columns[d.IntN(len(columns))])
		add(word+" OR "+column, "")
		o.Should = []*oracle.Node{of, {Kind: oracle.Bool, Filter: []*oracle.Node{in}}}
	default:
		for range d.IntN(4) {
			word, of := d.typedWord()
			to := []*[]*oracle.Node{&o.Should, &o.Must, &o.Not}
			i := []int{0, 0, 0, 1, 2}[d.IntN(5)]
			add(word, []string{"", "+", "-"}[i])
			*to[i] = append(*to[i], of)
		}
		for i := range 1 + d.IntN(2) {
			number := columns[d.IntN(len(columns))]
			column, in, each := d.typedColumn(number)
			if d.IntN(4) == 0 && d.schema.Fields[number].Indexing() == schema.IndexNone { // it scores
				add(column+"^2", "")
				for _, value := range each { // as words in brackets do
					o.Should = append(o.Should, &oracle.Node{Kind: oracle.Const, Must: []*oracle.Node{value}, Score: 2})
				}
				continue
			}
			sign := []string{"", "+", "NOT "}[d.IntN(3)]
			if add(column, sign); sign == "NOT " && (i > 0 || len(o.Must)+len(o.Should) > 0) {
				in = &oracle.Node{Kind: oracle.Bool, Must: []*oracle.Node{{Kind: oracle.All}}, Not: []*oracle.Node{in}}
			} else if sign == "NOT " { // something must be there
				parts[len(parts)-1] = column
			}
			o.Filter = append(o.Filter, in)
		}
		if len(o.Should) > 0 && len(o.Must) == 0 {
			o.AtLeast = 1
		}
	}
	d.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	text := strings.Join(parts, " ")
	n, err := query.Parse(d.schema, text)
	if err != nil {
		panic(fmt.Sprintf("%q: %v", text, err))
	}
	return n, o
}

// spelled returns the name of a field as the language has it.
func spelled(name string) string { return strings.ReplaceAll(name, " ", `\ `) }

// typedWord draws a word or a phrase in a field. With a boost a keyword scores too.
func (d *treeDrawer) typedWord() (string, *oracle.Node) {
	if d.IntN(3) == 0 {
		n, of := d.phrase()
		if p, ok := n.(query.Phrase); ok && len(p.Terms) == 0 {
			if f, ok := d.schema.Field(p.Field); ok && f.Kind == schema.Keyword && p.Boost == 0 {
				p.Boost = 1
			}
			return typedPhrase(&p), of
		}
	}
	f, word := d.field(), fmt.Sprintf("w%d", d.IntN(1<<(1+d.IntN(8))))
	if f.Kind == schema.Keyword {
		word += "^1"
	}
	return spelled(f.Name) + ":" + word, &oracle.Node{Kind: oracle.Bool, Must: wordNodes(f, strings.TrimSuffix(word, "^1"))}
}

// typedPhrase returns a phrase without a prefix as the language has it.
func typedPhrase(p *query.Phrase) string {
	text := spelled(p.Field) + `:"` + p.Text + `"`
	if p.Slop > 0 {
		text += fmt.Sprintf("~%d", p.Slop)
	}
	if p.Boost != 0 {
		text += "^" + strconv.FormatFloat(p.Boost, 'f', -1, 64)
	}
	return text
}

// typedColumn draws what a document must have in a column, and returns each of its alternatives, too.
func (d *treeDrawer) typedColumn(field int) (text string, in *oracle.Node, each []*oracle.Node) {
	v, least := d.some(field)
	w, most := d.some(field)
	low, high := typedValue(d.Rand, v), typedValue(d.Rand, w)
	type is = func(x any) bool
	equal := func(v any) is { return func(x any) bool { return x == v } }
	form := []struct {
		text string
		is   []is
	}{
		{low, []is{equal(least)}},
		{"=" + low, []is{equal(least)}},
		{">=" + low, []is{func(x any) bool { return compareValues(x, least) >= 0 }}},
		{">" + low, []is{func(x any) bool { return compareValues(x, least) > 0 }}},
		{"<" + high, []is{func(x any) bool { return compareValues(x, most) < 0 }}},
		{"<=" + high, []is{func(x any) bool { return compareValues(x, most) <= 0 }}},
		{low + ".." + high, []is{func(x any) bool { return compareValues(x, least) >= 0 && compareValues(x, most) <= 0 }}},
		{low + "<..<" + high, []is{func(x any) bool { return compareValues(x, least) > 0 && compareValues(x, most) < 0 }}},
		{"*", []is{func(any) bool { return true }}},
		{"(" + low + " OR " + high + ")", []is{equal(least), equal(most)}},
		{"(" + low + " >" + high + ")", []is{equal(least), func(x any) bool { return compareValues(x, most) > 0 }}},
	}[d.IntN(11)]
	f := &d.schema.Fields[field]
	values := d.values[f.Name]
	has := func(is is) func(doc uint32) bool {
		return func(doc uint32) bool { return slices.ContainsFunc(values[doc], is) }
	}
	for _, is := range form.is {
		each = append(each, &oracle.Node{Kind: oracle.Set, Has: has(is)})
	}
	in = &oracle.Node{Kind: oracle.Set, Has: func(doc uint32) bool {
		return slices.ContainsFunc(form.is, func(is is) bool { return has(is)(doc) })
	}}
	return spelled(f.Name) + ":" + form.text, in, each
}

// typedValue returns a value as the language has it: in quotes, or as it is.
func typedValue(r *rand.Rand, v schema.Value) (text string) {
	switch v.Kind {
	case schema.Keyword:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(v.Bytes())) + `"`
	case schema.Float:
		text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case schema.Time:
		text = v.Time().Format(time.RFC3339Nano)
	default:
		text = strconv.FormatInt(v.Int(), 10)
	}
	if text[0] == '-' || r.IntN(4) == 0 { // in brackets - excludes
		text = `"` + text + `"`
	}
	return text
}
