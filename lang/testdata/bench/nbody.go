type body struct{ x, y, z, vx, vy, vz, mass float64 }

func advance(bs []body, dt float64) {
	for i := range bs {
		a := &bs[i]
		for j := i + 1; j < len(bs); j++ {
			b := &bs[j]
			dx, dy, dz := a.x-b.x, a.y-b.y, a.z-b.z
			d2 := dx*dx + dy*dy + dz*dz
			mag := dt / (d2 * math.Sqrt(d2))
			a.vx -= dx * b.mass * mag
			a.vy -= dy * b.mass * mag
			a.vz -= dz * b.mass * mag
			b.vx += dx * a.mass * mag
			b.vy += dy * a.mass * mag
			b.vz += dz * a.mass * mag
		}
	}
	for i := range bs {
		b := &bs[i]
		b.x += dt * b.vx
		b.y += dt * b.vy
		b.z += dt * b.vz
	}
}

func energy(bs []body) float64 {
	var e float64
	for i, b := range bs {
		e += 0.5 * b.mass * (b.vx*b.vx + b.vy*b.vy + b.vz*b.vz)
		for _, c := range bs[i+1:] {
			dx, dy, dz := b.x-c.x, b.y-c.y, b.z-c.z
			e -= b.mass * c.mass / math.Sqrt(dx*dx+dy*dy+dz*dz)
		}
	}
	return e
}

func run() float64 {
	bs := []body{{0, 0, 0, 0, 0, 0, 39.47}, {4.84, -1.16, -0.1, 0.6, 2.8, -0.02, 0.037}, {8.34, 4.12, -0.4, -1.01, 1.8, 0.008, 0.011}, {12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017}, {15.37, -25.9, 0.17, 0.97, 0.59, -0.03, 0.002}}
	for range 1_000_000 {
		advance(bs, 0.01)
	}
	return energy(bs)
}
