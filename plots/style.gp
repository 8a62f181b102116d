# The style of all figures.  Data: series x y low high label, a block for each
# series.  Colours are those of Okabe and Ito, which people
# with any kind of colour vision tell apart, and a dark ninth; points and dashes
# differ too, for paper without colour.
set encoding utf8
set termoption noenhanced
# An element that names a column is not drawn where that is NaN: points are an
# element of their own, for a value of fewer than 6 rounds has no interval.
set datafile missing 'NaN'
data = id.'.dat'
array colour[9] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#7F7F7F', '#882255']
array point[8] = [7, 5, 9, 13, 11, 6, 4, 8]
array dash[8] = [1, 2, 4, 5, 3, 6, 7, 8]
# Beyond those that gnuplot has; the ninth is that of estimates.
set dashtype 6 (6, 3)
set dashtype 7 (22, 4)
set dashtype 8 (14, 4, 5, 4)
set dashtype 9 (2, 4)
# Nine of the one and eight of the other: all 72 pairs differ.
pick(i) = 1 + (i - 1) % 9
mark(i) = 1 + (i - 1) % 8

# All figures are as wide; those that list things are as high as the list.
wide = 640
high = 400

set title title font ',14' textcolor rgb '#222222'
set border 3 lw 1 lc rgb '#333333'
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set grid xtics ytics lw 0.6 lc rgb '#DDDDDD' lt 1
set format '%h'
# The key stands below, in as many columns as fit: gnuplot lets a wide one run
# over the edge.  Its lines make the picture higher, not its plot lower.
set key outside bottom center horizontal Left reverse samplen 2.8 spacing 1.15 textcolor rgb '#222222'
if (!exists('n_predicted')) { n_predicted = 0 }
longest = 1
do for [i=1:n_series] { if (strlen(series[i]) > longest) { longest = strlen(series[i]) } }
do for [i=1:n_predicted] { if (strlen(predicted[i]) > longest) { longest = strlen(predicted[i]) } }
columns_of_key = longest > 45 ? 1 : 600 / (48 + 6 * longest)
set key maxcols columns_of_key width -0.15 * longest height 0.9
high = high + 17 * ((n_series + n_predicted - 1) / columns_of_key)
# Thousands and millions by a letter: no number has an exponent.
number(v) = v >= 1e9 ? sprintf('%gG', v / 1e9) : v >= 1e6 ? sprintf('%gM', v / 1e6) : v >= 1e5 ? sprintf('%gk', v / 1e3) : v < 1e-4 ? sprintf('%.0e', v) : sprintf('%g', v)
# Three digits.
digits(v) = v >= 99.95 ? sprintf('%.0f', v) : v >= 9.995 ? sprintf('%.1f', v) : v >= 0.9995 ? sprintf('%.2f', v) : v >= 0.1 ? sprintf('%.3f', v) : sprintf('%.3g', v)
set xlabel x_label offset 0,0.3 textcolor rgb '#222222'
set ylabel y_label textcolor rgb '#222222'
set bars 0.6

# Without a name a series needs no key.
if (n_series == 1 && strlen(series[1]) == 0) unset key
