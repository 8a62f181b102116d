#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# groups.pl - run a command in control groups of its own, for scripts/under.
#
# usage: groups.pl N LIMIT COMMAND [ARGUMENT]...
#
# N groups, one in the other, below the innermost group of this process that has
# memory or cpu: of version 1 one for each, or one of version 2.  LIMIT: us of CPU
# time in 100 ms that they may use; 0: none.  They are noted in a record, as
# harness/life/guard.h has it.  The command ends with us, and they go with it.

use strict;
use warnings;
use filetest 'access';
use Fcntl qw(:flock);

my ($n, $limit, @command) = @ARGV;

sub lines {
	open(my $file, '<', $_[0]) or return;
	chomp(my @lines = <$file>);
	return @lines;
}

sub put {
	my ($text, $path) = @_;
	-e $path && open(my $file, '>', $path) or return;
	print {$file} $text;
	return close($file);
}

# tops: the innermost groups of this process in which it may make others.
sub tops {
	my (%of, %top);

	for (lines('/proc/self/cgroup')) {
		my (undef, $names, $path) = split /:/, $_, 3;
		$of{$_} = $path for $names ? split(/,/, $names) : 2;
	}
	for (lines('/proc/self/mountinfo')) {
		my ($where, $what) = split / - /;
		my (undef, undef, undef, $root, $point) = split / /, $where;
		my ($version, $options) = $what =~ /^cgroup(2?) \S+ (\S+)/ or next;
		my @has = $version ? map { split / / } lines("$point/cgroup.controllers") : split /,/, $options;
		my ($has) = grep { /^(memory|cpu)$/ } @has or next;
		my $dir = $of{$version || $has} // next;
		$root =~ s{/$}{};
		$dir =~ s{^\Q$root\E} {$point} or next;
		$dir =~ s{/[^/]*$}{} until -w "$dir/cgroup.procs" || length $dir <= length $point;
		$top{$dir} = 1 if -w "$dir/cgroup.procs";
	}
	return sort keys %top;
}

# remove GROUP: with what is left in it, for which the kernel may need a while.
sub remove {
	for (1 .. 10000) {
		last if rmdir($_[0]) || !$!{EBUSY};
		kill 'KILL', grep { $_ > 1 } lines("$_[0]/cgroup.procs");
		select undef, undef, undef, 0.003;
	}
	return !-d $_[0];
}

my (@groups, @inner);
for my $top (tops()) {
	push @groups, map { $top . "/oscost-under-$$" x $_ } 1 .. $n;
	push @inner, $groups[-1];
}
@inner or die "no control group that this user may write\n";

# Noted before they are made, the innermost first: one with another in it stays.
my $records = $ENV{OSCOST_RECORDS} // ($> ? "/dev/shm/oscost-$>" : '/run/oscost');
my $record;
mkdir $records, 0700;
if (lstat($records) && -d _ && -o _ && open($record, '>>', "$records/$$") && flock($record, LOCK_EX)) {
	syswrite $record, join('', map { "cgroup $_\n" } reverse @groups);
}
my $fault;
for my $group (@groups) {
	# Where the groups above have them, as in version 2.
	put($_, "$group/../cgroup.subtree_control") for $group =~ /oscost.*oscost/ ? qw(+memory +cpu) : ();
	mkdir $group or $fault //= "$group: $!";
}
if ($limit) {
	(grep { put($limit, $_) } map { ("$_/cpu.max", "$_/cpu.cfs_quota_us") } @inner) or
		$fault //= 'no group that can have a limit';
}
my $pid = $fault ? -1 : fork // die "fork: $!\n";
if (!$pid) {
	put(0, "$_/cgroup.procs") or die "$_/cgroup.procs: $!\n" for @inner;
	exec 'setpriv', '--pdeathsig', 'KILL', @command or exit 127;
}
$SIG{CHLD} = 'DEFAULT';
# The terminal sends its signals to the command, too.
$SIG{$_} = 'IGNORE' for qw(INT QUIT);
$SIG{$_} = sub { kill $_[0], $pid } for qw(TERM HUP);
1 while $pid > 0 && waitpid($pid, 0) != $pid;
my $status = $?;
my $stuck = grep { !remove($_) } reverse @groups;
unlink "$records/$$" unless $stuck;
rmdir $records;
die "$fault\n" if defined $fault;
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
