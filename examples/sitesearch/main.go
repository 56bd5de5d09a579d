// Sitesearch is a search page over an index that another program changes. What people type is never an error:
//
//	go run ./examples/sitesearch kjv.idx localhost:8080
package main

import (
	"context"
	"fmt"
	"html/template"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

var page = template.Must(template.New("").Funcs(template.FuncMap{"marked": func(h pinion.Hit) template.HTML { return template.HTML(h.HTML("text")) }}).Parse(
	`<!doctype html><form><input name="q" value="{{.Typed}}"></form>
{{range .Words}}<p>Taken as words: {{.}}</p>{{end}}<p>{{.Page.Total}} found</p>
{{range .Page.Hits}}<p>{{.ID}}: {{marked .}}</p>
{{end}}{{if .Page.Next}}<p><a href="?q={{.Typed}}&from={{.Next}}">more</a></p>{{end}}
`))

func search(index pinion.Searcher) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		typed := query.ParseLenient(index.Schema(), r.FormValue("q"))
		from, _ := strconv.Atoi(r.FormValue("from"))
		found, err := index.Search(r.Context(), pinion.Request{Query: typed.Node, Total: true, Offset: max(0, from), Snippet: &pinion.Snippet{}})
		if err != nil {
			http.Error(w, "the search failed", http.StatusInternalServerError)
			log.Print(err)
			return
		}
		err = page.Execute(w, map[string]any{"Typed": r.FormValue("q"), "Words": typed.Words, "Page": &found, "Next": from + len(found.Hits)})
		if err != nil {
			log.Print(err)
		}
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sitesearch DIR ADDRESS")
		os.Exit(2)
	}
	index, err := pinion.OpenReader(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", l.Addr())
	log.Fatal(http.Serve(l, search(index)))
}
