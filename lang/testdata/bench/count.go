func run() float64 {
	counts := map[int]int{}
	x := uint32(1)
	for range 5_000_000 {
		x = x*1664525 + 1013904223
		counts[int(x>>12)%50_000]++
	}
	return float64(len(counts))
}
