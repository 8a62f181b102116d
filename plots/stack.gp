# Bars by category, made of the series one upon the other, lying.
# Data: category begin end name, a block for each series.
load plots.'/style.gp'
data = id.'.dat'
high = 160 + 44 * n_categories
if (high < 320) high = 320
thick = 0.62

set ylabel
set xlabel y_label
set xrange [0:*]
set yrange [n_categories - 0.4:-0.6]
set ytics ()
do for [i=1:n_categories] { set ytics add (categories[i] i - 1) }
set ytics scale 0
set grid noytics xtics
set border 1

paint = "plot for [i=1:n_series] data index i-1 using 2:1:2:3:($1-thick/2):($1+thick/2) with boxxyerror lc rgb colour[pick(i)] fs solid 0.85 border lc rgb '#FFFFFF' title series[i]"
load plots.'/draw.gp'
