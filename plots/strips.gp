# A strip of points for each row: the nodes of a class, the slow ones in a
# colour and shape of their own.  Data: x y node, the ordinary nodes first, then
# the slow ones; y counts the names of ys, and lies beside them where points
# would hide each other.
load plots.'/style.gp'
data = id.'.dat'
high = high - 290 + 22 * n_ys
if (high < 220) high = 220
set ylabel
set logscale x
set yrange [n_ys - 0.4:-0.6]
set ytics () scale 0
do for [i=1:n_ys] { set ytics add (ys[i] i - 1) }
set xrange [] noextend
set xtics (0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 10, 20, 50, 100)
set grid noytics xtics
set border 1
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lw 1 lc rgb '#555555' back
paint = "plot for [i=1:n_series] data index i-1 using 1:2:3 with labels hypertext point pt point[i == 1 ? 1 : 3] ps (i == 1 ? 0.3 : 0.8) lc rgb (i == 1 ? '#999999' : colour[2]) notitle, ".\
	"for [i=1:n_series] NaN with points pt point[i == 1 ? 1 : 3] ps 0.8 lc rgb (i == 1 ? '#999999' : colour[2]) title series[i]"
load plots.'/draw.gp'
