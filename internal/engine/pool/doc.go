// Package pool answers queries on several goroutines, by one of the parallel models of Tatikonda
// 2011. A Pool is a search.Executor that gives the same results as its search.Searcher, to the bit.
//
//	model.go               the models
//	pool.go                Pool: options, queries in, answers out
//	job.go                 a query in the Pool
//	split.go               cutting a query into tasks
//	worker.go              the goroutines that take queries and tasks
//	ring.go                the queues between them
//	idle.go, workerset.go  workers without work: spinning, sleeping, waking
//	box.go                 how a spinning worker is given a query
//	share.go               sharing the CPUs with who submits queries, and with a GPU's goroutines
//	sleeper.go, futex*.go  how a goroutine sleeps and is woken
//	relax*                 the spin-wait instruction
//
// What executes a query or a task is in package query, internal/engine.
package pool
