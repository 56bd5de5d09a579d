package pinion

import "sync"

// vectorMemory is an EmbedCache in memory. What was not asked for while half of the room was filled anew may be forgotten.
type vectorMemory struct {
	room int // in bytes

	mu         sync.Mutex
	young, old map[vectorKey][]float32
	taken      int // bytes of young
}

type vectorKey struct{ model, text string }

// vectorOverhead is about what an entry takes beside its text and vector.
const vectorOverhead = 128

func newVectorMemory(room int) *vectorMemory {
	return &vectorMemory{room: room, young: map[vectorKey][]float32{}}
}

// Get implements EmbedCache.
func (m *vectorMemory) Get(model, text string) []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := vectorKey{model, text}
	if v := m.young[k]; v != nil {
		return v
	}
	v := m.old[k]
	if v != nil {
		m.put(k, v)
	}
	return v
}

// Put implements EmbedCache. There is no error.
func (m *vectorMemory) Put(model, text string, vector []float32) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(vectorKey{model, text}, vector)
	return nil
}

func (m *vectorMemory) put(k vectorKey, v []float32) {
	size := len(k.text) + 4*len(v) + vectorOverhead
	if m.young[k] != nil || size > m.room/2 {
		return
	}
	if m.taken+size > m.room/2 {
		m.old, m.young, m.taken = m.young, map[vectorKey][]float32{}, 0
	}
	m.young[k] = v
	m.taken += size
}
