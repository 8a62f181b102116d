#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# flame.pl - a flame graph, one SVG file.
#
# usage: flame.pl TITLE FOLDED [FOLDED]
#
# FOLDED has lines "FRAME;FRAME COUNT".  For two the width is the greater count of
# each frame, red where the second has more, blue where it has less; white is the
# same.  A click widens a frame, another one on the lowest widens all.

use strict;
use warnings;
use List::Util qw(max sum0);

use constant { WIDTH => 1200, ROW => 17, TOP => 44, LEAST => 0.3, LETTER => 6.7 };

my ($title, @files) = @ARGV;
my $depth = 0;
my @svg;

die "usage: flame.pl TITLE FOLDED [FOLDED]\n" if !@files || @files > 2;

my $root = { name => 'all', own => [0, 0], below => {} };

for my $k (0 .. $#files) {
	open my $in, '<', $files[$k] or die "flame.pl: $files[$k]: $!\n";
	while (<$in>) {
		my ($path, $n) = /^(.*) (-?[0-9.]+)$/ or next;
		my $at = $root;

		$at = $at->{below}{$_} //= { name => $_, own => [0, 0], below => {} } for split /;/, $path;
		$at->{own}[$k] += $n;
	}
}

# Counts with all below, and the width: parents are as wide as their children.
sub add_up {
	my ($at) = @_;

	$at->{n} = [@{ $at->{own} }];
	$at->{wide} = max(0, @{ $at->{own} });
	for my $below (values %{ $at->{below} }) {
		add_up($below);
		$at->{n}[$_] += $below->{n}[$_] for 0, 1;
		$at->{wide} += $below->{wide};
	}
}

sub escaped { return $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr =~ s/"/&quot;/gr }

sub number { return sprintf('%.2f', $_[0]) =~ s/\.?0+$//r }

sub color {
	my ($at) = @_;
	my ($x, $y) = @{ $at->{n} };
	my $hash = 0;

	if (@files == 1) {
		$hash = ($hash * 31 + ord) % 9973 for split //, $at->{name};
		return sprintf 'rgb(%d,%d,%d)', 215 + $hash % 40, 110 + $hash % 97, 50 + $hash % 31;
	}
	my $pale = 235 - int(120 * abs($y - $x) / max($x, $y, 1));

	return $y > $x ? "rgb(255,$pale,$pale)" : $y < $x ? "rgb($pale,$pale,255)" : 'rgb(245,245,245)';
}

sub draw {
	my ($at, $x, $level, $scale) = @_;
	my $width = $at->{wide} * $scale;
	my ($x_n, $y_n) = map { number($_) } @{ $at->{n} };
	my $share = number(100 * $at->{n}[0] / max($root->{n}[0], 1e-9));
	my $text = @files == 1 ? "$x_n instructions, $share %" : "$x_n to $y_n instructions";

	return if $width < LEAST;
	$depth = max($depth, $level);
	push @svg, { x => $x, level => $level, width => $width, color => color($at),
		name => escaped($at->{name}), text => $text };
	for my $below (sort { $a->{name} cmp $b->{name} } values %{ $at->{below} }) {
		draw($below, $x, $level + 1, $scale);
		$x += $below->{wide} * $scale;
	}
}

add_up($root);
draw($root, 0, 0, WIDTH / max($root->{wide}, 1e-9));
my $height = TOP + ROW * ($depth + 1) + 6;

printf <<'END', WIDTH, $height, WIDTH, $height, escaped($title), escaped($title);
<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="monospace" font-size="11">
<title>%s</title>
<rect width="100%%" height="100%%" fill="white"/>
<text x="6" y="18" font-size="14">%s</text>
<text x="6" y="34" class="shown"> </text>
END
for (@svg) {
	my $letters = int(($_->{width} - 4) / LETTER);
	my $label = $letters < 3 ? '' : length $_->{name} <= $letters ? $_->{name}
		: substr($_->{name}, 0, $letters - 2) . '..';

	$label =~ s/&[^;]*\.\.$/../;
	printf qq{<g><title>%s: %s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="white" stroke-width="0.5"/>} .
		qq{<text x="%.1f" y="%d">%s</text></g>\n}, $_->{name}, $_->{text}, $_->{x},
		$height - 6 - ROW * ($_->{level} + 1), $_->{width}, ROW - 1, $_->{color},
		$_->{x} + 2, $height - 6 - ROW * $_->{level} - 5, $label;
}
printf <<'END', WIDTH, LETTER;
<script><![CDATA[
{
const svg = document.currentScript.closest("svg");
const all = [...svg.querySelectorAll("g")].map(g => ({ g, r: g.children[1], t: g.children[2],
	x: +g.children[1].getAttribute("x"), w: +g.children[1].getAttribute("width"),
	name: g.children[0].textContent }));
for (const f of all) {
	f.g.onmouseover = () => { svg.querySelector(".shown").textContent = f.name };
	f.g.onclick = () => {
		for (const o of all) {
			const above = o.x <= f.x + 0.05 && o.x + o.w >= f.x + f.w - 0.05;
			const x = above ? 0 : (o.x - f.x) * %d / f.w, w = above ? %1$d : o.w * %1$d / f.w;
			const n = Math.floor((w - 4) / %2$s), name = o.name.replace(/: .*/, "");
			o.g.style.display = above || (o.x >= f.x - 0.05 && o.x + o.w <= f.x + f.w + 0.05) ? "" : "none";
			o.r.setAttribute("x", x); o.r.setAttribute("width", w); o.t.setAttribute("x", x + 2);
			o.t.textContent = n < 3 ? "" : name.length <= n ? name : name.slice(0, n - 2) + "..";
		}
	};
}
}
]]></script>
</svg>
END
