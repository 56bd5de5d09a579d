package httpapi

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// buckets are the upper bounds of the histograms, in seconds.
var buckets = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// metrics are what /metrics shows.
type metrics struct {
	mu     sync.Mutex
	routes map[string]*routeMetrics
	failed map[string]uint64 // by code
}

// routeMetrics are those of one route.
type routeMetrics struct {
	status  map[int]uint64
	buckets []uint64 // how many took as long as the bound of each and no longer than the one before; the last one more
	seconds float64
}

func newMetrics() *metrics {
	return &metrics{routes: map[string]*routeMetrics{}, failed: map[string]uint64{}}
}

// add makes a route be shown before its first request.
func (m *metrics) add(route string) {
	m.routes[route] = &routeMetrics{status: map[int]uint64{}, buckets: make([]uint64, len(buckets)+1)}
}

// observe notes that a request was answered.
func (m *metrics) observe(route string, status int, took time.Duration) {
	seconds := took.Seconds()
	i, _ := slices.BinarySearch(buckets, seconds)
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.routes[route]
	r.status[status]++
	r.buckets[i]++
	r.seconds += seconds
}

// fail notes an error by its code.
func (m *metrics) fail(code string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed[code]++
}

// write writes m in the text format of Prometheus.
func (m *metrics) write(b *bytes.Buffer, inFlight int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head := func(name, kind, help string) { fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	routes := slices.Sorted(maps.Keys(m.routes))

	head("pinion_http_requests_total", "counter", "Requests by route and status.")
	for _, name := range routes {
		r := m.routes[name]
		for _, status := range slices.Sorted(maps.Keys(r.status)) {
			fmt.Fprintf(b, "pinion_http_requests_total{route=%q,status=\"%d\"} %d\n", name, status, r.status[status])
		}
	}
	head("pinion_http_errors_total", "counter", "Errors by code, those of lines of batches included.")
	for _, code := range slices.Sorted(maps.Keys(m.failed)) {
		fmt.Fprintf(b, "pinion_http_errors_total{code=%q} %d\n", code, m.failed[code])
	}
	head("pinion_http_request_duration_seconds", "histogram", "How long requests took, by route.")
	for _, name := range routes {
		r := m.routes[name]
		n := uint64(0)
		for i, count := range r.buckets {
			n += count
			bound := "+Inf"
			if i < len(buckets) {
				bound = strconv.FormatFloat(buckets[i], 'g', -1, 64)
			}
			fmt.Fprintf(b, "pinion_http_request_duration_seconds_bucket{route=%q,le=%q} %d\n", name, bound, n)
		}
		fmt.Fprintf(b, "pinion_http_request_duration_seconds_sum{route=%q} %v\n", name, r.seconds)
		fmt.Fprintf(b, "pinion_http_request_duration_seconds_count{route=%q} %d\n", name, n)
	}
	head("pinion_http_in_flight", "gauge", "Requests that are being answered.")
	fmt.Fprintf(b, "pinion_http_in_flight %d\n", inFlight)
}

func (s *Server) writeMetrics(w *recorder, _ *http.Request) (any, error) {
	var b bytes.Buffer
	s.metrics.write(&b, s.inFlight.Load())
	if s.o.Metrics != nil {
		s.o.Metrics(&b)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(b.Bytes())
	return nil, nil
}
