# Values by category, grouped by series, with 95 % intervals; lying, so that the
# names of the categories can be read.  Bars on an axis from 0; on a logarithmic
# axis, which has no 0, dots.  x counts the categories.
load plots.'/style.gp'
load plots.'/measured.gp'
# The key's middle is that of the bars, right of the picture's.
if (longest > 24) { set key maxcols 1; high = high + 17 * (n_series - 1 - (n_series - 1) / columns_of_key) }
# The bars of a category stand side by side around its middle: `many` of each
# category, `place` of each line of data, of which begin[i] come before series i.
set datafile missing
array many[n_categories]
array seen[n_categories]
do for [c=1:n_categories] { many[c] = 0; seen[c] = 0 }
array begin[n_series]
lines = 0
do for [i=1:n_series] {
	begin[i] = lines
	stats data index i-1 using (lines = lines + 1, $2 == $2 ? (many[int($2)+1] = many[int($2)+1] + 1) : 0, 1) nooutput
}
array place[lines]
do for [i=1:n_series] {
	stats data index i-1 using ($2 == $2 ? (c = int($2) + 1, place[begin[i]+int($0)+1] = seen[c] - (many[c] - 1) / 2.0, seen[c] = seen[c] + 1) : 0, 1) nooutput
}
set datafile missing 'NaN'
widest = 1
do for [c=1:n_categories] { if (many[c] > widest) { widest = many[c] } }
thick = 0.8 / widest
middle(i, x, line) = x == x ? x + place[begin[i]+int(line)+1] * thick : NaN
high = high - 290 + 6 * n_categories + 16 * n_categories * widest
if (high < 220) high = 220

set ylabel
set xlabel y_label
# The labels behind the ends must fit as well.
least = log_y ? 10 ** floor(log10(bottom) - 0.05) : 0
most = log_y ? top * (top / least) ** 0.13 : top * 1.12
set xrange [least:most]
set yrange [n_categories - 0.4:-0.6]
set ytics ()
do for [i=1:n_categories] { set ytics add (categories[i] i - 1) }
set ytics scale 0
set grid noytics xtics
if (log_y) {
	set logscale x
	on_x = 1
	log_y = 0
	least_x = least
	most_x = most
	load plots.'/decades.gp'
	log_y = 1
}
set border 1
near(low, v) = low > least ? low : v
# The end of a bar's interval; of one without, the bar's.
end(v, high) = high > v ? high : v

paint = log_y ? "plot for [i=1:n_series] data index i-1 using (least):(middle(i,$2,$0)):(most-least):(0) with vectors nohead lw 0.5 lc rgb '#DDDDDD' notitle, " : \
	"plot for [i=1:n_series] data index i-1 using (least):(middle(i,$2,$0)):(least):3:(middle(i,$2,$0)-thick*0.44):(middle(i,$2,$0)+thick*0.44) with boxxyerror lc rgb colour[pick(i)] fs solid 0.35 noborder notitle, "
paint = paint."for [i=1:n_series] data index i-1 using 3:(middle(i,$2,$0)):(near($4,$3)):5 with xerrorbars pt 0 lw 1.2 lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using 3:(middle(i,$2,$0)):6 with labels hypertext point pt point[mark(i)] ps 0.65 lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using (end($3,column(5))):(middle(i,$2,$0)):(digits($3)) with labels left offset 0.7,0 font ',11' textcolor rgb '#222222' notitle, ".\
	"for [i=1:n_series] NaN with points pt point[mark(i)] ps 0.8 lc rgb colour[pick(i)] title series[i]"
load plots.'/draw.gp'
