// Package bench measures what users wait for and what operators pay for: its
// benchmarks run a whole host over loopback, beside the simplest program that could
// do the same (BenchmarkTable runs both as processes in turns), and its soak test
// kills that host while many subscribers verify its events. RESULTS.md has the
// numbers and their commands.
package bench
