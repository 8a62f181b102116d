# What all figures share.  Colours are those of Okabe and Ito, which people
# with any kind of colour vision tell apart, and a dark ninth; points and dashes
# differ too, for paper without colour.
set encoding utf8
set termoption noenhanced
# An element that names a column is not drawn where that is NaN: points are an
# element of their own, for a value of fewer than 6 rounds has no interval.
set datafile missing 'NaN'
array colour[9] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#7F7F7F', '#882255']
array point[8] = [7, 5, 9, 13, 11, 6, 4, 8]
array dash[8] = [1, 2, 4, 5, 3, 6, 7, 8]
# Beyond those that gnuplot has.
set dashtype 6 (6, 3)
set dashtype 7 (22, 4)
set dashtype 8 (14, 4, 5, 4)
# Nine of the one and eight of the other: all 72 pairs differ.
pick(i) = 1 + (i - 1) % 9
mark(i) = 1 + (i - 1) % 8

wide = 840
high = 500

set border 3 lw 1 lc rgb '#333333'
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set grid xtics ytics lw 0.6 lc rgb '#DDDDDD' lt 1
set format '%h'
set key outside top center horizontal Left reverse samplen 3.5 spacing 1.25 textcolor rgb '#222222'
# gnuplot lets a wide key run over the edge: as many columns as fit.
longest = 1
do for [i=1:n_series] { if (strlen(series[i]) > longest) { longest = strlen(series[i]) } }
set key maxcols (longest > 80 ? 1 : 760 / (72 + 8 * longest))
# Three digits.
digits(v) = v >= 99.95 ? sprintf('%.0f', v) : v >= 9.995 ? sprintf('%.1f', v) : v >= 0.9995 ? sprintf('%.2f', v) : v >= 0.1 ? sprintf('%.3f', v) : sprintf('%.3g', v)
set xlabel x_label textcolor rgb '#222222'
set ylabel y_label textcolor rgb '#222222'
set bars 0.6

# The key of lines that are drawn apart from their points: both of them.
key = "for [i=1:n_series] NaN with linespoints lw 1.6 ps 0.7 dt dash[mark(i)] pt point[mark(i)] lc rgb colour[pick(i)] title series[i]"

# Without a name a series needs no key.
if (n_series == 1 && strlen(series[1]) == 0) unset key
