package gpubench

import (
	"fmt"
	"io"
	"strings"
)

// Row is one figure.
type Row struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Bound float64 `json:"bound,omitempty"` // the ceiling in the same unit, 0 if none
	Goal  float64 `json:"goal,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// Print writes rows as a table.
func Print(w io.Writer, rows []Row) {
	fmt.Fprintf(w, "%-44s %12s %-12s %9s %7s %9s  %s\n", "figure", "value", "unit", "bound", "of it", "goal", "note")
	for _, r := range rows {
		bound, of, goal := "", "", ""
		if r.Bound > 0 {
			bound, of = number(r.Bound), fmt.Sprintf("%.0f%%", 100*r.Value/r.Bound)
		}
		if r.Goal > 0 {
			goal = number(r.Goal)
		}
		fmt.Fprintf(w, "%-44s %12s %-12s %9s %7s %9s  %s\n", r.Name, number(r.Value), r.Unit, bound, of, goal, r.Note)
	}
}

func number(v float64) string {
	if v >= 1000 || v == float64(int64(v)) {
		return fmt.Sprintf("%.0f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.3g", v), ".0")
}
