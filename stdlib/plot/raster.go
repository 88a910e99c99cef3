package plot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// raster is vgimg's canvas made quick for many points. vgimg draws each path
// with a rasterizer whose cost grows with the square of what one path puts into
// a row of pixels: a line of 10^5 points took a minute and a half. Here long
// lines are drawn in pieces, and small discs and rings straight into the
// picture.
type raster struct {
	*vgimg.Canvas
	img    *image.RGBA
	scale  float64 // pixels a point
	states []rasterState
}

type rasterState struct {
	color  color.Color
	width  vg.Length
	dashed bool
	moved  bool // a transform is in force, which discs do not know
}

// pixelsPerInch is two pixels to the CSS pixel.
const pixelsPerInch = 192

func newRaster(w, h vg.Length) *raster {
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pixelsPerInch))
	img, _ := c.Image().(*image.RGBA)
	return &raster{Canvas: c, img: img, scale: pixelsPerInch / 72.0, states: []rasterState{{color: color.Black, width: 1}}}
}

func (r *raster) top() *rasterState { return &r.states[len(r.states)-1] }

func (r *raster) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	r.top().color = c
	r.Canvas.SetColor(c)
}

func (r *raster) SetLineWidth(w vg.Length) { r.top().width = w; r.Canvas.SetLineWidth(w) }

func (r *raster) SetLineDash(d []vg.Length, offset vg.Length) {
	r.top().dashed = len(d) > 0
	r.Canvas.SetLineDash(d, offset)
}

func (r *raster) Push()                { r.states = append(r.states, *r.top()); r.Canvas.Push() }
func (r *raster) Pop()                 { r.states = r.states[:len(r.states)-1]; r.Canvas.Pop() }
func (r *raster) Rotate(a float64)     { r.top().moved = true; r.Canvas.Rotate(a) }
func (r *raster) Translate(p vg.Point) { r.top().moved = true; r.Canvas.Translate(p) }
func (r *raster) Scale(x, y float64)   { r.top().moved = true; r.Canvas.Scale(x, y) }

func (r *raster) Fill(p vg.Path) {
	if at, radius, ok := r.disc(p); ok {
		r.stamp(at, radius, -1)
		return
	}
	r.Canvas.Fill(p)
}

// pieceLength is the number of segments of a long line that are drawn at once.
const pieceLength = 64

func (r *raster) Stroke(p vg.Path) {
	s := r.top()
	if at, radius, ok := r.disc(p); ok && !s.dashed {
		r.stamp(at, radius, float64(s.width)*r.scale)
		return
	}
	if len(p) <= 4*pieceLength || s.dashed {
		r.Canvas.Stroke(p)
		return
	}
	for _, c := range p {
		if c.Type != vg.MoveComp && c.Type != vg.LineComp {
			r.Canvas.Stroke(p)
			return
		}
	}
	for i := 0; i < len(p)-1; i += pieceLength {
		piece := append(vg.Path{}, p[i:min(len(p), i+pieceLength+1)]...)
		piece[0].Type = vg.MoveComp
		r.Canvas.Stroke(piece)
	}
}

// disc reports whether a path is a small full circle where it is drawn.
func (r *raster) disc(p vg.Path) (at vg.Point, radius float64, ok bool) {
	if len(p) != 3 || p[0].Type != vg.MoveComp || p[1].Type != vg.ArcComp || p[2].Type != vg.CloseComp ||
		math.Abs(p[1].Angle) < 2*math.Pi-1e-9 || r.top().moved || r.img == nil {
		return vg.Point{}, 0, false
	}
	radius = float64(p[1].Radius) * r.scale
	return p[1].Pos, radius, radius < 40
}

// stamp lays a disc, or a ring of the given width, over the picture. A pixel's
// coverage is told from the distance of its centre to the edge.
func (r *raster) stamp(at vg.Point, radius, width float64) {
	_, h := r.Size()
	cx, cy := float64(at.X)*r.scale, (float64(h)-float64(at.Y))*r.scale
	reach := radius + 1
	if width > 0 {
		reach += width / 2
	}
	cr, cg, cb, ca := r.top().color.RGBA()
	b := r.img.Bounds()
	x0, x1 := max(b.Min.X, int(math.Floor(cx-reach))), min(b.Max.X-1, int(math.Ceil(cx+reach)))
	y0, y1 := max(b.Min.Y, int(math.Floor(cy-reach))), min(b.Max.Y-1, int(math.Ceil(cy+reach)))
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			dx, dy := float64(x)+0.5-cx, float64(y)+0.5-cy
			square := dx*dx + dy*dy
			if square >= reach*reach {
				continue
			}
			cover := 1.0
			if width >= 0 {
				cover = width/2 + 0.5 - math.Abs(math.Sqrt(square)-radius)
			} else if inside := radius - 0.5; inside <= 0 || square > inside*inside {
				cover = radius + 0.5 - math.Sqrt(square)
			}
			if cover <= 0 {
				continue
			}
			m := uint32(math.Min(1, cover) * 0xFFFF)
			pix := r.img.Pix[r.img.PixOffset(x, y):]
			left := 0xFFFF - ca*m/0xFFFF
			for k, c := range [4]uint32{cr, cg, cb, ca} {
				pix[k] = uint8((uint32(pix[k])*0x101*left/0xFFFF + c*m/0xFFFF) >> 8)
			}
		}
	}
}

// encode writes the picture as PNG. A large one is rounded to at most 256
// colours, which figures have few of anyway, and takes a third of the bytes.
func (r *raster) encode() ([]byte, error) {
	data, err := encodePNG(r.Image())
	if err != nil || len(data) < 200<<10 || r.img == nil {
		return data, err
	}
	for _, bits := range []uint{2, 3, 4} {
		if p := paletted(r.img, bits); p != nil {
			if small, err := encodePNG(p); err == nil && len(small) < len(data) {
				return small, nil
			}
			break
		}
	}
	return data, nil
}

func encodePNG(img image.Image) ([]byte, error) {
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, img); err != nil {
		return nil, fmt.Errorf("plot: writing PNG: %w", err)
	}
	return buf.Bytes(), nil
}

// paletted rounds the channels by so many bits; nil where more than 256 colours
// remain.
func paletted(img *image.RGBA, bits uint) *image.Paletted {
	round := func(v uint8) uint8 {
		if v == 255 {
			return v // white stays white
		}
		return v>>bits<<bits | 1<<(bits-1)
	}
	index := map[[4]uint8]uint8{}
	out := image.NewPaletted(img.Rect, nil)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			p := img.Pix[y*img.Stride+4*x:]
			key := [4]uint8{round(p[0]), round(p[1]), round(p[2]), 255}
			i, ok := index[key]
			if !ok {
				if len(index) == 256 {
					return nil
				}
				i = uint8(len(index))
				index[key] = i
				out.Palette = append(out.Palette, color.RGBA{key[0], key[1], key[2], 255})
			}
			out.Pix[y*out.Stride+x] = i
		}
	}
	return out
}
