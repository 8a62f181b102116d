# A value with its 95 % interval against a numeric axis, one line for a series.
# Data: x value low high cycles below.
load plots.'/style.gp'
data = id.'.dat'
if (log_x) set logscale x
# Only sizes are counted in bytes.
if (log_x && strstrt(x_label, 'bytes') > 0) { load plots.'/sizes.gp' }
stats data using 1 name 'X' nooutput
# Powers of two, as queues are deep, have tics of their own.
odd(x) = x > 0 ? abs(log(x) / log(2) - floor(log(x) / log(2) + 0.5)) : 0
stats data using (odd($1)) name 'ODD' nooutput
if (log_x && ODD_max < 1e-6) { set logscale x 2 }
# A few threads: there are no halves of them.
if (!log_x && X_max == floor(X_max) && X_max - X_min <= 5) { set xtics 1 }
if (log_y) { set logscale y; load plots.'/decades.gp' } else { set yrange [0:*] }
set autoscale xfix
set offsets graph 0.02, graph 0.02, 0, 0

paint = "plot for [i=1:n_series] data index i-1 using 1:2 with lines lw 1.6 dt dash[mark(i)] lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using 1:2:3:4 with yerrorbars lw 1.2 pt 0 lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using 1:2 with points pt point[mark(i)] ps 0.65 lc rgb colour[pick(i)] notitle, ".key
if (n_below) paint = paint.", for [i=1:n_series] data index i-1 using 1:6 with points pt 10 ps 0.8 lc rgb colour[pick(i)] notitle"
if (n_below) paint = paint.", NaN with points pt 10 ps 0.8 lc rgb '#333333' title 'below resolution'"
load plots.'/draw.gp'
