# SPDX-License-Identifier: MIT
# The card: one line for each operation, its dot and interval against cost, in
# two panels: times (the first series), and bandwidths below.  x counts the
# operations; label begins with the value.
load plots.'/style.gp'
n_times = 0
stats data index 0 using (valid(2) ? (n_times = n_times + 1) : 0) nooutput
n_rates = n_categories - n_times
unset title
row = 17.0
head = 34
foot = 32
high = head + row * (n_times + n_rates) + foot * ((n_times > 0) + (n_rates > 0))
unset key
unset xlabel
unset ylabel
set logscale x
set border 1
set lmargin at screen 0.36
set rmargin at screen 0.965
set tics font ',11'
unset ytics
set mxtics 10
set grid xtics lw 0.6 lc rgb '#DDDDDD' lt 1
set bars 0.4
# Powers of ten by name; of the steps of a logarithm no others.
as_time(k) = k < 3 ? sprintf('%g ns', 10.0**k) : k < 6 ? sprintf('%g µs', 10.0**(k - 3)) : k < 9 ? sprintf('%g ms', 10.0**(k - 6)) : sprintf('%g s', 10.0**(k - 9))
as_rate(k) = k < 3 ? sprintf('%g B/s', 10.0**k) : k < 6 ? sprintf('%g kB/s', 10.0**(k - 3)) : k < 9 ? sprintf('%g MB/s', 10.0**(k - 6)) : sprintf('%g GB/s', 10.0**(k - 9))
# Two powers of ten at least; the text behind the largest must fit as well.
from(least) = 0.8 * 10.0**floor(log10(least) + 1e-9)
wider(least, up) = up > 20 * from(least) ? up : 20 * from(least)
to(least, most) = wider(least, most * (most / from(least))**0.2 * 1.5)
# The drawing of a line of data begins and ends here.
begin(v, low, high) = low > 0 ? low : v > 0 ? v : high
end(v, high) = high > v || !(v > 0) ? high : v
stated(label) = label[1:strstrt(label.' (', ' (') - 1]
panel = "set xrange [low:up]; set xtics () offset 0,0.7; ".\
	"do for [k=-3:15] { if (10.0**k >= low && 10.0**k <= up) { if (rates) { set xtics add (as_rate(k) 10.0**k) } else { set xtics add (as_time(k) 10.0**k) } } }; ".\
	"set yrange [first + n - 0.4:first - 0.6]; set tmargin at screen top; set bmargin at screen top - row * n / high; ".\
	"plot data index rates using (low):2:(up-low):(0) with vectors nohead lw 0.6 lc rgb '#DDDDDD' notitle, ".\
	"data index rates using (1.001*low):2:(categories[int($2)+1]) with labels right offset -0.8,0 font ',11' textcolor rgb '#222222' notitle, ".\
	"data index rates using 3:2:4:5 with xerrorbars pt 0 lw 1.4 lc rgb colour[1 + rates] notitle, ".\
	"data index rates using 3:2:6 with labels hypertext point pt 7 ps 0.55 lc rgb colour[1 + rates] notitle, ".\
	"data index rates using (valid(3) ? NaN : $5):2 with points pt 10 ps 0.7 lc rgb colour[1 + rates] notitle, ".\
	"data index rates using (end(column(3),column(5))):2:(stated(strcol(6))) with labels left offset 0.8,0 font ',11' textcolor rgb '#222222' notitle"
do for [i=0:1] {
	if (i ? n_rates : n_times) {
		stats data index i using (begin(column(3), column(4), column(5))) name 'L' nooutput
		stats data index i using (end(column(3), column(5))) name 'H' nooutput
		if (i) { low_1 = from(L_min); up_1 = to(L_min, H_max) } else { low_0 = from(L_min); up_0 = to(L_min, H_max) }
	}
}
machine = title
set label 1 machine at screen 0.5, 1 - 17.0 / high center font ',12' textcolor rgb '#222222'
paint = "set multiplot; top = 1 - head / high; ".\
	"if (n_times) { rates = 0; first = 0; n = n_times; low = low_0; up = up_0; eval panel; top = top - (row * n + foot) / high; unset label 1 }; ".\
	"if (n_rates) { rates = 1; first = n_times; n = n_rates; low = low_1; up = up_1; eval panel }; ".\
	"unset multiplot; set label 1 machine at screen 0.5, 1 - 17.0 / high center font ',12' textcolor rgb '#222222'"
load plots.'/draw.gp'
