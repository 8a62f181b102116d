# Bars by category, grouped by series, with 95 % intervals; lying, so that the
# names of the categories can be read.  Data: category value low high end place
# name.  end is where the label stands: a value may have no interval.  place
# counts from the middle of those bars that the category has, at most `widest`.
load plots.'/style.gp'
data = id.'.dat'
high = 110 + 22 * n_categories + 15 * n_categories * widest
if (high < 320) high = 320
thick = 0.8 / widest
middle(c, place) = c + place * thick

set ylabel
set xlabel y_label
set key outside top center horizontal
if (log_y) set logscale x
# The labels behind the ends must fit as well.
from = log_y ? 10 ** floor(log10(least) - 0.05) : 0
to = log_y ? 10 ** ceil(log10(most) + 0.2) : most * 1.12
set xrange [from:to]
set yrange [n_categories - 0.4:-0.6]
set ytics ()
do for [i=1:n_categories] { set ytics add (categories[i] i - 1) }
set ytics scale 0
set grid noytics xtics
if (log_y) set mxtics 10; set grid mxtics
set border 1
near(low, v) = low > from ? low : v

paint = "plot for [i=1:n_series] data index i-1 using (from):(middle($1,$6)):(from):2:(middle($1,$6)-thick*0.46):(middle($1,$6)+thick*0.46) with boxxyerror lc rgb colour[pick(i)] fs solid 0.85 noborder title series[i], ".\
	"for [i=1:n_series] data index i-1 using 2:(middle($1,$6)):(near($3,$2)):4 with xerrorbars pt 0 lw 1.3 lc rgb '#111111' notitle, ".\
	"for [i=1:n_series] data index i-1 using 5:(middle($1,$6)):(digits($2)) with labels left offset 0.6,0 font ',11' textcolor rgb '#222222' notitle"
load plots.'/draw.gp'
