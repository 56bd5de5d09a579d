package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/pace"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// buildLarge writes an index of one document, whose text is so long.
func buildLarge(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "large.idx")
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: schema.Implicit("", "", true)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(t.Context(), writer.Text([]byte("large"), []byte(strings.Repeat("lorem ipsum ", n/12)))); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mostPage is less than what the page of that document has.
const mostPage = 200 << 10

// dial sends the beginning of a request and returns what comes of the answer until the server cuts it off.
func dial(t *testing.T, h *httptest.Server, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	if err == nil {
		_, err = io.WriteString(c, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	return c
}

func setPatience(t *testing.T, d time.Duration) {
	was := pace.Patience
	pace.Patience = d
	t.Cleanup(func() { pace.Patience = was })
}

// Clients that do not read their pages are cut off, and hold nothing then. Bodies that trickle are not waited for.
func TestSlowClients(t *testing.T) {
	dir := buildLarge(t, 1<<20)
	s, err := New(Options{Index: dir, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	done := make(chan int64, 10)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		done <- s.pool.Held()
	}))
	defer h.Close()
	status, page := get(t, h.URL+"/secret/doc?doc=0")
	if <-done; status != 200 || len(page) < mostPage {
		t.Fatalf("%d, %d bytes", status, len(page))
	}
	setPatience(t, -time.Hour) // what sockets take at once counts for less
	for range 4 {
		c := dial(t, h, "GET /secret/doc?doc=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if held := <-done; held != 0 {
			t.Errorf("%d bytes are held", held)
		}
		if data, _ := io.ReadAll(c); len(data) >= mostPage {
			t.Errorf("%d bytes", len(data))
		}
	}
	setPatience(t, 50*time.Millisecond)
	for _, head := range []string{"GET /secret/", "POST /secret/verify"} {
		c := dial(t, h, head+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nx")
		if data, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(data), "HTTP/1.1 ") {
			t.Errorf("%s: %v, %.100s", head, err, data)
		}
		<-done
	}
}

// A page that is too large, or too much beside others, is an error that says so, and so are too many requests.
func TestPageLimits(t *testing.T) {
	dir := buildLarge(t, mostPage)
	s, err := New(Options{Index: dir, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	page := func(path string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/secret/"+path, nil)
		r.Host = "localhost"
		s.ServeHTTP(w, r)
		return w
	}
	s.pool = budget.NewPool(1 << 17)
	if w := page("doc?doc=0"); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "more than 131072 bytes") {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
	if w := page("terms"); w.Code != 200 || s.pool.Held() != 0 {
		t.Errorf("%d, %d held", w.Code, s.pool.Held())
	}
	s.inFlight.Store(mostInFlight)
	if w := page(""); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %.200s", w.Code, fmt.Sprint(w.Header()))
	}
}
