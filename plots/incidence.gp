# Ridges: for each x a distribution of core cycles, standing on its own line.
# Data: x cycles share_percent, a block for each x.
load plots.'/style.gp'
data = id.'.dat'
step = n_ridges > 1 ? (last - first) / (n_ridges - 1.0) : 1
tall = 2.2 * step
lift(share) = tall * share / peak
high = 150 + 15 * n_ridges
if (high < 420) high = 420

unset key
set xlabel x_label.sprintf("\n(highest ridge: %.0f %% of its samples in a step of 0.25 cycles; %.1f %% of all samples lie outside)", peak, outside)
set ylabel y_label
set xrange [cycles_from:cycles_to]
set yrange [first - 0.6 * step:last + tall * 1.1]
set ytics first, step, last
set grid xtics noytics
# From the back to the front, so that each ridge hides what is behind it.
paint = "plot "
do for [i=n_ridges-1:0:-1] {
	paint = paint.sprintf("%s data index %d using 2:1:($1+lift($3)) with filledcurves fs solid 1 lc rgb '%s' notitle, data index %d using 2:($1+lift($3)) with lines lw 1.1 lc rgb '#0B3954' notitle", i == n_ridges - 1 ? "" : ",", i, i % 2 ? "#A9CFE8" : "#D6E8F4", i)
}
load plots.'/draw.gp'
