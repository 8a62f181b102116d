# Draws `paint` (a string with the plot command) into both kinds of file.
set terminal svg size wide, high font 'Helvetica,Arial,sans-serif,12' background '#ffffff' noenhanced dashlength 1.2
set output id.'.svg'
eval paint
set output
set terminal pdfcairo size wide / 96.0, high / 96.0 fontscale 0.75 font 'Helvetica,12' background '#ffffff' noenhanced
set output id.'.pdf'
eval paint
set output
