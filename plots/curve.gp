# A value with its 95 % interval against a numeric axis, one line for a series.
# Data: see lines.gp.
load plots.'/style.gp'
data = id.'.dat'
stats data using 1 name 'X' nooutput
if (log_x) {
	set logscale x
	# Only sizes are counted in bytes; powers of two have tics of their own.
	if (strstrt(x_label, 'bytes') > 0) { load plots.'/sizes.gp' } else {
		if (abs(log(X_max) / log(2) - floor(log(X_max) / log(2) + 0.5)) < 1e-6) { set logscale x 2 }
	}
}
# A few threads: there are no halves of them.
if (!log_x && X_max == floor(X_max) && X_max - X_min <= 5) { set xtics 1 }
if (log_y) { set logscale y; load plots.'/decades.gp' } else { set yrange [0:*] }
set autoscale xfix
set offsets graph 0.03, graph 0.03, 0, 0
joined = 1
load plots.'/lines.gp'
load plots.'/draw.gp'
