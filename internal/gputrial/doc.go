// Package gputrial creates synthetic collections and answers queries by brute force. The
// tests of internal/gpu compare a device with it.
//
//	collection.go  segments of drawn posting lists, for any codec
//	answer.go      drawn queries and their answers
package gputrial
