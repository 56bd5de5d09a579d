package mallia

import (
	"context"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestOver divides by one rate of the CPU's codec at each length, for all codecs of the GPU.
func TestOver(t *testing.T) {
	var cpu, gpu []paper.Row
	for i, m := range methods {
		for log := 16; log <= 17; log++ {
			if m.gpu {
				gpu = append(gpu, row3(speed, m, log, 1e9*float64(log)), row3("with the launch", m, log, 1e6))
			} else {
				cpu = append(cpu, row3(speed, m, log, 1e6*float64(1+i)))
			}
		}
	}
	rows := over(gpu, cpu)
	if len(rows) != 4*2*2 {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	want := map[string]map[string]float64{"over CPU": {"GPU-BP128": 1, "GPU-BP256": 1, "GPU-VByte128": 5, "GPU-VByte1024": 5},
		"over SIMD": {"GPU-BP128": 2, "GPU-BP256": 2, "GPU-VByte128": 6, "GPU-VByte1024": 6}}
	for _, r := range rows {
		log := map[string]float64{"2^16": 16, "2^17": 17}[r.At]
		if r.Value != 1e3*log/want[r.Metric][r.Series] {
			t.Errorf("%+v, want %g", r, 1e3*log/want[r.Metric][r.Series])
		}
	}
}

// TestOnCore3 measures the CPU's codecs once for figure 3 and table 3.
func TestOnCore3(t *testing.T) {
	e := &paper.Env{Scale: 1. / 512, Small: true, Time: time.Microsecond}
	first, err := figure3.CPU(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	again, err := onCore3(t.Context(), e, all3[0])
	if err != nil || len(again) != 4 {
		t.Fatalf("%d rows (%v), want 4", len(again), err)
	}
	for i, r := range again {
		if r != first[i] {
			t.Errorf("%+v in figure 3, %+v in table 3", first[i], r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = each3(ctx, e, all3[0], func(int, []format.Postings) error { cancel(); return nil })
	if err == nil {
		t.Error("lists of a run that is canceled: no error")
	}
}
