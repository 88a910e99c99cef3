func run() float64 {
	s := 0.0
	for i := 0; i < 100_000_000; i++ {
		s += float64(i) * 0.5
	}
	return s
}
