func evalA(i, j int) float64 { return 1 / float64((i+j)*(i+j+1)/2+i+1) }

func times(v, u []float64) {
	for i := range v {
		var a float64
		for j := range u {
			a += evalA(i, j) * u[j]
		}
		v[i] = a
	}
}

func timesTransposed(v, u []float64) {
	for i := range v {
		var a float64
		for j := range u {
			a += evalA(j, i) * u[j]
		}
		v[i] = a
	}
}

func run() float64 {
	n := 1000
	u, v, w := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = 1
	}
	for range 10 {
		times(w, u)
		timesTransposed(v, w)
		times(w, v)
		timesTransposed(u, w)
	}
	var vBv, vv float64
	for i := range v {
		vBv += u[i] * v[i]
		vv += v[i] * v[i]
	}
	return math.Sqrt(vBv / vv)
}
