# A curve over sizes that jumps at a limit, and the limit as it is known from
# elsewhere.
load plots.'/style.gp'
load plots.'/measured.gp'
if (log_y) { set logscale y; load plots.'/decades.gp' }
step = 2 ** floor(log((X_max - X_min) / 4) / log(2))
unit_bytes = X_max >= 2**33 ? 2.0**30 : 2.0**20
set xtics ()
do for [k=ceil(X_min / step):floor(X_max / step)] {
	set xtics add (sprintf('%g %s', k * step / unit_bytes, unit_bytes > 2**20 ? 'GiB' : 'MiB') k * step)
}
set autoscale xfix
set offsets graph 0.03, graph 0.03, 0, 0
joined = 1
load plots.'/lines.gp'
load plots.'/draw.gp'
