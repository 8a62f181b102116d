# The range of what was measured: bottom and top of the values with their
# intervals, X_min and X_max, and n_below, the points that are too small.
stats data index 0:n_series-1 using 2 name 'X' nooutput
top = 0
bottom = 1e300
n_below = 0
# Without it a line with any NaN would count as missing.
set datafile missing
widen(v) = (top = v > top ? v : top, bottom = v > 0 && v < bottom ? v : bottom)
stats data index 0:n_series-1 using (v = widen($3), v = $3 == $3 ? (widen($4), widen($5)) : (n_below = n_below + ($5 == $5)), 1) nooutput
# Series of one value or of bounds only, which have no line.
array single[n_series]
do for [i=1:n_series] {
	records = 0
	stats data index i-1 using (records = records + ($3 == $3), 1) nooutput
	single[i] = records < 2
}
set datafile missing 'NaN'
