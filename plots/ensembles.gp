# SPDX-License-Identifier: MIT
# The paper's four graphs of one timing method: least time and variance
# against ensemble, for the empty body and for the growing loop: four series.
# As steps: one path of an SVG, where each point would be an element.
load plots.'/style.gp'
unset key
high = 560
set xtics 50
all = title
# Large numbers in thousands or millions.
array unit_of[4]
do for [i=1:4] {
	stats data index i-1 using 3 name 'E' nooutput
	unit_of[i] = E_max >= 1e7 ? 1e6 : E_max >= 1e4 ? 1e3 : 1
}
thousands(u) = u > 1e3 ? ', millions' : u > 1 ? ', thousands' : ''
figure(i) = "set xlabel '".(i % 2 ? 'ensemble' : x_label)."'; ".\
	"set ylabel '".(i <= 2 ? 'least time, ' : 'variance, ').y_label.(i <= 2 ? '' : '²').thousands(unit_of[i])."'; ".\
	"set title '".(i % 2 ? 'empty body' : 'growing loop')."' font ',12'; ".\
	"plot data index ".(i - 1)." using 2:($3/unit_of[".i."]) with steps lw 1.2 lc rgb colour[".(i <= 2 ? 1 : 2)."] notitle; "
paint = "set multiplot layout 2,2 title all font ',14'; set yrange [*<0:*]; ".\
	figure(1).figure(2).figure(3).figure(4)."unset multiplot"
load plots.'/draw.gp'
