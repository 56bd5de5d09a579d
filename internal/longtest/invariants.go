//go:build invariants

package longtest

const checked = true
