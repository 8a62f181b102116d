# Ridges: for each x a distribution of core cycles, standing on its own line.
# Data: x cycles share_percent, a block for each x.
load plots.'/style.gp'
data = id.'.dat'
step = n_ridges > 1 ? (last - first) / (n_ridges - 1.0) : 1
tall = 2.2 * step
lift(share) = tall * share / peak
high = 170 + 22 * n_ridges
if (high < 380) high = 380

unset key
set xlabel x_label
set ylabel y_label
set xrange [cycles_from:cycles_to]
set yrange [first - 0.6 * step:last + tall * 1.1]
set ytics first, step, last
set grid xtics noytics
set label 1 sprintf('highest ridge: %.0f %% of its samples in a step of 0.25 cycles', peak) at graph 0.99, graph 0.98 right font ',11' textcolor rgb '#444444'
if (outside >= 0.05) set label 2 sprintf('%.1f %% of all samples lie outside', outside) at graph 0.99, graph 0.945 right font ',11' textcolor rgb '#444444'

# From the back to the front, so that each ridge hides what is behind it.
paint = "plot "
do for [i=n_ridges-1:0:-1] {
	paint = paint.sprintf("%s data index %d using 2:1:($1+lift($3)) with filledcurves fs solid 1 lc rgb '%s' notitle, data index %d using 2:($1+lift($3)) with lines lw 1.1 lc rgb '#0B3954' notitle", i == n_ridges - 1 ? "" : ",", i, i % 2 ? "#A9CFE8" : "#D6E8F4", i)
}
load plots.'/draw.gp'
