# Load against time, one panel for each core, as the paper's Figures 9 and 10
# and the task manager have it: what cpu_load sampled.  A value holds for the
# interval before it, hence steps; where nothing is known there is no line.
# x: seconds; y: percent.
load plots.'/style.gp'
unset key
unset xlabel
set title
high = 130 * n_series + 85
set yrange [0:y_top]
set xrange [0:x_top]
set ytics 25
set lmargin at screen 0.1
set rmargin at screen 0.96
set ylabel y_label
# Heights in parts of the picture.
above = 42.0 / high
each = 130.0 / high
array panel[n_series]
do for [i=1:n_series] {
	panel[i] = sprintf("set tmargin at screen %f; set bmargin at screen %f; ", 1 - above - (i - 1) * each, 1 - above - i * each + 30.0 / high).\
		(i == n_series ? "set xlabel x_label; set format x; " : "unset xlabel; set format x ''; ").\
		(i == 1 ? "set label 9 title at screen 0.53, 1 - 14.0 / high center font ',14' textcolor rgb '#222222'; " : "unset label 9; ").\
		sprintf("set label 1 series[%d] at graph 0.005, graph 1.06 textcolor rgb '#222222'; ", i).\
		sprintf("plot data index %d using 2:3 with fsteps lw 1.4 lc rgb colour[1]; ", i - 1)
}
paint = "set multiplot; "
do for [i=1:n_series] { paint = paint.panel[i] }
paint = paint."unset multiplot"
load plots.'/draw.gp'
