# A matrix of values from two axes, light for the least; with its numbers where
# they fit.  x and y count the names of xs and ys; low is the value.
load plots.'/style.gp'
side = n_xs > n_ys ? n_xs : n_ys
high = 170 + (side <= 12 ? 36 * n_ys : 440.0 * n_ys / side)
if (high < 300) high = 300

# Before the ranges are set: they would hide the values.
stats data using 4 name 'V' nooutput
unset key
unset grid
set xlabel x_label
set ylabel series_label
set cblabel y_label offset 1.5,0 textcolor rgb '#222222'
set rmargin 10
set palette defined (0 '#FDF6E3', 0.35 '#F0B55A', 0.7 '#C8553D', 1 '#4B1D3F')
if (log_y) set logscale cb
# From nothing on, so that a difference of 2 % looks like one.
if (!log_y) set cbrange [0:*]
set xrange [-0.5:n_xs - 0.5]
set yrange [n_ys - 0.5:-0.5]
# Many names would overlap: label only some.
every = 1 + (side - 1) / 24
set xtics () rotate by (n_xs > 8 ? 90 : 0) right scale 0
if (n_xs <= 8) set xtics norotate center
do for [i=1:n_xs:every] { set xtics add (xs[i] i - 1) }
set ytics () scale 0
do for [i=1:n_ys:every] { set ytics add (ys[i] i - 1) }
middle = log_y ? sqrt(V_min * V_max) : V_max / 2
ink(v) = v > middle ? 0xFFFFFF : 0x222222
paint = "plot data using 2:3:(0.5):(0.5):4 with boxxyerror fs solid 1 noborder lc palette"
paint = paint.", data using 2:3:6 with labels hypertext point pt 0"
if (side <= 12) paint = paint.", data using 2:3:(digits($4)):(ink($4)) with labels font ',11' tc rgb variable"
load plots.'/draw.gp'
