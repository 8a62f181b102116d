# SPDX-License-Identifier: MIT
# Lines "round<TAB>what/who<TAB>value": a table of the medians over the rounds,
# of the medians of the ratios ours / other, each of one round, and of the least
# of each: what disturbs a machine makes a time longer and none shorter.

BEGIN { FS = "[\t/]" }

function median(s, n,   v, i, j, t) {
	n = split(s, v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function least(s,   v, i, n, m) {
	n = split(s, v, " ")
	m = v[1]
	for (i = 2; i <= n; i++)
		if (v[i] + 0 < m + 0)
			m = v[i]
	return m
}

{
	value[$1, $2, $3] = $4
	if (!(($2, $3) in all))
		order[++n] = $2 "\t" $3
	all[$2, $3] = all[$2, $3] " " $4
}

$1 > last { last = $1 }

END {
	printf "%-22s %-18s %12s %12s %7s %12s : %s\n", "what", "other", "ours", "other", "ratio", \
		"least", "least"
	for (k = 1; k <= n; k++) {
		split(order[k], p, "\t")
		if (p[2] == "ours" || !((p[1], "ours") in all))
			continue
		ratios = ""
		for (r = 1; r <= last; r++)
			if (value[r, p[1], p[2]] > 0)
				ratios = ratios " " value[r, p[1], "ours"] / value[r, p[1], p[2]]
		printf "%-22s %-18s %12.4g %12.4g %7.3f %12.4g : %.4g\n", p[1], p[2], \
			median(all[p[1], "ours"]), median(all[p[1], p[2]]), median(ratios), \
			least(all[p[1], "ours"]), least(all[p[1], p[2]])
	}
}
