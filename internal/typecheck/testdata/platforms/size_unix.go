//go:build unix

package platforms

func size() int { return 1 }
