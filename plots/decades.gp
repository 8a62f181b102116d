# Logarithmic axes: each power of ten has its number, and where there are few
# also 2 and 5.  least_x and most_x, and bottom and top, are their ranges.
do for [axis in "x y"] {
	if (axis eq 'x' ? exists('on_x') && on_x : log_y) {
		low = axis eq 'x' ? least_x : bottom
		up = axis eq 'x' ? most_x : top
		tens = log10(up / low)
		steps = tens < 0.8 ? '1 1.2 1.5 2 2.5 3 4 5 6 8' : tens < (axis eq 'x' ? 3 : 2.3) ? '1 2 5' : '1'
		if (axis eq 'x') { set xtics (); set mxtics 10 } else { set ytics (); set mytics 10 }
		do for [k=floor(log10(low))-1:ceil(log10(up))+1:(tens > 8 ? 2 : 1)] {
			do for [m in steps] {
				if (axis eq 'x') { set xtics add (number(m * 10.0**k) m * 10.0**k) } else { set ytics add (number(m * 10.0**k) m * 10.0**k) }
			}
		}
	}
}
