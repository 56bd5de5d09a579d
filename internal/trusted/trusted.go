// Package trusted marks the methods of public types that only this module may call:
// those that hand out memory of mapped files, which a caller that gets the life of a
// snapshot wrong reads after it is gone.
package trusted

// Caller is an argument of such a method. Other modules can neither name nor make one.
type Caller struct{ _ struct{} }
