// Package platforms has no function size on Windows, and a number that 32 bits do not hold.
package platforms

import "math"

const number int = math.MaxUint32

func sizes() int { return size() + number }
