# A logarithmic y axis of about one decade: tics at 2 and 5 have numbers too.
stats data using 2 name 'D' nooutput
if (exists('D_min') && D_min > 0 && D_max < 20 * D_min) {
	do for [k=floor(log10(D_min))-1:ceil(log10(D_max))] {
		do for [m in '2 5'] { set ytics add (gprintf('%h', m * 10.0**k) m * 10.0**k) }
	}
}
