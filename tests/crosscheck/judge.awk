# SPDX-License-Identifier: MIT
# Lines "label<TAB>ratio": of each label the median ratio and its 95 % interval
# by ranks, and whether it is within `percent` of 1.  Exit: 0 all are, with their
# whole intervals; 1 one is not, with its whole interval; 2 too few ratios; 77
# one interval reaches over the edge.

BEGIN { FS = "\t" }

# The largest k with P(fewer than k of n below the median) <= 0.025.
function rank(n,    k, p, sum) {
	for (p = 0.5 ^ n; sum + p <= 0.025; k++) {
		sum += p
		p *= (n - k) / (k + 1)
	}
	return k
}

function sort(v, n,    i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j] < v[j - 1]; j--) {
			t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
		}
}

{
	if (!($1 in n))
		label[++labels] = $1
	all[$1, ++n[$1]] = 100 * ($2 - 1)
}

END {
	for (i = 1; i <= labels; i++) {
		m = n[label[i]]
		for (j = 1; j <= m; j++)
			v[j] = all[label[i], j]
		sort(v, m)
		k = rank(m)
		if (!k) {
			printf "%s: too few ratios\n", label[i]
			few = 1
			continue
		}
		low = v[k]
		high = v[m + 1 - k]
		word = low > percent || high < -percent ? ": DIFFERENT" : \
			low < -percent || high > percent ? ": not resolved" : ""
		different += word ~ /DIFF/
		unknown += word ~ /not/
		printf "%s: %+.2f %%, interval %+.2f to %+.2f, %d pairs%s\n", label[i], \
			(v[int((m + 1) / 2)] + v[int(m / 2) + 1]) / 2, low, high, m, word
	}
	exit different ? 1 : few || !labels ? 2 : unknown ? 77 : 0
}
