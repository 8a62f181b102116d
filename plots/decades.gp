# Logarithmic axes of few decades: tics at 2 and 5 have numbers too.  gnuplot
# itself would write one number, or none.
do for [axis in "x y"] {
	if (axis eq 'x' ? exists('on_x') && on_x : log_y) {
		stats data using (column(axis eq 'x' ? 1 : 2)) name 'D' nooutput
		if (exists('D_min') && D_min > 0 && D_max < (axis eq 'x' ? 1000 : 200) * D_min) {
			do for [k=floor(log10(D_min))-1:ceil(log10(D_max))] {
				do for [m in '2 5'] {
					if (axis eq 'x') { set xtics add (gprintf('%h', m * 10.0**k) m * 10.0**k) } else { set ytics add (gprintf('%h', m * 10.0**k) m * 10.0**k) }
				}
			}
		}
	}
}
