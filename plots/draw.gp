# Draws `paint` (a string with the plot command) into both kinds of file.
set terminal svg size wide, high font 'Helvetica,Arial,sans-serif,12' background '#ffffff' noenhanced dashlength 1.2
set output id.'.svg'
eval paint
set output
set terminal pngcairo size 2 * wide, 2 * high fontscale 1.5 linewidth 2 pointscale 2.8 font 'sans,12' background '#ffffff' noenhanced
set output id.'.png'
eval paint
set output
