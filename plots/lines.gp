# What curves share: lines, intervals and points of each series, then what was
# predicted, then marks.  Series stand a little beside each other, so that none
# hides another; `joined` is 0 where other lines join the points.  What was
# predicted stands in the key, or with beside_line at the end of each line.
# Data: x value low high cycles below n row; behind the series x predicted.
beside(i) = i - (n_series + 1) / 2.0
if (!exists('on_log')) { on_log = log_x }
at(x, i) = on_log ? x * dodge ** beside(i) : x + dodge * beside(i)
do for [i=1:n_marks] {
	if (mark_at[i] >= X_min && mark_at[i] <= X_max) {
		set arrow 20 + i from first mark_at[i], graph 0 to first mark_at[i], graph 1 nohead dt 2 lw 1 lc rgb '#777777'
		set label 20 + i marks[i].' ' at first mark_at[i], graph 0.97 right textcolor rgb '#555555'
	}
}
paint = "plot ".(joined ? "for [i=1:n_series] data index i-1 using (at($1,i)):2 with lines lw 1.6 dt dash[mark(i)] lc rgb colour[pick(i)] notitle, " : "").\
	"for [i=1:n_series] data index i-1 using (at($1,i)):2:3:4 with yerrorbars lw 1.1 pt 0 lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] data index i-1 using (at($1,i)):2:8 with labels hypertext point pt point[mark(i)] ps 0.65 lc rgb colour[pick(i)] notitle"
if (joined) { paint = paint.", for [i=1:n_series] NaN with linespoints lw 1.6 ps 0.7 dt dash[mark(i)] pt point[mark(i)] lc rgb colour[pick(i)] title series[i]" }
if (n_predicted) { paint = paint.", for [j=1:n_predicted] data index n_series+j-1 using 1:2 with lines lw 1.4 dt 9 lc rgb '#333333' ".(exists('beside_line') ? "title (j == 1 ? 'predicted' : ''), for [j=1:n_predicted] data index n_series+j-1 every ::32::32 using 1:2:(predicted[j]) with labels right offset 0,0.5 font ',11' textcolor rgb '#333333' notitle" : "title predicted[j]") }
if (n_below) { paint = paint.", for [i=1:n_series] data index i-1 using (at($1,i)):6 with points pt 10 ps 0.8 lc rgb colour[pick(i)] notitle, NaN with points pt 10 ps 0.8 lc rgb '#333333' title 'below resolution'" }
