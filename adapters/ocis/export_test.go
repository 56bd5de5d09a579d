package ocis

// Earlier is the schema of indexes from before texts were normalized.
var Earlier = earlier
