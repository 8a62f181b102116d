# A curve over sizes that jumps at a limit, and the limit as it is known from
# elsewhere.  Data: see lines.gp.
load plots.'/style.gp'
data = id.'.dat'
if (log_y) { set logscale y; load plots.'/decades.gp' } else { set yrange [0:*] }
stats data using 1 name 'X' nooutput
step = 2 ** floor(log((X_max - X_min) / 4) / log(2))
unit_bytes = X_max >= 2**33 ? 2.0**30 : 2.0**20
set xtics ()
do for [k=ceil(X_min / step):floor(X_max / step)] {
	set xtics add (sprintf('%g %s', k * step / unit_bytes, unit_bytes > 2**20 ? 'GiB' : 'MiB') k * step)
}
set autoscale xfix
set offsets graph 0.03, graph 0.03, 0, 0
do for [i=1:n_limits] {
	set arrow i from first limit_bytes[i], graph 0 to first limit_bytes[i], graph 1 nohead dt 2 lw 1.2 lc rgb '#777777'
	set label i 'limit ' at first limit_bytes[i], graph 0.97 right textcolor rgb '#555555'
}
joined = 1
load plots.'/lines.gp'
load plots.'/draw.gp'
