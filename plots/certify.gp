# SPDX-License-Identifier: MIT
# The paper's four graphs of one timing method: least time and variance
# against ensemble, for the empty body and for the growing loop.
# Data: <id>-empty.dat and <id>-loop.dat, lines `ensemble min variance`.
# scripts/certify sets id, method and plots (the directory of this file).
n_series = 1
array series[1] = ['']
x_label = 'ensemble'
y_label = ''
load plots.'/style.gp'
wide = 1000
high = 700
file(body) = id.'-'.body.'.dat'
paint = "set multiplot layout 2,2 title 'method '.method font ',15'; ".\
	"set ylabel 'least time, ticks'; set xlabel 'ensemble'; ".\
	"set yrange [*<0:*]; set title 'empty body: minimum' font ',13'; ".\
	"plot file('empty') using 1:2 with points pt 7 ps 0.35 lc rgb colour[1] notitle; ".\
	"set ylabel 'variance, ticks²'; set title 'empty body: variance' font ',13'; ".\
	"plot file('empty') using 1:3 with points pt 7 ps 0.35 lc rgb colour[2] notitle; ".\
	"set ylabel 'least time, ticks'; set xlabel 'ensemble = stores in the loop'; ".\
	"set title 'growing loop: minimum' font ',13'; ".\
	"plot file('loop') using 1:2 with points pt 7 ps 0.35 lc rgb colour[1] notitle; ".\
	"set ylabel 'variance, ticks²'; set title 'growing loop: variance' font ',13'; ".\
	"plot file('loop') using 1:3 with points pt 7 ps 0.35 lc rgb colour[2] notitle; ".\
	"unset multiplot"
load plots.'/draw.gp'
