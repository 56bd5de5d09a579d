package osdir

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// maxMappings is how many mappings a process may have, where the system says so (Linux).
var maxMappings = sync.OnceValue(func() int {
	b, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		return math.MaxInt
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || n <= 0 {
		return math.MaxInt
	}
	return n
})

// mappingsPerFile is how many mappings a file takes at most: Scattered of a part that begins
// or ends with the file splits it in two.
const mappingsPerFile = 2

// roomToMap returns an error unless one more file can be mapped. An eighth of the mappings is
// left to the rest of the process: without any the runtime cannot get memory, and ends it.
func roomToMap() error {
	mapped.Lock()
	files := len(mapped.live)
	mapped.Unlock()
	most := maxMappings()
	if files < (most-most/8)/mappingsPerFile {
		return nil
	}
	return fmt.Errorf("%d files are mapped, for more raise vm.max_map_count from %d: %w", files, most, syscall.ENOMEM)
}

// mapError returns err, the error of mapping a file, with the limits that ENOMEM can mean.
func mapError(err error) error {
	if errors.Is(err, syscall.ENOMEM) {
		return fmt.Errorf("the limit of mappings (vm.max_map_count) or of the address space (ulimit -v) is reached: %w", err)
	}
	return err
}
