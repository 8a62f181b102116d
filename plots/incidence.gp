# Ridges: for each series a distribution of core cycles, standing on its own
# line.  x: cycles; y: percent of the samples.
load plots.'/style.gp'
tall = 2.2
stats data using 3 name 'S' nooutput
lift(share) = tall * share / S_max
high = 150 + 15 * n_series
if (high < 420) high = 420
# The range has the bins of more than 1.5 % of a series: a tail of rare disturbances
# would press everything else into a corner, and one of 100 samples is 1 %.
least = S_max > 3 ? 1.5 : S_max / 2
stats data using ($3 > least ? $2 : NaN) name 'R' nooutput
margin = 0.04 * (R_max - R_min) + 1
stats data using ($2 < R_min || $2 > R_max ? $3 : 0) name 'O' nooutput

unset key
set xlabel x_label.sprintf("\n(highest ridge: %.0f %% of its samples in a step of 0.25 cycles; %.1f %% of all samples lie outside)", S_max, O_sum / n_series)
set ylabel y_label
set xrange [R_min - margin:R_max + margin]
set yrange [-0.6:n_series - 1 + tall * 1.1]
set ytics ()
do for [i=1:n_series] { set ytics add (series[i] i - 1) }
set grid xtics noytics
# From the back to the front, so that each ridge hides what is behind it.
paint = "plot "
do for [i=n_series:1:-1] {
	paint = paint.sprintf("%s data index %d using 2:(%d):($2-0.13):($2+0.13):(%d):(%d+lift($3)) with boxxyerror fs solid 1 noborder lc rgb '%s' notitle", i == n_series ? "" : ",", i - 1, i - 1, i - 1, i - 1, i % 2 ? "#0072B2" : "#56B4E9")
}
load plots.'/draw.gp'
