# A value with its 95 % interval against a numeric axis, one line for a series.
load plots.'/style.gp'
load plots.'/measured.gp'
if (log_x) {
	set logscale x
	least_x = X_min
	most_x = X_max
	# Only sizes are counted in bytes; powers of two have tics of their own.
	twos = abs(log(X_max) / log(2) - floor(log(X_max) / log(2) + 0.5)) < 1e-6
	if (strstrt(x_label, 'bytes') > 0) { load plots.'/sizes.gp' } else { if (twos) { load plots.'/twos.gp' } else { on_x = 1 } }
}
if (log_y) { set logscale y }
if (log_x || log_y) { load plots.'/decades.gp' }
# A few threads: there are no halves of them.
if (!log_x && X_max == floor(X_max) && X_max - X_min <= 5) { set xtics 1 }
set autoscale xfix
set offsets graph 0.03, graph 0.03, 0, 0
joined = 1
load plots.'/lines.gp'
load plots.'/draw.gp'
