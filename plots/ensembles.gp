# SPDX-License-Identifier: MIT
# The paper's four graphs of one timing method: least time and variance
# against ensemble, for the empty body and for the growing loop.
# Data: the two bodies, lines `ensemble least variance`.  As steps: one path
# of an SVG, where each point would be an element.
load plots.'/style.gp'
unset key
high = 700
figure(i) = "set xlabel '".(i % 2 ? 'ensemble' : x_label)."'; ".\
	"set ylabel '".(i <= 2 ? 'least time, ' : 'variance, ').y_label.(i <= 2 ? '' : '²')."'; ".\
	"set title '".(i % 2 ? 'empty body' : 'growing loop')."' font ',13'; ".\
	"plot id.'.dat' index ".((i - 1) % 2)." using 1:".(i <= 2 ? 2 : 3).\
	" with steps lw 1.2 lc rgb colour[".(i <= 2 ? 1 : 2)."] notitle; "
paint = "set multiplot layout 2,2 title series_label font ',15'; set yrange [*<0:*]; ".\
	figure(1).figure(2).figure(3).figure(4)."unset multiplot"
load plots.'/draw.gp'
