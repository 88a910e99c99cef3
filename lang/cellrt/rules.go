package cellrt

// Check0 to Check5 are script rule 2: the value of a call whose last result is
// an error, used where one value fewer fits. An error ends the cell.

func Check0(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

func Check1[A any](a A, err error) A {
	Check0(err)
	return a
}

func Check2[A, B any](a A, b B, err error) (A, B) {
	Check0(err)
	return a, b
}

func Check3[A, B, C any](a A, b B, c C, err error) (A, B, C) {
	Check0(err)
	return a, b, c
}

func Check4[A, B, C, D any](a A, b B, c C, d D, err error) (A, B, C, D) {
	Check0(err)
	return a, b, c, d
}

func Check5[A, B, C, D, E any](a A, b B, c C, d D, e E, err error) (A, B, C, D, E) {
	Check0(err)
	return a, b, c, d, e
}

// Show shows the values of the cell's last expression.
func Show(values ...any) {
	if c := Of(); c != nil && c.Show != nil {
		c.Show(values)
	}
}

// Zero sets *p to its zero value: what `var x T` means for a variable that
// exists already.
func Zero[T any](p *T) {
	var zero T
	*p = zero
}

// Never is false. Code behind it is not run but keeps what it names alive.
var Never bool
