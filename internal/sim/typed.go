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
// field is only a column.
func (d *treeDrawer) typed() (query.Node, *oracle.Node) {
	columns := slices.DeleteFunc(slices.Clone(d.columns), func(i int) bool { return d.schema.Fields[i].Indexing() != schema.IndexNone })
	if len(columns) == 0 || len(d.fields) == 0 {
		return nil, nil
	}
	o := &oracle.Node{Kind: oracle.Bool}
	var parts []string
	add := func(text, sign string) { parts = append(parts, sign+text) }
	switch d.IntN(4) {
	case 0: // alternatives
		word, of := d.typedWord()
		column, in := d.typedColumn(columns[d.IntN(len(columns))])
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
			column, in := d.typedColumn(columns[d.IntN(len(columns))])
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
	n, err := query.ParseText(d.schema, text)
	if err != nil {
		panic(fmt.Sprintf("%q: %v", text, err))
	}
	return n, o
}

// spelled returns the name of a field as the language has it.
func spelled(name string) string { return strings.ReplaceAll(name, " ", `\ `) }

// typedWord draws a word or a phrase in a field.
func (d *treeDrawer) typedWord() (string, *oracle.Node) {
	if d.IntN(3) == 0 {
		n, of := d.phrase()
		if p, ok := n.(query.Phrase); ok && len(p.Terms) == 0 {
			return typedPhrase(&p), of
		}
	}
	f, word := d.field(), fmt.Sprintf("w%d", d.IntN(1<<(1+d.IntN(8))))
	return spelled(f.Name) + ":" + word, &oracle.Node{Kind: oracle.Bool, Must: wordNodes(f, word)}
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

// typedColumn draws what a document must have in a column.
func (d *treeDrawer) typedColumn(field int) (string, *oracle.Node) {
	v, least := d.some(field)
	w, most := d.some(field)
	low, high := typedValue(d.Rand, v), typedValue(d.Rand, w)
	form := []struct {
		text string
		is   func(x any) bool
	}{
		{low, func(x any) bool { return x == least }},
		{"=" + low, func(x any) bool { return x == least }},
		{">=" + low, func(x any) bool { return compareValues(x, least) >= 0 }},
		{">" + low, func(x any) bool { return compareValues(x, least) > 0 }},
		{"<" + high, func(x any) bool { return compareValues(x, most) < 0 }},
		{"<=" + high, func(x any) bool { return compareValues(x, most) <= 0 }},
		{low + ".." + high, func(x any) bool { return compareValues(x, least) >= 0 && compareValues(x, most) <= 0 }},
		{low + "<..<" + high, func(x any) bool { return compareValues(x, least) > 0 && compareValues(x, most) < 0 }},
		{"*", func(any) bool { return true }},
		{"(" + low + " OR " + high + ")", func(x any) bool { return x == least || x == most }},
		{"(" + low + " >" + high + ")", func(x any) bool { return x == least || compareValues(x, most) > 0 }},
	}[d.IntN(11)]
	f := &d.schema.Fields[field]
	values := d.values[f.Name]
	return spelled(f.Name) + ":" + form.text, &oracle.Node{Kind: oracle.Set, Has: func(doc uint32) bool { return slices.ContainsFunc(values[doc], form.is) }}
}

// typedValue returns a value as the language has it: in quotes, or as it is.
func typedValue(r *rand.Rand, v schema.Value) (text string) {
	switch v.Kind {
	case schema.KindKeyword:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(v.Bytes())) + `"`
	case schema.KindFloat:
		text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case schema.KindTime:
		text = v.Time().Format(time.RFC3339Nano)
	default:
		text = strconv.FormatInt(v.Int(), 10)
	}
	if text[0] == '-' || r.IntN(4) == 0 { // in brackets - excludes
		text = `"` + text + `"`
	}
	return text
}
