# What all figures share.  Colours are those of Okabe and Ito, which people
# with any kind of colour vision tell apart; points and dashes differ too, for
# paper without colour.
set encoding utf8
set termoption noenhanced
# An element that names a column is not drawn where that is NaN: points are an
# element of their own, for a value of fewer than 6 rounds has no interval.
set datafile missing 'NaN'
array colour[8] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#7F7F7F']
array point[8] = [7, 5, 9, 13, 11, 6, 4, 8]
array dash[8] = [1, 2, 4, 5, 3, 6, 1, 2]
pick(i) = 1 + (i - 1) % 8
# The ninth has the first one's colour, not its dashes or points as well.
mark(i) = 1 + (i - 1 + 3 * ((i - 1) / 8)) % 8

wide = 840
high = 500

set border 3 lw 1 lc rgb '#333333'
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set grid xtics ytics lw 0.6 lc rgb '#DDDDDD' lt 1
set key outside top center horizontal Left reverse samplen 2.5 spacing 1.25 textcolor rgb '#222222'
set xlabel x_label textcolor rgb '#222222'
set ylabel y_label textcolor rgb '#222222'
set bars 0.6

# Without a name a series needs no key.
if (n_series == 1 && strlen(series[1]) == 0) unset key
