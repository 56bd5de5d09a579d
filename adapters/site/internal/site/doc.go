// Package site is a search server over one index in one program: documents come and go over HTTP, searches see a change when
// it has been answered, and it survives a crash from then on. People search on a page that needs no script, which completes what they type where there is one. Command
// pinion-site is this package with flags; the README of the module shows it.
//
//	s, err := site.Open(ctx, "news.idx", site.Options{})
//	listener, err := s.Server().Listen("localhost:8080")
//	err = s.Server().Run(ctx, listener, time.Minute)
//	err = errors.Join(err, s.Close())
//
// Searches, counts and suggestions are those of package httpapi. The files:
//
//	site.go       Site: what is served to whom, metrics
//	documents.go  documents in, and deleted
//	backup.go     backups, to a folder or as a tar archive
//	page.go       the search page: what its templates show
//	shown.go      what of an index it shows
//	asked.go      what it is asked for, as the parameters of its address
//	hits.go       hits and facets
//	words.go      the words of a query
//	advise.go     what may have been meant, and why nothing was found
//	suggest.go    what may be meant by what is being typed
//	start.go      examples of what can be typed
//	templates.go  the templates, and those of an owner
package site
