# Counts on a logarithmic x axis, in steps of 2.
set logscale x 2
set xtics ()
every = 1 + int(log(X_max / (X_min > 0 ? X_min : 1)) / log(2)) / 12
do for [k=0:40:every] {
	if (2.0**k >= X_min && 2.0**k <= X_max) { set xtics add ((2.0**k < 1e6 ? sprintf('%.0f', 2.0**k) : number(2.0**k)) 2.0**k) }
}
