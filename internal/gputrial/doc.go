// Package gputrial makes synthetic collections and answers queries over them by brute
// force: what the tests of gpuload compare a device with.
//
//	collection.go  segments of drawn posting lists, for any codec
//	answer.go      drawn queries and their answers
package gputrial
