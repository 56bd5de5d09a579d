package format

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestSections holds the table of sections against the one of FORMAT.md.
func TestSections(t *testing.T) {
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text2, _ := strings.Cut(string(text), "\n| id | name | in | required |\n")
	table, _, _ := strings.Cut(text2, "\n\n")
	rows := strings.Split(table, "\n")[1:]
	next, names := SectionID(1), map[string]bool{}
	shown := 0
	for range Sections() {
		shown++
	}
	for _, row := range sections {
		if next == 23 { // which FORMAT.md says is free
			next++
		}
		if row.ID != next || row.Name == "" || names[row.Name] || row.ID.String() != row.Name {
			t.Fatalf("row %d has id %d and name %q", next, row.ID, row.Name)
		}
		next = row.ID + 1
		names[row.Name] = true
		if !row.Reserved {
			shown--
		} else if row.Required || row.Hot || row.Side != 0 || row.ID.Flags() != 0 {
			t.Errorf("%s is reserved and %+v", row.Name, row)
		}
		if !row.Reserved && (row.Kind == KindSegment) != (row.Hot || row.Side != 0) {
			t.Errorf("%s: side %d, hot %t, in a file of kind %s", row.Name, row.Side, row.Hot, row.Kind)
		}
		if row.Length.Implied != nil && (row.Length.Multiple != 0 || row.Length.Least != 0) {
			t.Errorf("%s: two rules of the length", row.Name)
		}
		required := "no"
		if row.Required {
			required = "yes"
		}
		if row.Reserved {
			required = "reserved"
		}
		name := strings.ToUpper(strings.ReplaceAll(row.Name, "-", ""))
		want := "| " + strings.Join([]string{strconv.Itoa(int(row.ID)), name, row.Kind.String(), required}, " | ") + " |"
		if len(rows) == 0 || rows[0] != want {
			t.Fatalf("FORMAT.md: row %q is missing", want)
		}
		rows = rows[1:]
	}
	if len(rows) > 0 {
		t.Errorf("FORMAT.md has rows that the table lacks: %q", rows)
	}
	if shown != 0 {
		t.Errorf("Sections has %d rows too many", shown)
	}
	if s := next.String(); s != "section "+strconv.Itoa(int(next)) || next.Flags() != 0 {
		t.Errorf("an unknown section is called %q and has flags %d", s, next.Flags())
	}
}
