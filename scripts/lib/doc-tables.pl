# SPDX-License-Identifier: MIT
# Fills the tables of a page of docs/, for make docs: perl doc-tables.pl PAGE, in the
# tree.  A line <!-- table: NAME --> becomes the table of docs/NAME.tsv; lmbench and
# mistakes have lines of rows.tsv, too.

use strict;
use warnings;

my %title = (
	none => 'Columns of the summary without a row',
	program => 'Programs that the summary leaves out',
	line => 'How each line is made',
	asked => 'Asked for by known parsers, without a row',
);

# The fields of each line of FILE...
sub fields {
	return map { chomp; [ split /\t/, $_, -1 ] } map { open my $file, '<', $_ or die "$_: $!\n"; <$file> } @_;
}

# table HEADS, ROW...: each a list of columns.
sub table {
	print map { '| ' . join(' | ', @$_) . " |\n" } $_[0], [ ('---') x @{ $_[0] } ], @_[ 1 .. $#_ ];
}

# groups HEADS, ROW...: a table for each run of rows of one group, their first column.
sub groups {
	my ($heads, @rows) = @_;
	my $first = 1;

	while (@rows) {
		my $group = $rows[0][0];
		my @same;

		push @same, shift @rows while @rows && $rows[0][0] eq $group;
		print "\n" if !$first;
		$first = 0;
		print '## ', $title{$group} // $group, "\n\n";
		table($heads, map { [ @$_[ 1 .. $#$_ ] ] } @same);
	}
}

sub empty { return $_[0] eq '-' ? $_[1] : $_[0] }

# lmbench's own groups, in its order.
sub summary {
	my @rows = sort { ($a->[1] =~ /^(\d+)/)[0] <=> ($b->[1] =~ /^(\d+)/)[0] } grep { $_->[0] eq 'lmbench' } fields(glob 'bench/*/rows.tsv');
	groups([ 'operation', 'row', 'difference to lmbench' ], map {
		[ $_->[1] =~ s/^\d+ //r, $_->[2], $_->[3] eq '-' ? '–' : "`$_->[3] $_->[4]`", empty($_->[5], '') ]
	} @rows);
	print "\n";
}

while (<>) {
	if (!/^<!-- table: ([a-z]+) -->$/) {
		print;
	} elsif ($1 eq 'mistakes') {
		table([ 'mistake', 'the naive program', 'why it is wrong', 'this suite' ],
			map { [ "$_->[2] (`$_->[1]`)", @$_[ 9 .. 11 ] ] } grep { $_->[0] eq 'mistake' } fields('bench/cpu/rows.tsv'));
	} else {
		my ($heads, @rows) = fields("docs/$1.tsv");
		summary() if $1 eq 'lmbench';
		groups([ @$heads[ 1 .. $#$heads ] ], map { [ @$_[ 0, 1 ], empty($_->[2], '–'), empty($_->[3], '') ] } @rows);
	}
}
