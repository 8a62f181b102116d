# Elements of all curves: lines, intervals and points of each series, then what was
# predicted, then marks.  Each point stands at its x.  `joined` is 0 where a
# template draws lines of its own.  Predictions stand in the key, or with
# beside_line at the end of each line; the measured values set the scale.
paint = (joined ? "plot for [i=1:n_series] data index i-1 using 2:3 smooth unique with lines lw 1.6 dt dash[mark(i)] lc rgb colour[pick(i)] notitle, " : "plot ").\
	"for [i=1:n_series] data index i-1 using 2:3:4:5 with yerrorbars lw 1.1 pt 0 lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using 2:3:6 with labels hypertext point pt point[mark(i)] ps 0.65 lc rgb colour[pick(i)] notitle"
if (joined) { paint = paint.", for [i=1:n_series] NaN with linespoints lw 1.6 ps 0.7 dt dash[mark(i)] pt point[mark(i)] lc rgb colour[pick(i)] title (single[i] ? '' : series[i]), for [i=1:n_series] NaN with points ps 0.7 pt point[mark(i)] lc rgb colour[pick(i)] title (single[i] ? series[i] : '')" }
do for [j=1:n_predicted] {
	stats data index n_series+j-1 using 3 name 'P' nooutput
	if (P_max > top && P_max < 1.4 * top) { top = P_max }
	if (P_min > top || P_max < bottom) { predicted[j] = predicted[j].' (outside)' }
}
if (n_predicted) { paint = paint.", for [j=1:n_predicted] data index n_series+j-1 using 2:3 with lines lw 1.4 dt 9 lc rgb '#333333' ".(exists('beside_line') ? "title (j == 1 ? 'predicted' : ''), for [j=1:n_predicted] data index n_series+j-1 every ::32::32 using 2:3:6 with labels right offset 0,0.5 font ',11' textcolor rgb '#333333' notitle" : "title predicted[j]") }
if (n_below) { paint = paint.", for [i=1:n_series] data index i-1 using 2:(valid(3) ? NaN : $5) with points pt 10 ps 0.8 lc rgb colour[pick(i)] notitle, NaN with points pt 10 ps 0.8 lc rgb '#333333' title 'less than'" }
do for [i=1:n_marks] {
	if (mark_at[i] >= X_min && mark_at[i] <= X_max) {
		set arrow i from first mark_at[i], graph 0 to first mark_at[i], graph 1 nohead dt 2 lw 1 lc rgb '#777777'
		set label i marks[i].' ' at first mark_at[i], graph 0.97 - 0.05 * ((i - 1) % 4) right textcolor rgb '#555555'
	}
}
if (!exists('fixed')) {
	if (log_y) { set yrange [bottom * 0.8:top * 1.25] } else { set yrange [0:top * 1.06] }
}
