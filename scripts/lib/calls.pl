#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# calls.pl - call paths of the rows of a ledger, from what the plugin counted
# (ledger/ledger_plugin.c).
#
# usage: calls.pl fold CALLS SYMBOLS ROWS CLASSES   "PROGRAM CASE;PATH COUNT" for each
#                path of each row: instructions of one operation, which add up to
#                the row; rows that cannot be explained are named on stderr, with the reason; how many
#                are of each class to CLASSES, as TSV
#        calls.pl table KERNEL FOLDED ...     the rows, and functions of a kernel alone
#        calls.pl because KERNEL FOLDED KERNEL FOLDED [PCT]   why rows changed by
#                2 % or more: the causes that they share, then the functions of each;
#                with PCT rows that take more by more than that, status 3 if any does
#        calls.pl causes KERNEL FOLDED KERNEL FOLDED ...   of each against the first
#                the rows that changed with their causes, as TSV
#        calls.pl sums CALLS SYMBOLS RUNNER   "SECTION WHAT COUNT": instructions of the
#                kernel in each section, by what asked for them: a call by its name,
#                "fault", "child" (the first return of a new task), or, which are not the
#                program's, "interrupts", "threads" and "idle"; without the calls of a
#                user whose text lies in the 16 MiB at RUNNER, but for its exec
#        calls.pl residual TIMES ROWS.TSV ...   what each row's time ("ROW\tNS") is
#                beyond one coefficient for each class
#
# SYMBOLS are lines "ADDRESS NAME [PROGRAM]", of the kernel and of programs; ROWS lines "SECTION PROGRAM
# NUMBER CASE ESTIMATOR UNIT VALUE ITERS BASELINE MIN MAX OVERHEAD", with tabs between; NUMBER: in
# the program's --list, from 0.

use strict;
use warnings;
no warnings 'portable'; # 64 bits
use List::Util qw(first max min sum0 uniqnum);

use constant {
	USER_ENDS => 1 << 47,
	LIBRARIES => 0x7f0000000000,
	INTERRUPT => 3,
	PART      => 16,	 # bytes
	LINES     => 2,	 # of the classes, the last ones
	EMPTY     => qr/^(?:timer_)?empty/, # functions that time nothing
	LEAVES    => qr/^(?:syscall_|exit_to_|__x86_)|sys_call$/, # of the way in and out
	HARNESS   => qr/^(?:visit_case|one_event|note_sampled|reference_share|time_chain)$/,
	CHANGED   => 0.02,	 # of a row
	SHOWN     => 0.9,	 # of its difference
	CAUSE     => 0.1,	 # the least share of a difference that is a cause
};

# Counts behind a read by the plugin; lines are of a whole sample, others of one operation.
my @classes = qw(locked cr3 msr fence swapgs indirect code_lines data_lines);

# Where a program of a build, a static one and the shell lie.
my $moved = 0x555555554000;

# For the kernel, '', and for each program: its addresses, in order, and their names.
my %symbols;
my $program = ''; # whose the user's addresses are
my (%function, %path, @nodes, $parts);

# The least of several names of one address: marks of a section come last, then
# longer ones, then by letter.
sub rank {
	my ($name) = @_;

	return sprintf '%d%05d%s', $name =~ /_(?:start|end|begin)$/ ? 1 : 0, length $name, $name;
}

