# How often an event took longer than so much: the complementary distribution
# on logarithmic axes.  y is the share above x, at both ends of each bin, between
# which nothing is known.
load plots.'/style.gp'
high = 420 + 17 * ((n_series - 1) / columns_of_key)
set logscale xy
stats data using 2 name 'X' nooutput
least_x = X_min
most_x = X_max
on_x = 1
log_y = 0
load plots.'/decades.gp'
stats data using ($3 > 0 ? $3 : NaN) name 'S' nooutput
set yrange [10 ** floor(log10(S_min) - 0.05):1.3]
set ytics ('all' 1, 'p50' 0.5, 'p90' 0.1, 'p99' 0.01, 'p99.9' 0.001, 'p99.99' 0.0001, 'p99.999' 1e-5, 'p99.9999' 1e-6, 'p99.99999' 1e-7)
set autoscale xfix
set offsets graph 0.02, graph 0.02, 0, 0
# No share is above the greatest value, and zero has no place on the axis: the
# line ends there with the share that the last bin has, and with a point.
last = 1
above(share) = share > 0 ? (last = share) : last
end(share) = (above(share), share > 0 ? NaN : last)
# Lines, as steps would begin their dashes anew at each.
paint = "plot for [i=1:n_series] data index i-1 using 2:(above($3)) with linespoints pn 5 ps 0.8 pt point[mark(i)] lw 1.8 dt dash[mark(i)] lc rgb colour[pick(i)] title series[i], ".\
	"for [i=1:n_series] data index i-1 using 2:(end($3)):(series[i].': longest '.digits($2).' '.unit) with labels hypertext point ps 0.8 pt point[mark(i)] lc rgb colour[pick(i)] notitle"
load plots.'/draw.gp'
