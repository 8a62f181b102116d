# Bars by category, made of the series one upon the other, lying; each lighter
# than the last, for paper without colour.  x counts the categories; low and high
# are the ends of a part.
load plots.'/style.gp'
high = high - 240 + 44 * n_categories
thick = 0.62
stats data using 5 name 'S' nooutput
# The key's middle is that of the bars, right of the picture's.
if (columns_of_key < n_series) { high = high + 17 * (n_series - 1 - (n_series - 1) / columns_of_key); set key maxcols 1 }

set ylabel
set xlabel y_label
set xrange [0:*]
set yrange [n_categories - 0.4:-0.6]
set ytics ()
do for [i=1:n_categories] { set ytics add (categories[i] i - 1) }
set ytics scale 0
set grid noytics xtics
set border 1
array shade[3] = [1.0, 0.55, 0.2]

paint = "plot for [i=1:n_series] data index i-1 using 4:2:4:5:($2-thick/2):($2+thick/2) with boxxyerror lc rgb colour[pick(i)] fs solid shade[1+(i-1)%3] border lc rgb '#FFFFFF' title series[i], ".\
	"for [i=1:n_series] data index i-1 using (($4+$5)/2):2:($3 > 0.06 * S_max ? digits($3) : '') with labels center font ',11' textcolor rgb (i%3==1 ? '#FFFFFF' : '#222222') notitle, ".\
	"for [i=1:n_series] data index i-1 using 5:2:6 with labels hypertext point pt 0 notitle"
load plots.'/draw.gp'
