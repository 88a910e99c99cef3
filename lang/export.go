package lang

func (c *call) export() *Error { return nil }