sub read_symbols {
	my ($file) = @_;
	my %best;

	open my $in, '<', $file or die "calls.pl: $file: $!\n";
	while (<$in>) {
		my ($at, $name, $of) = split;

		next if $name =~ /^__(?:pfx|cfi)_/; # room for a patch
		$name =~ s/\.(?:cold|part|isra|constprop|llvm).*|_noprof$|_orig(?:inal)?$//;
		my $best = \$best{ $of // '' }{ hex $at };
		$$best = $name if !defined $$best || rank($name) lt rank($$best);
	}
	for my $of (keys %best) {
		my @at = sort { $a <=> $b } keys %{ $best{$of} };

		$symbols{$of} = [\@at, [@{ $best{$of} }{@at}]];
	}
}

# From now on the user's addresses are of program $of.
sub look_into {
	my ($of) = @_;

	return if $of eq $program;
	$program = $of;
	%function = ();
	%path = ();
}

sub function {
	my ($at) = @_;

	return $function{$at} //= do {
		my ($addresses, $names) = @{ $symbols{ $at < USER_ENDS ? $program : '' } // [[], []] };
		my ($low, $high) = (0, scalar @$addresses);

		while ($low < $high) {
			my $mid = ($low + $high) >> 1;

			if ($addresses->[$mid] <= $at) { $low = $mid + 1 } else { $high = $mid }
		}
		my $name = $low ? $names->[$low - 1] : 'elsewhere';

		($at >= LIBRARIES && $at < USER_ENDS) || $name eq '_init' ? 'libraries' : $name;
	};
}

# Calls $each with the number of each section and its reads, of which the same ones are one
# thing; a record of many sections is larger than the memory.
sub read_calls {
	my ($file, $each) = @_;
	my ($n, $reads, %known) = (-1);

	open my $in, '<', $file or die "calls.pl: $file: $!\n";
	open $parts, '<:raw', "$file.parts" or die "calls.pl: $file.parts: $!\n";
	while (<$in>) {
		if (/^N/) {
			my (undef, $id, $node) = split ' ', $_, 3;

			$nodes[$id] = $node; # few are asked for
		} elsif (/^M/) {
			$each->($n, $reads) if $n >= 0;
			$n++;
			$reads = [];
			%known = ();
		} elsif ($n >= 0) {
			push @$reads, $known{$_} //= do {
				my (undef, $site, $count, $interrupts, $at, $parts, @of) = split;

				{ site => hex $site, count => $count, interrupts => $interrupts,
				  at => $at, n => $parts, of => [map { $_ // 0 } @of[0 .. $#classes]] };
			};
		}
	}
	$each->($n, $reads) if $n >= 0;
}

# A thunk that only leads to a function is none.
sub leads { return $_[0] =~ /^(?:__x86_(?:indirect|return)_|__indirect_thunk|srso_|retbleed_|__SCT__|entry_ibpb)/ }

# The functions of a node, outermost first, and what it is apart from: a function
# that was jumped to is one of its caller's.
sub path {
	my ($id) = @_;

	return $path{$id} //= do {
		if ($nodes[$id]) {
			my ($parent, $site, $entry, $kind) = split ' ', $nodes[$id];
			($site, $entry) = (hex $site, hex $entry);
			my $above = path($parent);
			my @frames = @{ $above->{frames} };
			my $caller = function($kind ? $site : $site - 1);
			my $name = function($entry);

			@frames = () if $kind == INTERRUPT;
			pop @frames while @frames && leads($frames[-1]) && $caller ne $frames[-1];
			push @frames, $caller if $kind != INTERRUPT && !leads($caller) &&
				(!@frames || $frames[-1] ne $caller);
			push @frames, $name if !@frames || $frames[-1] ne $name;
			{ frames => \@frames, interrupt => $above->{interrupt} || $kind == INTERRUPT,
			  sites => { %{ $above->{sites} }, $site => 1 },
			  user => $site < USER_ENDS ? $site : $above->{user} };
		} else {
			{ frames => [], interrupt => 0, sites => {}, user => 0 };
		}
	};
}

# The visits in @$reads of a section, {NUMBER} => lists of reads, by the case that each is to.
# Before each are reads by read_clock(), as many as the number's two digits of base 16, the last
# one first, and one more, with one by another function between (harness/visit/visit.c).  An
# interrupt can make the clock be read again.
sub visits {
	my ($reads) = @_;
	my $signs = join '', map { function($_->{site} - 1) eq 'read_clock' ? 1 : 0 } @$reads;
	my %visits;

	while ($signs =~ /(1+)0(1+)(0*)/g) {
		push @{ $visits{ 16 * (length($2) - 1) + length($1) - 1 } }, [@$reads[$-[3] .. $+[3] - 1]]
			if !grep { $_->{interrupts} } @$reads[$-[1] + 1 .. $+[2] - 1];
	}
	return \%visits;
}

# The instructions of window $w, times $times, to %$sum by node and block,
# and to the classes @$of.  Lines are the most between two reads, and of the sample with
# the least: another one may have met a fault or another task.
sub add_window {
	my ($of, $sum, $w, $times) = @_;

	my @lines = (0) x @classes;

	for my $r (@{ $w->{reads} }[$w->{i} + 1 .. $w->{j}]) {
		$of->[$_] += $times * $r->{of}[$_] for 0 .. $#classes - LINES;
		$lines[$_] = max($lines[$_], $r->{of}[$_]) for @classes - LINES .. $#classes;
		seek $parts, $r->{at} * PART, 0;
		read $parts, my $bytes, $r->{n} * PART;
		my @part = unpack '(LLQ)*', $bytes;
		while (my ($node, $count, $pc) = splice @part, 0, 3) {
			$sum->{"$node $pc"} += $times * $count;
		}
	}
	$of->[$_] = min($of->[$_] // $lines[$_], $lines[$_]) for @classes - LINES .. $#classes;
}

# Batches of a visit, in their order: each from a read by the function that times them to its
# last one before the next batch.  The operations may read the counter, too.
sub batches {
	my ($reads) = @_;
	my ($total, $begin, @all) = (0);

	for my $j (0 .. $#$reads) {
		my $r = $reads->[$j];

		$total += $r->{count};
		next if function($r->{site} - 1) ne 'time_batch';
		$begin //= $r->{site};
		if ($r->{site} == $begin) {
			push @all, { reads => $reads, i => $j, from => $total };
		} else {
			@{ $all[-1] }{qw(j length)} = ($j, $total - $all[-1]{from});
		}
	}
	return grep { $_->{j} } @all;
}

# Quads of batches of n, 2n, 2n and n operations whose difference is $want, or two
# with that mean: each with the share that it has.
sub quads {
	my ($batches, $want) = @_;
	my %of;

	for my $k (0 .. $#$batches - 3) {
		my @t = map { $_->{length} } @$batches[$k .. $k + 3];
		my $d = $t[1] + $t[2] - $t[0] - $t[3];

		next if $batches->[$k]{reads} != $batches->[$k + 3]{reads};
		push @{ $of{$d} }, $k if $d > 0;
	}
	my $near = sprintf '%.0f', $want;
	return [$of{$near}[-1], 1] if abs($near - $want) < 1e-9 * $want + 1e-6 && $of{$near};
	my $twice = sprintf '%.0f', 2 * $want;
	my ($best) = sort { abs($a - $want) <=> abs($b - $want) }
		grep { $of{ $twice - $_ } } keys %of;
	return if !defined $best || abs($twice - 2 * $want) > 1e-9 * $want + 1e-6;
	return [$of{$best}[-1], 0.5], [$of{ $twice - $best }[-1], 0.5];
}

# A row of repeated operations, whose value is (b - a) / n: counts by node and block.
sub of_batches {
	my ($row, $section) = @_;
	my $batches = [map { batches($_) } @{ $section->{visits}{ $row->{number} } // [] }];
	my $two_n = 2 * $row->{iters};
	my %sum;

	my @more = quads($batches, ($row->{value} + $row->{baseline}) * $two_n);
	my @less = $row->{baseline} ? quads($batches, $row->{baseline} * $two_n) : ();
	return 'no four batches differ by it' if !@more || ($row->{baseline} && !@less);
	my @of_baseline;
	for ([1, $row->{of}, @more], [-1, \@of_baseline, @less]) {
		my ($sign, $of, @quads) = @$_;

		for my $quad (@quads) {
			my ($k, $share) = @$quad;

			add_window($of, \%sum, $batches->[$k + $_],
				$sign * $share * ($_ == 1 || $_ == 2 ? 1 : -1) / $two_n) for 0 .. 3;
		}
	}
	$row->{of}[$_] += $of_baseline[$_] // 0 for 0 .. $#classes - LINES;
	return \%sum;
}

# The cost of the timer, and of it each class: two reads of the function that times
# nothing follow each other at once or, when it is called again, not at once.
sub timer_alone {
	my ($reads) = @_;
	my @all = grep { function($_->{site} - 1) =~ EMPTY } @$reads;
	my %n;

	$n{ $_->{count} }++ for @all;
	my $timer = min(grep { $n{$_} >= @all / 4 } keys %n) // 0;
	my $read = first { $_->{count} == $timer } @all;

	return ($timer, $read ? $read->{of} : []);
}

# Whether windows of these lengths have the sample $x of $ops operations, to one
# instruction.
sub has { my ($lengths, $x) = @_; return grep { $lengths->{ sprintf '%.0f', $x + $_ } } -1, 0, 1 }

# The windows that are the median of a row, among those between the same two
# reads, {LENGTH}: one, or two whose mean it is, the nearest ones.  To half an
# instruction, for medians are of groups.
sub median_of {
	my ($row, $lengths, $timer, $ops) = @_;
	my $want = $ops * $row->{value} + $timer;
	my ($near, $twice) = map { sprintf '%.0f', $_ } $want, 2 * $want;

	return if grep { !has($lengths, $ops * $row->{$_} + $timer) } qw(min max);
	return $near if $lengths->{$near} && abs($near - $want) <= 0.5 + 1e-9 * $want;
	my $below = max(grep { $_ < $want && $lengths->{ $twice - $_ } } keys %$lengths);
	return defined $below && abs($twice - 2 * $want) < 1e-9 * $want + 1e-6 ? ($below, $twice - $below) : ();
}

# Windows of the visits to a case that may be a sample, by the sites of the reads {from} and
# {to}: {windows}{LENGTH} from {i} to {j} of {reads}.  Each read with the one before it, the one
# before that, and the last one of its function; of those that are as long the last one with
# the fewest {interrupts}.
sub between {
	my ($section, $number) = @_;

	return @{ $section->{between}{$number} //= do {
		my %of;

		for my $reads (@{ $section->{visits}{$number} // [] }) {
			my ($total, $interrupts, %last, @till) = (0, 0);

			for my $j (0 .. $#$reads) {
				my $r = $reads->[$j];
				my $name = function($r->{site} - 1);

				$till[$j] = [$total += $r->{count}, $interrupts += $r->{interrupts}];
				next if $name =~ EMPTY || $name =~ HARNESS;
				for my $i (grep { $_ >= 0 } uniqnum $j - 1, $j - 2, $last{$name} // -1) {
					my ($from, $to) = ($reads->[$i]{site}, $r->{site});
					my $between = $of{"$from $to"} //= { from => $from, to => $to };
					my $best = \$between->{windows}{ $total - $till[$i][0] };
					my $w = { reads => $reads, i => $i, j => $j, interrupts => $interrupts - $till[$i][1] };

					$$best = $w if !$$best || $w->{interrupts} <= $$best->{interrupts};
				}
				$last{$name} = $j;
			}
		}
		[map { $of{$_} } sort keys %of];
	} };
}

# A row of events: its median is one of them.  Without the timer, unless the row
# includes it: what it takes between two reads with nothing between.  Its share in a
# row's overhead is how many operations an event has.
sub of_events {
	my ($row, $section) = @_;
	my ($timer, $timer_of) = $row->{overhead} ? @{ $section->{timer} //= [timer_alone($section->{reads})] } : (0, []);
	my $ops = $row->{overhead} ? sprintf '%.0f', $timer / $row->{overhead} : 1;
	my (@median, %alike, %sum);
	my %term = map { $_ => 1 } split /,/, $row->{case};

	return 'does not say what the timer takes' if $row->{overhead} eq '';
	return 'the timer takes another time in the row' if abs($timer - $ops * $row->{overhead}) > 0.5;
	# A row that was recorded beside another is in the visits to that one, whose name is like it.
	push @{ $alike{ grep { $term{$_} } split /,/, $section->{case}{$_} // '' } }, $_ for sort keys %{ $section->{visits} };
	for my $numbers ([$row->{number}], @alike{ sort { $b <=> $a } keys %alike }) {
		@median = grep { @{ $_->{lengths} } } map { { of => $_, lengths => [median_of($row, $_->{windows}, $timer, $ops)] } }
			map { between($section, $_) } @$numbers if !@median;
	}
	return 'no two reads have its median, least and most between them' if !@median;
	return 'more than two reads have its median, least and most between them' if @median > 1;
	my ($from, $to, $between) = @{ $median[0]{of} }{qw(from to windows)};
	my @lengths = @{ $median[0]{lengths} };
	my $of_timer = 0;

	add_window($row->{of}, \%sum, $between->{$_}, 1 / ($ops * @lengths)) for @lengths;
	# Both reads are called from where the window begins.
	for ($timer ? keys %sum : ()) {
		my ($node, $pc) = split;

		next if $pc < LIBRARIES || $pc >= USER_ENDS ||
			!grep { $_ == $from || $_ == $to } keys %{ path($node)->{sites} };
		$of_timer += delete $sum{$_};
	}
	$row->{of}[$_] -= ($timer_of->[$_] // 0) / $ops for 0 .. $#classes - LINES;
	$row->{sampler} = function($from - 1);
	$sum{timer} = $of_timer - $timer / $ops if $timer; # in the caller itself
	return \%sum;
}

# How a part is called: apart from the sampling function's own are interrupts,
# threads of the kernel and waiting.
sub folded_path {
	my ($part, $sampler) = @_;

	return $sampler if $part eq 'timer';
	my ($node, $pc) = split ' ', $part;
	my $path = path($node);
	my @frames = @{ $path->{frames} };
	my $name = function($pc);

	push @frames, $name if !@frames || $frames[-1] ne $name;
	return join ';', 'interrupts', @frames if $path->{interrupt};
	return join ';', 'kernel threads', @frames if first { $_ eq 'kthread' } @frames[0 .. min(3, $#frames)];
	return join ';', 'idle', @frames if first { $_ eq 'do_idle' } @frames;
	my $from = first { $frames[$_] eq $sampler } reverse 0 .. $#frames;
	return join ';', @frames[($from // 0) .. $#frames];
}

sub number { return sprintf('%.10f', $_[0]) =~ s/\.?0+$//r }

# The folded paths of a row of $section to stdout, its classes to $to.
sub fold_row {
	my ($row, $section, $to) = @_;
	my $sum = $row->{estimator} eq 'derived' ? 'is computed from other rows'
		: !$row->{value} || $row->{unit} ne 'ns' ? 'is no time'
		: $row->{estimator} eq 'difference' ? of_batches($row, $section)
		: $row->{estimator} =~ /median|min|max/ ? of_events($row, $section) : "is a $row->{estimator} of events";
	my $name = "$row->{program} $row->{case}";
	my %folded;

	$sum = 'its paths add up to ' . number(sum0 values %$sum) if ref $sum &&
		abs(sum0(values %$sum) - $row->{value}) > ($row->{estimator} eq 'difference' ? 1e-6 * $row->{value} : 0.5);
	if (!ref $sum) {
		print STDERR "$name: $sum\n";
		return;
	}
	print $to join("\t", $name, map { number($_) } sum0(values %$sum), @{ $row->{of} }), "\n";
	$folded{ folded_path($_, $row->{sampler} // 'time_batch') } += $sum->{$_} for keys %$sum;
	for (sort keys %folded) {
		my $n = number($folded{$_});

		print "$name;$_ $n\n" if $n != 0;
	}
}

sub fold {
	my ($calls, $symbols, $rows, $classes) = @_;
	my %of;

	open my $to, '>', $classes or die "calls.pl: $classes: $!\n";
	read_symbols($symbols);
	open my $in, '<', $rows or die "calls.pl: $rows: $!\n";
	while (<$in>) {
		chomp;
		my %row;

		@row{qw(section program number case estimator unit value iters baseline min max overhead)} = split /\t/;
		$row{$_} ||= 0 for qw(value iters baseline min max);
		$row{overhead} //= '';
		$row{of} = [];
		push @{ $of{ $row{section} } }, \%row;
	}
	read_calls($calls, sub {
		my ($n, $reads) = @_;
		my $rows = delete $of{$n} or return;

		look_into($rows->[0]{program});
		my $section = { reads => $reads, visits => visits($reads), case => { map { @$_{qw(number case)} } @$rows } };
		fold_row($_, $section, $to) for @$rows;
	});
	die "calls.pl: $calls ends before the last row\n" if %of;
}

# The call, or another cause, that a block of the kernel belongs to; '': none that counts.
my %asked;

sub asked {
	my ($node, $name, $runner) = @_;

	return $asked{"$node $name"} //= do {
		my $path = path($node);
		my @frames = (@{ $path->{frames} }, $name);
		# That of a call which is only a jump has no frame: what it jumps to has, which
		# comes next in the frames.
		my $call = first { /^(?:__(?:x64|ia32|do)_|k|do_)sys_/ } @frames;
		my ($from) = grep { $frames[$_] =~ /^(?:x64_sys_call|do_syscall_64)$/ } reverse 0 .. $#frames;

		$call //= $frames[$from + 1] if defined $from && $from < $#frames && $frames[$from + 1] !~ LEAVES;
		# The last site in user space: behind an exec those of the caller may still be above it.
		my $own = $runner && $path->{user} >> 24 == $runner;

		$path->{interrupt} ? 'interrupts'
			: (first { $_ eq 'do_idle' } @frames) ? 'idle'
			: (first { $_ eq 'kthread' } @frames) ? 'threads'
			: $call && $own && $call !~ /execve/ ? ''
			: $call ? $call =~ s/^(?:(?:__(?:x64|ia32|do)_|k|do_|__)sys_|do_|path_|vm_|__)(?:new(?=[a-z]*stat$|uname$))?|^kernel_|_pgoff$//gr
			: (first { /page_fault/ } @frames) ? 'fault'
			: (first { /^ret_from_fork/ } @frames) ? 'child'
			: $own ? '' : 'entry';
	};
}

sub sums {
	my ($calls, $symbols, $runner) = @_;

	read_symbols($symbols);
	read_calls($calls, sub {
		my ($n, $reads) = @_;
		my %sum;

		for my $r (@$reads) {
			seek $parts, $r->{at} * PART, 0;
			read $parts, my $bytes, $r->{n} * PART;
			my @part = unpack '(LLQ)*', $bytes;
			while (my ($node, $count, $pc) = splice @part, 0, 3) {
				$sum{ asked($node, function($pc), hex($runner) >> 24) } += $count if $pc >= USER_ENDS;
			}
		}
		delete $sum{''};
		print "$n\t$_\t$sum{$_}\n" for by_size(\%sum);
	});
}

# {ROW}{PATH} => count, and the rows in their order.
sub read_folded {
	my (%of, @rows);

	for my $file (@_) {
		open my $in, '<', $file or die "calls.pl: $file: $!\n";
		while (<$in>) {
			my ($row, $path, $n) = /^([^;]*);(.*) (-?[0-9.]+)$/ or next;

			push @rows, $row if !$of{$row};
			$of{$row}{$path} += $n;
		}
	}
	return (\%of, \@rows);
}

# Own counts and counts with all that was called, by function: recursion is once.
sub by_function {
	my ($paths) = @_;
	my (%own, %with);

	while (my ($path, $n) = each %$paths) {
		my @frames = split /;/, $path;
		my %seen;

		$own{ $frames[-1] } += $n;
		$with{$_} += $n for grep { !$seen{$_}++ } @frames;
	}
	return (\%own, \%with);
}

sub by_size { my ($n) = @_; return sort { abs $n->{$b} <=> abs $n->{$a} || $a cmp $b } keys %$n }

sub table {
	my (@kernels, @of, $rows);

	while (my ($kernel, $file) = splice @_, 0, 2) {
		my ($of, $of_rows) = read_folded($file);

		$rows //= $of_rows;
		push @kernels, $kernel;
		push @of, $of;
	}
	my $width = max(map { length } @kernels, '1234567890');

	printf "%${width}s  ", $_ for @kernels;
	print "instructions of one operation\n";
	for my $row (@$rows) {
		my @sums = map { $_->{$row} ? sum0 values %{ $_->{$row} } : undef } @of;

		printf "%${width}s  ", defined $_ ? number($_) : '-' for @sums;
		print $row, join(', ', map { defined $_ && $_ != $sums[0]
			? sprintf ' (%+.1f %%)', 100 * ($_ - $sums[0]) / $sums[0] : '' } @sums[1 .. $#sums]), "\n";
	}
	return if @kernels > 1;
	for my $row (@$rows) {
		my ($own) = by_function($of[0]{$row});
		my $sum = sum0 values %$own;

		print "\n$row: ", number($sum), " instructions\n\n";
		printf "%12s  %5.1f %%  %s\n", number($own->{$_}), 100 * $own->{$_} / $sum, $_ for by_size($own);
		printf "%12s  the sum\n", number($sum);
	}
}

# By path, what a function takes more in $b than in $a.  One that only moved, to
# another caller, changed nothing: what it lost and what it got cancel out.
sub changes {
	my ($a, $b) = @_;
	my (%of, %change);

	for my $path (keys %{ { %$a, %$b } }) {
		my $d = ($b->{$path} // 0) - ($a->{$path} // 0);

		push @{ $of{ $path =~ s/.*;//r } }, [$path, $d] if $d;
	}
	for my $moves (values %of) {
		my $sum = sum0 map { $_->[1] } @$moves;
		my @same = grep { $_->[1] * $sum > 0 } @$moves;
		my $all = sum0 map { $_->[1] } @same;

		$change{ $_->[0] } = $_->[1] * $sum / $all for @same;
	}
	return \%change;
}

# A tree of paths: {n} of all below and itself, {own}, {below}{NAME}.
sub tree {
	my ($paths) = @_;
	my $root = { n => 0, own => 0, below => {} };

	for my $path (keys %$paths) {
		my $at = $root;

		$at->{n} += $paths->{$path};
		for my $name (split /;/, $path) {
			$at = $at->{below}{$name} //= { name => $name, n => 0, own => 0, below => {} };
			$at->{n} += $paths->{$path};
		}
		$at->{own} += $paths->{$path};
	}
	return $root;
}

# The fate of a function: its word, for a difference of $n.
sub fate {
	my ($name, $n, $a, $b) = @_;

	return !$b->{$name} ? 'gone' : !$a->{$name} ? 'new' : $n > 0 ? 'more' : 'less';
}

# Causes of a row, {FUNCTION} => count: each function that is gone or new
# with all below it, else what one takes more or less itself. One that took another's place is
# one cause with those below it that are gone or new.
sub causes {
	my ($node, $a, $b, $causes) = @_;
	my $successor = ($node->{name} // '') =~ / \(for /;

	$causes->{ $node->{name} } += $node->{own} if $node->{own};
	for my $at (values %{ $node->{below} }) {
		if (fate($at->{name}, $at->{n}, $a, $b) =~ /gone|new/) {
			$causes->{ $successor ? $node->{name} : $at->{name} } += $at->{n};
		} else {
			causes($at, $a, $b, $causes);
		}
	}
	return $causes;
}

# The paths with most of the difference, until they have $share of it.
sub most_of {
	my ($change, $share) = @_;
	my $left = $share * sum0 map { abs } values %$change;
	my %most;

	for (by_size($change)) {
		last if $left <= 0;
		$most{$_} = $change->{$_};
		$left -= abs $change->{$_};
	}
	return \%most;
}

sub whole { return sprintf '%+.*f', abs($_[0]) < 10 && $_[0] != int $_[0] ? 2 : 0, $_[0] }

# A line for each function of the tree; a chain that only leads on is one line.
sub print_tree {
	my ($node, $all, $indent, @with) = @_;

	for my $at (sort { abs $b->{n} <=> abs $a->{n} || $a->{name} cmp $b->{name} }
		values %{ $node->{below} }) {
		my ($full, @chain) = ($all->{below}{ $at->{name} }, $at->{name});
		my $fate = fate($at->{name}, $full->{n}, @with);

		while ($fate !~ /gone|new/ && !$at->{own} && keys %{ $at->{below} } == 1) {
			($at) = values %{ $at->{below} };
			$full = $full->{below}{ $at->{name} };
			$fate = fate($at->{name}, $full->{n}, @with);
			push @chain, $at->{name};
		}
		@chain = ('...', @chain[-2 .. -1]) if @chain > 3;
		printf "%10s  %s%s%s\n", whole($full->{n}), '  ' x $indent, join(' > ', @chain),
			$fate =~ /gone|new/ ? ", $fate" : '';
		print_tree($at, $full, $indent + 1, @with);
	}
}

# The causes with a share of the difference; if it has many small ones, the first three.
sub greatest {
	my ($c) = @_;
	my $all = sum0 map { abs } values %$c;
	my @causes = by_size($c);
	my $n = grep { abs $c->{$_} >= CAUSE * $all } @causes;

	return @causes[0 .. min($#causes, ($n || 3) - 1)];
}

# Causes that the same rows share are one line.
sub print_causes {
	my ($rows, $causes) = @_;
	my (%rows, %together, %range);

	for my $row (@$rows) {
		push @{ $rows{$_} }, $row for greatest($causes->{$row});
	}
	for my $cause (keys %rows) {
		my @n = map { $causes->{$_}{$cause} } @{ $rows{$cause} };

		$range{$cause} = whole(min @n);
		$range{$cause} .= ' to ' . whole(max @n) if whole(min @n) ne whole(max @n);
		push @{ $together{ join "\n", @{ $rows{$cause} } } }, [$cause, sum0 map { abs } @n];
	}
	for my $of (sort { @{ $rows{ $together{$b}[0][0] } } <=> @{ $rows{ $together{$a}[0][0] } } ||
			$together{$b}[0][1] <=> $together{$a}[0][1] || $a cmp $b } keys %together) {
		my @causes = map { $_->[0] } sort { $b->[1] <=> $a->[1] || $a->[0] cmp $b->[0] } @{ $together{$of} };
		my @of = split /\n/, $of;

		printf "%d %s %d %s: %s\n", scalar @causes, @causes == 1 ? 'cause explains' : 'causes explain',
			scalar @of, @of == 1 ? 'row' : 'rows',
			join ', ', map { "$_ ($range{$_})" } @causes[0 .. min(7, $#causes)];
		print "    $_\n" for @of;
	}
}

# Functions that took the place of another, {OLD} => NEW. Each is in one of the two kernels
# alone, and more functions called first OLD and then NEW than with any other pair that has one
# of them; two at least, because one caller may have been rewritten.
sub successors {
	my ($rows, @of) = @_;
	my (@calls, @has, %meet, %most, %now);

	for my $row (@$rows) {
		for my $side (0, 1) {
			for (keys %{ $of[$side]{$row} }) {
				my @frames = split /;/;

				$has[$side]{$_} = 1 for @frames;
				$calls[$side]{"$row;$frames[$_ - 1]"}{ $frames[$_] } = 1 for 1 .. $#frames;
			}
		}
	}
	for my $at (keys %{ $calls[0] }) {
		my @new = grep { !$has[0]{$_} } keys %{ $calls[1]{$at} // {} };

		for my $old (grep { !$has[1]{$_} } keys %{ $calls[0]{$at} }) {
			$meet{"$old;$_"}{ $at =~ s/.*;//r } = 1 for @new;
		}
	}
	for my $pair (keys %meet) {
		push @{ $most{$_}[ keys %{ $meet{$pair} } ] }, $pair for split /;/, $pair;
	}
	for my $pair (grep { keys %{ $meet{$_} } > 1 } keys %meet) {
		my ($old, $new) = split /;/, $pair;

		$now{$old} = $new if !grep { "@{ $most{$_}[-1] }" ne $pair } $old, $new;
	}
	return \%now;
}

# The differences between two files: {both} rows, of them those that {changed}, the {sum}s
# and {causes}, {"FUNCTION FATE"} => count, of each, and functions of both, {with}.
sub difference {
	my ($file_a, $file_b, $above) = @_;
	my ($of_a, $rows) = read_folded($file_a);
	my ($of_b) = read_folded($file_b);
	my %d = (both => [grep { $of_b->{$_} } @$rows], changed => []);
	my $now = successors($d{both}, $of_a, $of_b);
	my %named = map { my $both = "$now->{$_} (for $_)"; $_ => $both, $now->{$_} => $both } keys %$now;

	for my $paths (values %$of_a, values %$of_b) {
		my %of;

		$of{ join ';', map { $named{$_} // $_ } split /;/ } += $paths->{$_} for keys %$paths;
		$paths = \%of;
	}

	for my $row (@{ $d{both} }) {
		my ($x, $y) = map { sum0 values %{ $_->{$row} } } $of_a, $of_b;

		next if defined $above ? $y <= $x * (1 + $above / 100) : abs($y - $x) < CHANGED * $x;
		push @{ $d{changed} }, $row;
		$d{sum}{$row} = [$x, $y];
		$d{with}{$row} = [map { (by_function($_->{$row}))[1] } $of_a, $of_b];
		$d{change}{$row} = changes($of_a->{$row}, $of_b->{$row});
		my $n = causes(tree($d{change}{$row}), @{ $d{with}{$row} }, {});
		$d{causes}{$row} = { map { $_ . ' ' . fate($_, $n->{$_}, @{ $d{with}{$row} }) => $n->{$_} } grep { $n->{$_} } keys %$n };
	}
	return \%d;
}

sub because {
	my ($name_a, $file_a, $name_b, $file_b, $above) = @_;
	my $d = difference($file_a, $file_b, $above);
	my @changed = @{ $d->{changed} };

	printf "From %s to %s %d of %d rows %s.\n\n", $name_a, $name_b, scalar @changed, scalar @{ $d->{both} },
		defined $above ? "take more by more than $above %" : 'changed by ' . 100 * CHANGED . ' % or more';
	print_causes(\@changed, $d->{causes});
	for my $row (@changed) {
		my ($x, $y) = @{ $d->{sum}{$row} };
		my $change = $d->{change}{$row};

		printf "\n%s: %s to %s (%+.1f %%)\n", $row, number($x), number($y), 100 * ($y - $x) / $x;
		print_tree(tree(most_of($change, SHOWN)), tree($change), 0, @{ $d->{with}{$row} });
	}
	exit 3 if defined $above && @changed;
}

# The greatest causes of each row that changed, from the first kernel to each other one.
sub causes_table {
	my ($name_a, $file_a, @others) = @_;

	print join("\t", 'from', 'to', 'row', 'before', 'after', 'percent', 'causes'), "\n";
	while (my ($name_b, $file_b) = splice @others, 0, 2) {
		my $d = difference($file_a, $file_b);

		for my $row (@{ $d->{changed} }) {
			my ($x, $y) = @{ $d->{sum}{$row} };
			my $c = $d->{causes}{$row};

			print join("\t", $name_a, $name_b, $row, number($x), number($y), sprintf('%+.1f', 100 * ($y - $x) / $x),
				join ', ', map { "$_ (" . whole($c->{$_}) . ')' } greatest($c)), "\n";
		}
	}
}

# Coefficients, none below 0, that leave the least sum of squares of
# 1 - sum over k of $coefficient[k] * $x->[k] for all @$rows: one at a time, till none moves.
sub fit {
	my ($rows, $n) = @_;
	my @c = (0) x $n;

	for (1 .. 20000) {
		my $moved = 0;

		for my $k (0 .. $n - 1) {
			my ($up, $down) = (0, 0);

			for my $x (grep { $_->[$k] } @$rows) {
				$up += $x->[$k] * (1 - sum0 map { $c[$_] * $x->[$_] } grep { $_ != $k } 0 .. $n - 1);
				$down += $x->[$k]**2;
			}
			my $new = $down ? max(0, $up / $down) : 0;
			$moved = max($moved, abs($new - $c[$k]) * sqrt($down));
			$c[$k] = $new;
		}
		last if $moved < 1e-7;
	}
	return @c;
}

# Rows of TIMES, "ROW\tNS", at what the classes of rows.tsv cost, and what is beyond.
# A few rows that are far beyond it must not bend the model: they are left out of a
# second fit.
sub residual {
	my ($times, @files) = @_;
	my (%ns, %x);

	open my $in, '<', $times or die "calls.pl: $times: $!\n";
	while (<$in>) {
		chomp;
		my ($row, $ns) = split /\t/;
		$ns{$row} = $ns;
	}
	for my $file (@files) {
		open $in, '<', $file or die "calls.pl: $file: $!\n";
		my $kernel;
		while (<$in>) {
			chomp;
			my ($of, $row, undef, @x) = split /\t/;

			next if $. == 1 || @x != 1 + @classes || !($ns{$row} // 0) || $of ne ($kernel //= $of);
			$x{$row} = [map { max(0, $_) / $ns{$row} } @x];
		}
	}
	my @rows = sort keys %x;
	die "calls.pl: $times has too few of these rows\n" if @rows < 3;
	my (@c, %model);
	my @fitted = @rows;
	for (1 .. 3) {
		@c = fit([@x{@fitted}], 1 + @classes);
		for my $row (@rows) {
			$model{$row} = $ns{$row} * sum0 map { $c[$_] * $x{$row}[$_] } 0 .. $#c;
		}
		@fitted = grep { $ns{$_} < 2 * $model{$_} && $model{$_} < 2 * $ns{$_} } @rows;
		last if @fitted < 3;
	}
	printf "%d rows; ns for each, with all that goes with it:%s\n\n", scalar @rows,
		join ',', map { sprintf ' %s %.3g', ('instruction', @classes)[$_], $c[$_] } grep { $c[$_] } 0 .. $#c;
	printf "%10s %10s %10s  row\n", qw(ns model beyond);
	printf "%10.1f %10.1f %+10.1f  %s\n", $ns{$_}, $model{$_}, $ns{$_} - $model{$_}, $_
		for sort { abs($ns{$b} - $model{$b}) <=> abs($ns{$a} - $model{$a}) || $a cmp $b } @rows;
}

my %command = (causes => \&causes_table, residual => \&residual, fold => \&fold, sums => \&sums, because => \&because, table => \&table);
my $command = $command{ shift // '' } or die "calls.pl: see its first lines\n";

$command->(@ARGV);
