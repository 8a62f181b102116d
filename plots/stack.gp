# Bars by category, made of the series one upon the other, lying.
# Data: category value low high name, a block for each series.
load plots.'/style.gp'
data = id.'.dat'
high = 160 + 44 * n_categories
if (high < 320) high = 320
thick = 0.62

set ylabel
set key outside top center horizontal
set xlabel y_label
set xrange [0:*]
set yrange [n_categories - 0.4:-0.6]
set ytics ()
do for [i=1:n_categories] { set ytics add (categories[i] i - 1) }
set ytics scale 0
set grid noytics xtics
set border 1

# Where each bar of a series begins: the sum of those before it, for each
# category.  The bars are kept as boxes first, because a sum that is made
# while plotting would be made again for the second picture.
array sum[n_categories]
do for [c=1:n_categories] { sum[c] = 0.0 }
begin(c) = sum[c + 1]
add(c, v) = (sum[c + 1] = sum[c + 1] + v)
set print $boxes
do for [s=1:n_series] {
	stats data index s-1 using (valid($1) && valid($2) ? (print sprintf('%d %g %.9g %.9g', s, $1, begin($1), add($1, $2)), 0) : 0) nooutput
}
unset print
paint = "plot for [s=1:n_series] $boxes using ($1 == s ? $3 : NaN):2:3:4:($2-thick/2):($2+thick/2) with boxxyerror lc rgb colour[pick(s)] fs solid 0.85 noborder title series[s]"
load plots.'/draw.gp'
