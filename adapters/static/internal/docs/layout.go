package docs

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"path"

	dom "golang.org/x/net/html"
)

//go:embed web
var web embed.FS

var layout = template.Must(template.ParseFS(web, "web/page.html"))

// view is what the template shows.
type view struct {
	Language, Title, Site     string
	Home, Style, Script, Icon string // URLs
	Search                    string
	Groups                    []viewGroup
	Headings                  []heading
	Content                   template.HTML
	Before, After             *viewLink
}

type viewGroup struct {
	Title string
	Open  bool
	Links []viewLink
}

type viewLink struct {
	Title, URL string
	Current    bool
}

// files returns the files of the site by their names.
func (s *site) files(ctx context.Context) (map[string][]byte, error) {
	files := map[string][]byte{}
	order := s.order()
	for _, p := range s.pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.link(p)
	}
	for i, p := range order {
		text, err := s.render(p, order, i)
		if err != nil {
			return nil, err
		}
		files[p.out] = text
	}
	if files["index.html"] == nil {
		first := order[0]
		files["index.html"] = redirect(relative("index.html", first.out, ""), first.title)
	}
	for name := range s.images {
		content, err := s.root.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name] = content
	}
	for _, name := range []string{"docs.css", "docs.js", "icon.svg"} {
		content, err := web.ReadFile("web/" + name)
		if err != nil {
			return nil, err
		}
		files[path.Join(assets, name)] = content
	}
	return files, nil
}

// redirect returns a page that leads to another one at once.
func redirect(to, title string) []byte {
	to, title = template.HTMLEscapeString(to), template.HTMLEscapeString(title)
	return []byte(`<!doctype html>
<html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=` + to + `"><title>` + title + `</title><a href="` + to + `">` + title + "</a></html>\n")
}

// render returns the HTML of the page at a place of the order.
func (s *site) render(p *page, order []*page, i int) ([]byte, error) {
	var content, out bytes.Buffer
	for n := p.content.FirstChild; n != nil; n = n.NextSibling {
		if err := dom.Render(&content, n); err != nil {
			return nil, err
		}
	}
	to := func(name string) string { return relative(p.out, name, "") }
	v := view{
		Language: s.language, Title: p.title, Site: s.title,
		Home: to(order[0].out), Style: to(assets + "/docs.css"), Script: to(assets + "/docs.js"), Icon: to(assets + "/icon.svg"),
		Content: template.HTML(content.String()),
	}
	if s.options.Search != "" {
		v.Search = to(s.options.Search + "/search.js")
	}
	if len(p.headings) > 1 {
		v.Headings = p.headings
	}
	if i > 0 {
		v.Before = &viewLink{Title: order[i-1].title, URL: to(order[i-1].out)}
	}
	if i < len(order)-1 {
		v.After = &viewLink{Title: order[i+1].title, URL: to(order[i+1].out)}
	}
	for _, g := range s.groups {
		shown := viewGroup{Title: g.title}
		for _, e := range g.entries {
			shown.Open = shown.Open || e.page == p
			shown.Links = append(shown.Links, viewLink{e.title, to(e.page.out), e.page == p})
		}
		v.Groups = append(v.Groups, shown)
	}
	err := layout.Execute(&out, v)
	return out.Bytes(), err
}
