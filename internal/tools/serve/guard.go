package serve

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/pinion-index/pinion/httpapi"
)

// NewToken returns a random token of 130 bits.
func NewToken() string { return strings.ToLower(rand.Text()) }

// contentPolicy lets pages load the server's own style and script, and nothing else.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard lets only requests pass that know the token, which is the first element of the
// path, and that name this host. A page elsewhere whose host name is made to resolve to
// this address (DNS rebinding) has a Host header of its own.
func guard(token string, hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !httpapi.LocalHost(r.Host, hosts) {
			http.Error(w, "This host name is not served: open the address that idxinspect printed.", http.StatusMisdirectedRequest)
			return
		}
		first, rest, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if subtle.ConstantTimeCompare([]byte(first), []byte(token)) != 1 {
			http.Error(w, "The token is missing: open the address that idxinspect printed.", http.StatusForbidden)
			return
		}
		if !found {
			http.Redirect(w, r, "/"+token+"/", http.StatusMovedPermanently)
			return
		}
		if r.Method == http.MethodPost && r.Header.Get("Sec-Fetch-Site") != "" && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
			http.Error(w, "The request comes from another page.", http.StatusForbidden)
			return
		}
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/"+rest, ""
		next.ServeHTTP(w, r)
	})
}
