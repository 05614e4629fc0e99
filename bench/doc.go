// Package bench measures what users wait for and what operators pay for: its
// benchmarks drive a whole host over loopback, beside the simplest program that
// could do the same (BenchmarkTable has both as processes in turns), and its soak kills that host under many verifying
// subscribers. RESULTS.md has the numbers and the commands that make them.
package bench
