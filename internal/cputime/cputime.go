// Package cputime measures processor time, for tests and benchmarks: unlike the time of
// a clock it does not grow when other programs keep the machine busy.
package cputime
