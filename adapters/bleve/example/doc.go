// Package example is one program written twice: with bleve (bleve.go) and with Pinion (pinion.go), which differ in what
// they call and not in what they find. Both add mails, and search them for words, a phrase, a sender
// and a day. Package show prints what they find.
package example

import "time"

// Mail is a document.
type Mail struct {
	From    string    `json:"from"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	Sent    time.Time `json:"sent"`
}

// Mails are the documents, by id.
var Mails = map[string]Mail{
	"1": {"ann@example.org", "Harvest", "The roses came early this year, and no frost came.", day(3)},
	"2": {"bob@example.org", "Re: Harvest", "No rose without a thorn: mine froze.", day(4)},
	"3": {"ann@example.org", "Budget", "Roses are over budget. Thorns are free.", day(9)},
}

func day(n int) time.Time { return time.Date(2026, 11, n, 9, 30, 0, 0, time.UTC) }

// Found are the ids of mails that were found, best first, by what was asked.
type Found map[string][]string
