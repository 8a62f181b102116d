# A curve over sizes: steps show where a cache ends, and lines where the
# machine says it does.  The right axis has the same in core cycles.
# Data: see lines.gp.
load plots.'/style.gp'
data = id.'.dat'
if (log_y) set logscale y
load plots.'/sizes.gp'
# Both axes get their ranges from the data, so that they agree.
stats data using 2 name 'Y' nooutput
bottom = log_y ? 10 ** floor(log10(Y_min)) : 0
top = log_y ? 10 ** ceil(log10(Y_max * 1.05)) : Y_max * 1.1
set yrange [bottom:top]
if (cycles_per_unit > 0) {
	if (log_y) { set logscale y2 }
	set y2range [bottom * cycles_per_unit:top * cycles_per_unit]
	set y2tics textcolor rgb '#222222'
	set y2label 'core cycles' textcolor rgb '#222222'
	set border 11
}
do for [i=1:n_caches] {
	if (cache_bytes[i] >= X_min && cache_bytes[i] <= X_max) {
		set arrow i from first cache_bytes[i], graph 0 to first cache_bytes[i], graph 1 nohead dt 2 lw 1 lc rgb '#777777'
		set label i cache_name[i] at first cache_bytes[i], graph 0.97 right offset -0.4,0 textcolor rgb '#555555'
	}
}
high = high + 60
beside_line = 1
on_log = 1
joined = 1
load plots.'/lines.gp'
load plots.'/draw.gp'
