// Package bench promises that every figure of the limiter's goals is measured in
// one run beside those that it is compared with, on this machine, today. It is a
// module of its own, so that nobody else downloads the libraries it compares.
//
//	examples/limiter/bench/run [-short]
//
// prints each goal's target, bound and figure. It never fails: a busy machine is
// no mistake in the code.
package bench
