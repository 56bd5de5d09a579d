// Package reliability tests what docs/reliability.md promises: whatever happens to the
// files of an index, to the disk or to the process, nothing that was committed is lost
// in silence, no answer is wrong in silence, and nothing panics or hangs.
//
//	index_test.go    indexes to damage, and reading all of one
//	mutate_test.go   structures changed behind checksums that hold
//	columns_test.go  the same of columns, and merges that must refuse them
//	kinds_test.go    which errors are damage, and which are not
//	files_test.go    truncated, mixed and missing files, damaged manifests
//	faults_test.go   failing operations, crashes, full disks
//	kill_test.go     processes that are killed
//	many_*_test.go   more indexes and mappings than usual
//	disk_test.go     real disks that are full, and directories that cannot grow
//	memory_test.go   commands whose memory is limited
//	large_test.go    sections of more than 4 GiB
//	segments_test.go as many segments as a commit can hold
//
// go test makes a fiftieth of the trials, .ci/reliability all of them, and the program in
// folder trials the greater counts of docs/trials.md.
package reliability
