# SPDX-License-Identifier: MIT
# How this machine is set, and the facts that its devices report.
#
# usage: perl describe.pl [CPU [ROOT]]
#
# With CPU: members of machine.json (board, modules, disks, links, and checks for
# measuring on that CPU; "last": the last one that it may use, as machine does); without,
# or with an empty one, sizes and speeds, as the comment that begins predictions.ini.
# Values that cannot be read are null or unknown.  ROOT: where proc/ and sys/ are, in
# tests.

use strict;
use warnings;
use POSIX ();

my ($cpu, $root) = map { $_ // '' } @ARGV[ 0, 1 ];
my @items; # objects of the array at hand
my %field; # of the first processor

# The lines of a file; none where the kernel refuses a read.
sub lines_of {
	my ($path) = @_;
	open my $file, '<', "$root$path" or return ();
	return map { s/\s+\z//r } <$file>;
}

# Its first line, undef without one.
sub line { return (lines_of(@_))[0] }

sub plain { return $_[0] =~ s/[^ -~]/?/gr }

sub json {
	my $text = plain($_[0] // '') =~ s/([\\"])/\\$1/gr;
	return $text eq '' ? 'null' : qq("$text");
}

# A number that is not 0; else "null".
sub number { return ($_[0] // '') =~ /^0*[1-9][0-9]*$/ ? $_[0] : 'null' }

# "32.0 KiB".
sub bytes {
	my ($x) = @_;
	my @unit = qw(B KiB MiB GiB TiB);

	for (; $x >= 1024 && @unit > 1; $x /= 1024) { shift @unit }
	return sprintf $x < 10 ? '%.2f %s' : $x < 100 ? '%.1f %s' : '%.0f %s', $x, $unit[0];
}

# The bus that it is connected to, with the speed of its PCI link where it or the one above
# has one: "pci, 8.0 GT/s PCIe x4".
sub bus {
	my ($path) = @_;
	my $name = (readlink("$root$path/device/subsystem") // '') =~ s#.*/##r;

	for my $at ('device', 'device/device') {
		my ($speed, $width) = map { line("$path/$at/current_link_$_") } qw(speed width);
		return "$name, $speed x$width" if $name && $speed && $width;
	}
	return $name;
}

# The devices in FOLDER, but for those that are made up.
sub devices {
	my ($folder) = @_;
	opendir my $dir, "$root$folder" or return ();
	return sort grep { !/^(\.|loop|ram|zram|lo$)/ } readdir $dir;
}

# One device: its comment, or its object.
sub device {
	my ($kind, $name, $says, $members) = @_;

	print '#   ', plain("$kind $name: $says"), "\n" if $cpu eq '';
	push @items, '"name": ' . json($name) . ", $members";
}

# Structures 17 of the firmware's table (DMTF DSP0134, 7.18), but for empty sockets.
sub modules {
	my %type = qw(18 DDR 19 DDR2 24 DDR3 26 DDR4 27 LPDDR 28 LPDDR2 29 LPDDR3 30 LPDDR4
		32 HBM 33 HBM2 34 DDR5 35 LPDDR5);
	my $entries = '/sys/firmware/dmi/entries';

	for my $entry (grep { /^17-/ } devices($entries)) {
		open my $file, '<:raw', "$root$entries/$entry/raw" or next;
		local $/;
		my $raw = <$file> // next;
		my $length = length $raw > 1 ? ord substr $raw, 1, 1 : 0;
		# A number of so many bytes; 0 behind the structure's end.
		my $at = sub {
			my ($place, $form) = @_;
			my $bytes = { C => 1, v => 2, V => 4 }->{$form};
			return 0 if $place + $bytes > $length || $place + $bytes > length $raw;
			return unpack $form, substr $raw, $place;
		};
		my $mib = $at->(12, 'v');
		$mib = $mib == 32767 ? $at->(28, 'V') & 0x7fffffff
			: $mib == 65535 ? 0                  # not known
			: $mib >= 32768 ? int(($mib - 32768) / 1024) # in KiB
			: $mib;
		next if !$mib;
		my $speed = number($at->(32, 'v') || $at->(21, 'v'));
		my $type = $type{ $at->(18, 'C') };
		# The texts stand behind the structure, each with a zero.
		my $name = $at->(16, 'C') ? (split /\0/, substr $raw, $length)[ $at->(16, 'C') - 1 ] : '';
		device('module', $name // '', bytes($mib << 20) . ', ' . ($type // 'unknown') . ', ' .
			($speed eq 'null' ? 'says no speed' : "$speed MT/s"),
			sprintf '"size_bytes": %d, "type": %s, "mt_s": %s, "width_bits": %d',
			$mib << 20, json($type), $speed, $at->(10, 'v'));
	}
}

sub disks {
	for my $name (devices('/sys/block')) {
		my $path = "/sys/block/$name";
		my $size = 512 * (line("$path/size") || 0) or next;
		my $rotates = line("$path/queue/rotational");
		my ($member, $says) = !defined $rotates ? ('null', 'does not say whether it rotates')
			: $rotates eq '1' ? ('true', 'says it rotates') : ('false', 'says it does not rotate');

		device('disk', $name, bytes($size) . ', bus ' . bus($path) . ", $says",
			sprintf '"model": %s, "bus": %s, "size_bytes": %d, "rotates": %s',
			json(line("$path/device/model")), json(bus($path)), $size, $member);
	}
}

# Those with a device: no bridges of containers.
sub links {
	for my $name (devices('/sys/class/net')) {
		my $path = "/sys/class/net/$name";
		my $speed = number(line("$path/speed"));

		next if !defined line("$path/device/uevent");
		device('link', $name, ($speed eq 'null' ? 'says no speed' : "$speed Mbit/s") . ', bus ' . bus($path),
			'"bus": ' . json(bus($path)) . ", \"mbit_s\": $speed");
	}
}

sub say_check {
	my ($name, $answer, $value, $file, $fix) = @_;
	push @items, sprintf '"name": "%s", "answer": "%s", "value": %s, "file": "%s", "fix": %s',
		$name, $answer, json($value), $file, $answer eq 'bad' ? json($fix) : 'null';
}

# check NAME FILE GOOD FIX: ok if GOOD is true of the line of FILE, which is in $_.
sub check {
	my ($name, $file, $good, $fix) = @_;
	local $_ = line($file);
	my $answer = !defined ? 'unknown' : $good->() ? 'ok' : 'bad';

	# A guest is told what its hypervisor likes.
	if (defined && $name eq 'SMT off' && ($field{flags} // '') =~ / hypervisor/) {
		$answer = 'unknown';
		$_ .= ": the guest's, not the host's";
	}
	say_check($name, $answer, $_, $file, $fix);
}

# Whether a list such as "1,3-5" has it.
sub has {
	my ($list, $wanted) = @_;
	for (split /,/, $list) {
		my ($first, $last) = split /-/;
		return 1 if $first <= $wanted && $wanted <= ($last // $first);
	}
	return 0;
}

sub checks {
	my $tune = 'sudo scripts/tune apply';
	my $clock = { aarch64 => 'arch_sys_counter', riscv64 => 'riscv_clocksource' }->{ (POSIX::uname())[4] } // 'tsc';
	my $source = '/sys/devices/system/clocksource/clocksource0/current_clocksource';
	my $all = '/sys/devices/system/cpu';

	check('frequency governor', "$all/cpu$cpu/cpufreq/scaling_governor", sub { /^performance$/ }, $tune);
	check('turbo off (Intel)', "$all/intel_pstate/no_turbo", sub { /^1/ }, $tune)
		if ($field{vendor_id} // '') =~ /^(GenuineIntel)?$/;
	check('turbo off (others)', "$all/cpufreq/boost", sub { /^0/ }, $tune);
	check('no throttling since the start', "$all/cpu$cpu/thermal_throttle/core_throttle_count", sub { /^0/ },
		'cool the machine; a fixed lower frequency helps');
	check('SMT off', "$all/smt/active", sub { /^0/ }, "echo off | sudo tee $all/smt/control");
	check('huge pages only on request', '/sys/kernel/mm/transparent_hugepage/enabled', sub { !/\[always\]/ }, $tune);
	check('address randomisation on', '/proc/sys/kernel/randomize_va_space', sub { /^2/ }, $tune);
	check('measuring CPU isolated', "$all/isolated", sub { has($_, $cpu) },
		'start the kernel with isolcpus=N nohz_full=N rcu_nocbs=N');
	# The suite measures the system as it is used.
	check('mitigations as users have them', '/proc/cmdline', sub { !/mitigations=off/ },
		'start the kernel without mitigations=off');
	check('clock source is the TSC', $source, sub { $_ eq $clock }, "echo $clock | sudo tee $source");
	check('no other load (one minute)', '/proc/loadavg', sub { /^0\.[0-4]/ }, 'stop what runs beside: top tells what');
	# Grade A's bound: 0.1 % of the time since the start.
	my ($stat) = grep { /^cpu$cpu / } lines_of('/proc/stat');
	my (undef, @ticks) = split ' ', $stat // '';
	my $time = 0;
	$time += $_ for grep { defined } @ticks[ 0 .. 7 ];
	my $share = @ticks > 7 && $time > 0 ? sprintf '%.3f %%', 100 * $ticks[7] / $time : undef;
	say_check('no steal since the start', !defined $share ? 'unknown' : $share =~ /^0\.0/ ? 'ok' : 'bad', $share,
		'/proc/stat', 'ask for a dedicated CPU, or measure when the host is idle');
}

sub board {
	my $model = (line('/proc/device-tree/model') // '') =~ s/\0//gr;
	return $model || join ' ', grep { defined && length } map { line("/sys/class/dmi/id/$_") } qw(sys_vendor product_name);
}

sub nominal {
	my $caches = '/sys/devices/system/cpu/cpu0/cache';
	my $name = $field{'model name'} || qx(lscpu 2>/dev/null | sed -n 's/^Model name: *//p') =~ s/\n.*//sr;
	my ($memory) = map { /^MemTotal: *([0-9]+)/ } lines_of('/proc/meminfo');

	print "# What this machine says of itself; none of it was measured:\n";
	print '#   processor: ', plain($name || 'unknown'), "\n";
	for (grep { /^index/ } devices($caches)) {
		my ($level, $type, $size) = map { line($_) // '' } map { "$caches/$_" } "$_/level", "$_/type", "$_/size";
		print "#   L$level ", lc $type, ' cache: ', bytes(1024 * ($size =~ /^([0-9]+)/ ? $1 : 0)), "\n";
	}
	print '#   memory: ', bytes(1024 * ($memory // 0)), "\n";
	$_->() for \&modules, \&links, \&disks;
	my $mhz = $field{'cpu MHz'} // 0;
	printf "#   clock: %.6g MHz, says /proc/cpuinfo (in a virtual machine often the TSC's)\n", $mhz if $mhz > 0;
	print "\n[machine]\n# Cycles become time at the frequency that the core ran at, or at this one:\nclock =\n";
}

for (lines_of('/proc/cpuinfo')) {
	last if $_ eq '';
	$field{$1} //= $2 if /^(.*?)\s*:\s*(.*)/;
}
if ($cpu eq '') {
	nominal();
	exit;
}
($cpu) = map { /^Cpus_allowed_list:.*?([0-9]+)$/ } lines_of('/proc/self/status') if $cpu eq 'last';
$cpu = ($cpu // 0) + 0;
print '  "board": ', json(board());
for ([ modules => \&modules ], [ disks => \&disks ], [ links => \&links ], [ checks => \&checks ]) {
	my ($key, $fill) = @$_;

	@items = ();
	$fill->();
	print ",\n  \"$key\": [", join(',', map { "\n    {$_}" } @items), ']';
}
print "\n";
