# A curve over sizes: steps show where a cache ends, and marks where the machine
# says it does and where it was measured.  The right axis has the same in core
# cycles.
load plots.'/style.gp'
load plots.'/measured.gp'
load plots.'/sizes.gp'
# Both axes get their ranges from the data, so that they agree.
if (log_y) { set logscale y; load plots.'/decades.gp' }
bottom = log_y ? bottom * 0.8 : 0
top = top * (log_y ? 2 : 1.1)
set yrange [bottom:top]
if (cycles_per_unit > 0) {
	if (log_y) { set logscale y2 }
	set y2range [bottom * cycles_per_unit:top * cycles_per_unit]
	set y2tics textcolor rgb '#222222'
	set y2label 'core cycles' textcolor rgb '#222222'
	set border 11
}
high = high + 60
beside_line = 1
fixed = 1
joined = 1
load plots.'/lines.gp'
load plots.'/draw.gp'
