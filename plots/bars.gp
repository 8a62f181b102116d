# Values by category, grouped by series, with 95 % intervals; lying, so that the
# names of the categories can be read.  Bars on an axis from 0; on a logarithmic
# axis, which has no 0, dots.  Data: category value low high end place name row.
# end is where the label stands: a value may have no interval.  place counts
# from the middle of those that the category has, at most `widest`.
load plots.'/style.gp'
data = id.'.dat'
# The key's middle is that of the bars, right of the picture's.
if (longest > 24) { set key maxcols 1; high = high + 17 * (n_series - 1 - (n_series - 1) / columns_of_key) }
high = high - 290 + 6 * n_categories + 16 * n_categories * widest
if (high < 220) high = 220
thick = 0.8 / widest
middle(c, place) = c + place * thick

set ylabel
set xlabel y_label
if (log_y) set logscale x
# The labels behind the ends must fit as well.
from = log_y ? 10 ** floor(log10(least) - 0.05) : 0
to = log_y ? most * (most / from) ** 0.13 : most * 1.12
set xrange [from:to]
set yrange [n_categories - 0.4:-0.6]
set ytics ()
do for [i=1:n_categories] { set ytics add (categories[i] i - 1) }
set ytics scale 0
set grid noytics xtics
if (log_y) { set mxtics 10 }
set border 1
near(low, v) = low > from ? low : v

paint = log_y ? "plot for [i=1:n_series] data index i-1 using (from):(middle($1,$6)):(to-from):(0) with vectors nohead lw 0.5 lc rgb '#DDDDDD' notitle, " : \
	"plot for [i=1:n_series] data index i-1 using (from):(middle($1,$6)):(from):2:(middle($1,$6)-thick*0.44):(middle($1,$6)+thick*0.44) with boxxyerror lc rgb colour[pick(i)] fs solid 0.35 noborder notitle, "
paint = paint."for [i=1:n_series] data index i-1 using 2:(middle($1,$6)):(near($3,$2)):4 with xerrorbars pt 0 lw 1.2 lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using 2:(middle($1,$6)):8 with labels hypertext point pt point[mark(i)] ps 0.65 lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using 5:(middle($1,$6)):(digits($2)) with labels left offset 0.7,0 font ',11' textcolor rgb '#222222' notitle, ".\
	"for [i=1:n_series] NaN with points pt point[mark(i)] ps 0.8 lc rgb colour[pick(i)] title series[i]"
load plots.'/draw.gp'
