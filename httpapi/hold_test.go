package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/pinion-index/pinion/httpapi"
)

// What answers hold is given back, and of what is too much the error says whether to come again.
func TestMemory(t *testing.T) {
	m := httpapi.NewMemory(100)
	one, release := m.Begin(t.Context(), 80)
	if err := httpapi.Hold(one, 60); err != nil || m.Held() != 60 {
		t.Fatalf("%v, %d bytes", err, m.Held())
	}
	other, end := m.Begin(t.Context(), 80)
	if e := httpapi.ErrorOf(httpapi.Hold(other, 50)); e.Status != http.StatusTooManyRequests || e.Code != httpapi.CodeBusy {
		t.Errorf("beside others: %+v", e)
	}
	end()
	if e := httpapi.ErrorOf(httpapi.Hold(one, 60)); e.Status != http.StatusRequestEntityTooLarge || e.Code != httpapi.CodeTooLarge {
		t.Errorf("more than all may hold: %+v", e)
	}
	release()
	if err := httpapi.Hold(t.Context(), 1000); err != nil || m.Held() != 0 {
		t.Errorf("%v without a Memory; %d bytes are held", err, m.Held())
	}
}
