# Points with their 95 % intervals and, for each series, the straight line that
# fits them best (least squares), with its equation and its R2.
load plots.'/style.gp'
load plots.'/measured.gp'
if (log_y) { set logscale y; load plots.'/decades.gp' }
set autoscale xfix
set offsets graph 0.04, graph 0.04, 0, 0
set key maxcols 1
high = 400 + 17 * (n_series + n_predicted - 1)
array a[n_series]
array b[n_series]
array said[n_series]
array from[n_series]
array to[n_series]
do for [i=1:n_series] {
	stats data index i-1 using 2:3 name 'L' nooutput
	fitted = exists('L_slope') && L_records > 2
	a[i] = fitted ? L_intercept : NaN
	b[i] = fitted ? L_slope : NaN
	from[i] = fitted ? L_min_x : 0
	to[i] = fitted ? L_max_x : 0
	said[i] = fitted ? sprintf('%s: %.3g %s %.3g n, R² %.3f', series[i], L_intercept, L_slope < 0 ? '−' : '+', abs(L_slope), L_correlation ** 2) : series[i]
}
joined = 0
load plots.'/lines.gp'
paint = paint.", for [i=1:n_series] [t=0:1] '+' using (from[i]+$1*(to[i]-from[i])):(a[i]+b[i]*(from[i]+$1*(to[i]-from[i]))) with lines lw 1.2 dt dash[mark(i)] lc rgb colour[pick(i)] notitle, ".\
	"for [i=1:n_series] NaN with points ps 0.7 pt point[mark(i)] lc rgb colour[pick(i)] title said[i]"
load plots.'/draw.gp'
