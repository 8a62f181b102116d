# How often an event took longer than so much: the complementary distribution
# on logarithmic axes, down to one in ten thousand and beyond.
# Data: value share_at_most share_above, a block for each case.
load plots.'/style.gp'
data = id.'.dat'
set logscale xy
set yrange [1e-5:1.3]
set ytics ('all' 1, 'p50' 0.5, 'p90' 0.1, 'p99' 0.01, 'p99.9' 0.001, 'p99.99' 0.0001, 'p99.999' 1e-5)
name(i) = value(sprintf('name_%d', i))
paint = "plot for [i=1:n_blocks] data index i-1 using 1:($3 > 0 ? $3 : NaN) with steps lw 1.8 dt dash[mark(i)] lc rgb colour[pick(i)] title name(i)"
load plots.'/draw.gp'
