package idxquery

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/gpu"
)

// TestSayLeft prints why the CPU has answered queries.
func TestSayLeft(t *testing.T) {
	var text bytes.Buffer
	sayLeft(&text, gpu.Reasoned{gpu.ReasonColumns: 3, gpu.ReasonNoDevice: 1})
	if got := text.String(); got != "the CPU answered 3 queries (columns): it is sorted, counted or collapsed by columns\n"+
		"the CPU answered 1 query (no device): the device does not answer yet, or no more\n" {
		t.Errorf("%s", got)
	}
}

// TestAddSteps prints the trace of a query that a device could not end, and of one that the CPU had
// no part in.
func TestAddSteps(t *testing.T) {
	plan := gpu.Plan{Terms: []gpu.PlannedTerm{{Term: "rare", Postings: 5000, Resident: true}, {Term: "common", Postings: 70000}}}
	onGPU := gpu.Step{Choice: gpu.StepRest, State: gpu.StepState{Done: 1, Terms: 2, Length: 5000, Next: 70000}, Loaded: 70000}
	var whole Trace
	whole.addSteps(&gpu.StepTrace{Plan: plan, Steps: []gpu.Step{onGPU}})
	if !whole.onGPU || whole.Failed != "" || len(whole.Terms) != 2 || !whole.Terms[0].Resident || !strings.HasPrefix(whole.Device, "0 hits of rare 5000, common 70000 to load\n") {
		t.Errorf("on the GPU alone: %+v", whole)
	}
	why := gpu.Reasons()[0]
	var failed Trace
	failed.addSteps(&gpu.StepTrace{Plan: plan, Failed: errors.New("it broke"),
		Steps: []gpu.Step{onGPU, {Choice: gpu.StepCPU, Whole: true, Why: why}}})
	if failed.onGPU || failed.Steps[1].Why != why.String() {
		t.Errorf("on both: %+v", failed)
	}
	var text bytes.Buffer
	writeSteps(&text, &text, &failed)
	for _, want := range []string{"the GPU failed: it broke\n", "common    70,000  no\n", "rare       5,000  yes\n", "  " + why.String() + "  "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
