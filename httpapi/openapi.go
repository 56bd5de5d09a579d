package httpapi

import (
	_ "embed"
	"net/http"
)

// openAPIDocument describes the routes. A test writes it from the types and their comments.
//
//go:embed openapi.json
var openAPIDocument []byte

func (s *Server) openAPI(w *recorder, _ *http.Request) (any, error) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(openAPIDocument)
	return nil, nil
}
