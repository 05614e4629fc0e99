package chain

import (
	"fmt"
	"math"
	"strconv"
)

// maxExactInt is the magnitude below which every integer is a double of its own
// (2^53), so its decimal text is its ECMAScript text.
const maxExactInt = 1 << 53

// appendNumber appends f as ECMAScript's Number::toString writes it, which is
// what RFC 8785 section 3.2.2.3 asks for. f must be finite.
func appendNumber(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, fmt.Errorf("%w: %v has no JSON form", ErrJSON, f)
	}
	if i := int64(f); -maxExactInt < f && f < maxExactInt && float64(i) == f {
		return strconv.AppendInt(dst, i, 10), nil // also turns -0 into 0
	}
	if abs := math.Abs(f); 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go pads the exponent to two digits, ECMAScript does not: e-07 is e-7.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

// appendCount appends an integer as the double that a reader will take it for.
func appendCount(dst []byte, n int64) []byte {
	if -maxExactInt < n && n < maxExactInt {
		return strconv.AppendInt(dst, n, 10)
	}
	// An int64 is below 1e21, where ECMAScript writes no exponent.
	return strconv.AppendFloat(dst, float64(n), 'f', -1, 64)
}
