package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/pinion-index/pinion"
)

// metrics count and time what an index tells of.
type metrics struct {
	took     *prometheus.HistogramVec // by kind of event
	failures *prometheus.CounterVec   // likewise
	merges   prometheus.Counter
	merged   prometheus.Counter
	purged   prometheus.Counter
	commit   prometheus.Gauge
	docs     prometheus.Gauge
}

// timed are the kinds of events that take time.
var timed = []pinion.EventKind{pinion.EventPublish, pinion.EventCommit, pinion.EventRefresh, pinion.EventSlow}

func newMetrics(r prometheus.Registerer) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "pinion", Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "pinion", Name: name, Help: help})
	}
	m := &metrics{
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "pinion", Name: "event_duration_seconds",
			Help:    "How long publications, commits, refreshes and slow searches took.",
			Buckets: prometheus.ExponentialBuckets(1e-4, 4, 9), // to 6.5 s
		}, []string{"kind"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "pinion", Name: "failures_total", Help: "What failed, by kind of event; damage among them.",
		}, []string{"kind"}),
		merges: counter("merges_total", "Merges in the background."),
		merged: counter("merged_documents_total", "Documents in segments that merges wrote."),
		purged: counter("purged_documents_total", "Deleted documents that merges left out."),
		commit: gauge("commit", "Number of the newest commit that searches see."),
		docs:   gauge("documents", "Documents that searches see."),
	}
	for _, k := range timed { // so that they are there before the first event
		m.took.WithLabelValues(k.String())
	}
	for k := pinion.EventPublish; k <= pinion.EventFault; k++ {
		m.failures.WithLabelValues(k.String())
	}
	r.MustRegister(m.took, m.failures, m.merges, m.merged, m.purged, m.commit, m.docs)
	return m
}

// observe is for pinion.Options.Observe.
func (m *metrics) observe(e pinion.Event) {
	kind := e.Kind.String()
	if e.Err != nil {
		m.failures.WithLabelValues(kind).Inc()
	}
	switch e.Kind {
	case pinion.EventPublish, pinion.EventCommit, pinion.EventRefresh, pinion.EventSlow:
		m.took.WithLabelValues(kind).Observe(e.Took.Seconds())
		m.state(e.Commit, e.Docs)
	case pinion.EventMerge:
		if e.Err == nil {
			m.merges.Inc()
			m.merged.Add(float64(e.Merge.Docs))
			m.purged.Add(float64(e.Merge.Purged))
		}
	}
}

// state says what searches see.
func (m *metrics) state(commit, docs uint64) {
	m.commit.Set(float64(commit))
	m.docs.Set(float64(docs))
}
