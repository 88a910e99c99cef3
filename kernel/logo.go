package kernel

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The logo is a sounding line: waves at the surface, a line with its marks, a
// lead at the end. It is drawn in a box of 64 units, once as SVG and once by
// inkAt; a test holds the two together.

const logoSVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
  <title>Fathom</title>
  <rect width="64" height="64" rx="14" fill="#0b3d5c"/>
  <path d="M8 18q6-6 12 0t12 0t12 0t12 0" fill="none" stroke="#4fb6d8" stroke-width="4"/>
  <g fill="#ffffff">
    <rect x="30.5" y="18" width="3" height="26"/>
    <rect x="26" y="25.5" width="12" height="2"/>
    <rect x="26" y="32.5" width="12" height="2"/>
  </g>
  <path d="M32 38l7 11h-14z" fill="#f2b33d"/>
  <circle cx="32" cy="49" r="7" fill="#f2b33d"/>
</svg>
`

var (
	logoSea  = color.NRGBA{0x0b, 0x3d, 0x5c, 0xff}
	logoWave = color.NRGBA{0x4f, 0xb6, 0xd8, 0xff}
	logoLine = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	logoLead = color.NRGBA{0xf2, 0xb3, 0x3d, 0xff}
)

// inkAt returns the logo's colour at a point of the box.
func inkAt(x, y float64) color.NRGBA {
	box := func(left, top, width, height float64) bool {
		return x >= left && x < left+width && y >= top && y < top+height
	}
	switch {
	case math.Hypot(x-32, y-49) < 7, y >= 38 && y < 49 && math.Abs(x-32) < (y-38)*7/11:
		return logoLead
	case box(30.5, 18, 3, 26), box(26, 25.5, 12, 2), box(26, 32.5, 12, 2):
		return logoLine
	case waveDistance(x, y) < 2:
		return logoWave
	}
	cx, cy := math.Min(math.Max(x, 14), 50), math.Min(math.Max(y, 14), 50)
	if math.Hypot(x-cx, y-cy) < 14 || cx == x && cy == y {
		return logoSea
	}
	return color.NRGBA{}
}

// waveDistance is the distance to the wave, four parabolas 12 wide and 3 high,
// by its slope: exact enough for a stroke.
func waveDistance(x, y float64) float64 {
	if x < 8 || x > 56 {
		return math.Inf(1)
	}
	n := math.Min(math.Floor((x-8)/12), 3)
	t := (x-8)/12 - n
	sign := -1.0
	if int(n)%2 == 1 {
		sign = 1
	}
	slope := sign * (1 - 2*t) // 12 t (1-t) derived by x
	return math.Abs(y-18-sign*12*t*(1-t)) / math.Hypot(1, slope)
}

// logoPNG renders the logo as a PNG of size × size pixels, with 8 × 8 samples
// a pixel.
func logoPNG(size int) []byte {
	const n = 8
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	unit := 64 / float64(size) / n
	for py := range size {
		for px := range size {
			var r, g, b, a float64
			for sy := range n {
				for sx := range n {
					c := inkAt((float64(px*n+sx)+0.5)*unit, (float64(py*n+sy)+0.5)*unit)
					w := float64(c.A) / 255
					r, g, b, a = r+w*float64(c.R), g+w*float64(c.G), b+w*float64(c.B), a+w
				}
			}
			if a > 0 {
				img.SetNRGBA(px, py, color.NRGBA{uint8(r/a + 0.5), uint8(g/a + 0.5), uint8(b/a + 0.5), uint8(255*a/(n*n) + 0.5)})
			}
		}
	}
	var buf bytes.Buffer
	png.Encode(&buf, img) // cannot fail on a Buffer
	return buf.Bytes()
}
