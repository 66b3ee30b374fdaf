// Package bench measures every figure of the limiter's goals, in one run and beside
// the libraries that it is compared with. It is a module of its own, so that users of
// the limiter do not download those libraries.
//
//	examples/limiter/bench/run [-short]
//
// prints each goal's target, bound and figure. It never fails: a busy machine is
// no mistake in the code.
package bench
