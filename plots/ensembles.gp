# SPDX-License-Identifier: MIT
# The paper's four graphs of one timing method: least time and variance
# against ensemble, for the empty body and for the growing loop.
# Data: the two bodies, lines `ensemble least variance`.  As steps: one path
# of an SVG, where each point would be an element.
load plots.'/style.gp'
unset key
high = 560
set xtics 50
all = title
# Thousands and millions by a letter, where no number has a fraction of them.
array form[4]
do for [i=1:4] {
	stats id.'.dat' index ((i - 1) % 2) using (column(i <= 2 ? 2 : 3)) name 'E' nooutput
	form[i] = E_max >= 10000 ? '%.0s%c' : '%h'
}
figure(i) = "set format y '".form[i]."'; set xlabel '".(i % 2 ? 'ensemble' : x_label)."'; ".\
	"set ylabel '".(i <= 2 ? 'least time, ' : 'variance, ').y_label.(i <= 2 ? '' : '²')."'; ".\
	"set title '".(i % 2 ? 'empty body' : 'growing loop')."' font ',12'; ".\
	"plot id.'.dat' index ".((i - 1) % 2)." using 1:".(i <= 2 ? 2 : 3).\
	" with steps lw 1.2 lc rgb colour[".(i <= 2 ? 1 : 2)."] notitle; "
paint = "set multiplot layout 2,2 title all font ',14'; set yrange [*<0:*]; ".\
	figure(1).figure(2).figure(3).figure(4)."unset multiplot"
load plots.'/draw.gp'
