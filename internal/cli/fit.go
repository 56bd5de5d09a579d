package cli

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// leastText is how many columns a cell of text keeps when its table is made narrower.
const leastText = 8

// fit returns heads and rows that need at most width columns, where breaking heads and
// shortening cells of text does that, and whether a cell was shortened.
func (t *Table) fit(width int) (heads table.Row, rows []table.Row, short bool) {
	body, whole := t.widths()
	excess := -2 - width
	for i := range whole {
		excess += max(body[i], whole[i]) + 2
	}
	if excess <= 0 {
		return t.heads, t.rows, false
	}
	heads = slices.Clone(t.heads)
	excess = -2 - width
	least := make([]int, len(heads))
	for i, h := range heads {
		for word := range strings.FieldsSeq(h.(string)) {
			least[i] = max(least[i], textWidth(word))
		}
		lines := Lines(h.(string), max(body[i], least[i]))
		heads[i] = strings.Join(lines, "\n")
		body[i] = max(body[i], least[i])
		excess += body[i] + 2
	}
	for ; excess > 0; excess-- {
		widest := -1
		for i, n := range body {
			if t.align[i].Align == text.AlignLeft && n > max(least[i], leastText) && (widest < 0 || n > body[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		body[widest]--
		short = true
	}
	if !short {
		return heads, t.rows, false
	}
	for _, r := range t.rows {
		r = slices.Clone(r)
		for i, c := range r[:min(len(r), len(body))] {
			if t.align[i].Align == text.AlignLeft {
				r[i] = text.Snip(c.(string), body[i], "…")
			}
		}
		rows = append(rows, r)
	}
	return heads, rows, true
}

// widths returns the columns that the cells and the head of each column need.
func (t *Table) widths() (body, heads []int) {
	body = make([]int, len(t.heads))
	for _, h := range t.heads {
		heads = append(heads, textWidth(h.(string)))
	}
	for _, r := range t.rows {
		for i, c := range r[:min(len(r), len(body))] {
			body[i] = max(body[i], textWidth(c.(string)))
		}
	}
	return body, heads
}
