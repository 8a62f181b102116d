# A line for each row: its ratio and interval against 1, the slowest first.  The
# series are neither, faster, slower; x counts the rows.
load plots.'/style.gp'
wide = 860
high = 132 + 16 * n_categories
set tmargin at screen 1 - 40.0 / high
set bmargin at screen 92.0 / high
set datafile missing
# All dots fit; intervals are cut where they are much wider, so that they do not
# press the dots together.
half = log(1.02)
far = 0
most(a, b) = a > b ? a : b
size(v) = v > 0 && v < 1e300 ? abs(log(v)) : 0
stats data using ($3 == $3 ? (half = most(half, 1.2 * size($3)), far = most(far, most(size($4), size($5)))) : 0, 1) nooutput
set datafile missing 'NaN'
wanted = most(half, far)
half = wanted < 3 * half ? wanted : 3 * half
half = half < log(100) ? half : log(100)
least = exp(-half)
greatest = exp(half)
within(v) = v < least ? least : v > greatest ? greatest : v

set logscale x
unset mxtics
set xrange [least:greatest]
set yrange [n_categories - 0.4:-0.6]
set ytics () scale 0 font ',11'
chars = 1
do for [i=1:n_categories] {
	name = strlen(categories[i]) > 56 ? categories[i][1:55].'…' : categories[i]
	chars = strlen(name) > chars ? strlen(name) : chars
	set ytics add (name i - 1)
}
set lmargin at screen (20 + 5.9 * chars) / wide
set rmargin at screen 1 - 30.0 / wide
set key maxcols 3
unset ylabel
set xlabel '← B is faster          '.x_label.'          B is slower →'
# Round ratios, from 1 on to both sides, as many as have room.
array less[11] = [0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.5, 0.2, 0.1, 0.05, 0.02]
array more[11] = [1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5, 10, 20, 50]
set xtics ('1' 1)
left = 0
right = 0
do for [i=1:11] {
	if (-log(less[i]) - left > half / 5) { left = -log(less[i]); set xtics add (sprintf('%g', less[i]) less[i]) }
	if (log(more[i]) - right > half / 5) { right = log(more[i]); set xtics add (sprintf('%g', more[i]) more[i]) }
}
set grid xtics noytics
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lw 1 lc rgb '#555555' back
set border 1
array paints[3] = ['#777777', '#0072B2', '#D55E00']
array shapes[3] = [7, 5, 13]
array sizes[3] = [0.6, 0.6, 0.9]
paint = "plot for [i=1:n_series] data index i-1 using (within($3)):2:(within($4)):(within(column(5))) with xerrorbars pt 0 lw 1.4 lc rgb paints[i] notitle, ".\
	"for [i=1:n_series] data index i-1 using (within($3)):2:6 with labels hypertext point pt shapes[i] ps sizes[i] lc rgb paints[i] notitle, ".\
	"for [i=1:n_series] NaN with points pt shapes[i] ps sizes[i] lc rgb paints[i] title series[i]"
load plots.'/draw.gp'
