package bytepack

import "unsafe"

// GroupMost is the bytes of the longest group: a byte with four selectors and then the
// values.
const GroupMost = 1 + 4*4

// groups holds the bytes of a group by its selectors. It stands apart from quads, and
// counts the selectors, because the next group waits for nothing else.
var groups = newGroups()

func newGroups() (t [256]uint8) {
	for s := range t {
		t[s] = 1 + quads[s].at[3]
	}
	return t
}

// Groups unpacks whole groups of four values (group varint, Dean 2009), each plus plus
// mod 2^32, while GroupMost bytes can be read, of data or past its length, and returns
// how many values and bytes that was: more than data has where it is broken. wide is not
// zero if a value has four bytes. dst has a multiple of four elements.
func Groups(dst []uint32, data []byte, plus uint32) (n, used int, wide byte) {
	data = widen(data, GroupMost)
	last := len(data) - GroupMost
	if len(dst) < 4 || last < 0 {
		return 0, 0, 0
	}
	d, out := unsafe.Pointer(&data[0]), unsafe.Slice((*[4]uint32)(unsafe.Pointer(&dst[0])), len(dst)/4)
	for i := range out {
		if used > last {
			return 4 * i, used, wide & 0x55
		}
		at := unsafe.Add(d, used)
		s := *(*uint8)(at)
		used += int(groups[s])
		q, o := &quads[s], &out[i]
		wide |= s & (s >> 1)
		at = unsafe.Add(at, 1)
		o[0] = load(at, 0)&q.masks[0] + plus
		o[1] = load(at, q.at[0])&q.masks[1] + plus
		o[2] = load(at, q.at[1])&q.masks[2] + plus
		o[3] = load(at, q.at[2])&q.masks[3] + plus
	}
	return 4 * len(out), used, wide & 0x55
}

// DocGroups is Groups for gaps less one, which it sums up: dst[i] = dst[i-1] + 1 +
// value[i] mod 2^32, with prev before dst[0].
func DocGroups(dst []uint32, data []byte, prev uint32) (n, used int, wide byte) {
	data = widen(data, GroupMost)
	last := len(data) - GroupMost
	if len(dst) < 4 || last < 0 {
		return 0, 0, 0
	}
	d, out := unsafe.Pointer(&data[0]), unsafe.Slice((*[4]uint32)(unsafe.Pointer(&dst[0])), len(dst)/4)
	for i := range out {
		if used > last {
			return 4 * i, used, wide & 0x55
		}
		at := unsafe.Add(d, used)
		s := *(*uint8)(at)
		used += int(groups[s])
		q, o := &quads[s], &out[i]
		wide |= s & (s >> 1)
		at = unsafe.Add(at, 1)
		prev -= ^(load(at, 0) & q.masks[0])
		o[0] = prev
		prev -= ^(load(at, q.at[0]) & q.masks[1])
		o[1] = prev
		prev -= ^(load(at, q.at[1]) & q.masks[2])
		o[2] = prev
		prev -= ^(load(at, q.at[2]) & q.masks[3])
		o[3] = prev
	}
	return 4 * len(out), used, wide & 0x55
}
