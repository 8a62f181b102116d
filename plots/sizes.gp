# Numbers of bytes on a logarithmic x axis, in steps of 2^10.
set logscale x 2
size(b) = b >= 2**30 ? sprintf('%g GiB', b / 2**30) : b >= 2**20 ? sprintf('%g MiB', b / 2**20) : b >= 1024 ? sprintf('%g KiB', b / 1024) : sprintf('%g B', b)
set xrange [X_min / 1.3:X_max * 1.3]
# As many by name as have room.
every = 1 + int(log(X_max / X_min) / log(2)) / 9
first_k = ceil(log(X_min) / log(2) - 1e-9)
set xtics ()
do for [k=0:40] {
	if (2.0**k >= X_min / 1.3 && 2.0**k <= X_max * 1.3) {
		if ((k - first_k) % every == 0) {
			set xtics add (size(2.0**k) 2.0**k)
		} else {
			set xtics add ('' 2.0**k 1)
		}
	}
}
