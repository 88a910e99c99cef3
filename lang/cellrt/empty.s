// The package has functions without a body, which the go command only takes
// where there is an assembly file.
