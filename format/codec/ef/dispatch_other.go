package ef

func join(dst, p []uint32, base uint32, width uint) bool { return joinPortable(dst, p, base, width) }
