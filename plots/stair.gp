# A curve over sizes: steps show where a cache ends, and lines where the
# machine says it does.  The right axis has the same in core cycles.
# Data: x value low high cycles below.
load plots.'/style.gp'
data = id.'.dat'
set logscale x 2
if (log_y) set logscale y; else set yrange [0:*]
size(b) = b >= 2**30 ? sprintf('%g GiB', b / 2**30) : b >= 2**20 ? sprintf('%g MiB', b / 2**20) : b >= 1024 ? sprintf('%g KiB', b / 1024) : sprintf('%g B', b)
stats data using 1 name 'X' nooutput
set xrange [X_min / 1.3:X_max * 1.3]
set xtics ()
do for [k=0:40] {
	if (2.0**k >= X_min / 1.3 && 2.0**k <= X_max * 1.3 && k % 2 == 0) set xtics add (size(2.0**k) 2.0**k)
}
set xtics rotate by -45
if (cycles_per_unit > 0) set link y2 via y * cycles_per_unit inverse y / cycles_per_unit
if (cycles_per_unit > 0) set y2tics; set y2label 'core cycles' textcolor rgb '#222222'; set border 11
do for [i=1:n_caches] {
	if (cache_bytes[i] >= X_min && cache_bytes[i] <= X_max) {
		set arrow i from first cache_bytes[i], graph 0 to first cache_bytes[i], graph 1 nohead dt 2 lw 1 lc rgb '#777777'
		set label i cache_name[i] at first cache_bytes[i], graph 0.97 right offset -0.4,0 textcolor rgb '#555555'
	}
}
set key outside bottom center horizontal Left reverse
high = 560
paint = "plot for [i=1:n_series] data index i-1 using 1:2 with lines lw 1.6 dt dash[pick(i)] lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using 1:2:3:4 with yerrorbars lw 1.1 pt point[pick(i)] ps 0.6 lc rgb colour[pick(i)] title series[i]"
load plots.'/draw.gp'
