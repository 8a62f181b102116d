# SPDX-License-Identifier: MIT
# How this machine is set, and the facts that its devices report.  With -v cpu=N: members
# of machine.json (board, modules, disks, links, and checks for measuring on that
# CPU; "last": the last one that it may use, as machine does); else sizes and speeds,
# as the comment that begins predictions.ini.  Values that cannot be read are null or unknown.
# Needs LC_ALL=C.  -v root=DIR: where proc/ and sys/ are, in tests.

# For the shell.
function quoted(path) {
	gsub(/'/, "'\\''", path)
	return "'" root path "'"
}

# The first line of what COMMAND prints; there says whether there is one.
function said(command, text) {
	command = "{ " command "; } 2>/dev/null"
	there = (command | getline text) > 0
	close(command)
	sub(/[ \t]+$/, "", text)
	return text
}
# By the shell: an awk may give up where the kernel refuses a read.
function first(file) { return "x=; { IFS= read -r x <" file " || [ \"$x\" ]; }" }

# Facts of disks and links, by one shell: a process for each file would take longer
# than all else.
function read_devices(n, leaf, files, command, text, k) {
	n = split("size queue/rotational speed device/model device/uevent " \
		"device/current_link_speed device/current_link_width " \
		"device/device/current_link_speed device/device/current_link_width", leaf, " ")
	for (; n; n--)
		files = files " sys/block/*/" leaf[n] " sys/class/net/*/" leaf[n]
	command = "cd " quoted("/") " && { for f in " files "; do " first("\"$f\"") \
		" && printf '%s\\t%s\\n' \"$f\" \"$x\"; done; } 2>/dev/null"
	while ((command | getline text) > 0)
		if (k = index(text, "\t"))
			read_of["/" substr(text, 1, k - 1)] = substr(text, k + 1)
	close(command)
}

function line(path, text) {
	if (path !~ "^/sys/(block|class/net)/")
		return said(first(quoted(path)) " && printf '%s\\n' \"$x\"")
	there = path in read_of
	text = there ? read_of[path] : ""
	sub(/[ \t]+$/, "", text)
	return text
}
function field(key) { return said("sed -n '/^$/q; s/^" key "[ \t]*: *//p' " quoted("/proc/cpuinfo")) }

function plain(text) {
	gsub(/[^ -~]/, "?", text)
	return text
}
function json(text) {
	text = plain(text)
	gsub(/[\\"]/, "\\\\&", text)
	return text == "" ? "null" : "\"" text "\""
}
function number(text) { return text ~ /^[0-9]+$/ && text > 0 ? text : "null" }

# The bus that it is connected to, with the speed of its PCI link where it or the one above
# has one: "pci, 8.0 GT/s PCIe x4".
function bus(path, name, speed, width, above) {
	name = said("readlink " quoted(path "/device/subsystem"))
	sub(/.*\//, "", name)
	for (above = "/device"; above != "/device/device/device" && !speed && !width; above = above "/device") {
		speed = line(path above "/current_link_speed")
		width = line(path above "/current_link_width")
	}
	return name && speed && width ? name ", " speed " x" width : name
}

# The devices in FOLDER into name[1..n], but for those that are made up.
function devices(folder, n, all, i, k) {
	n = split(said("cd " quoted(folder) " && printf '%s ' *"), all, " ")
	for (i = 1; i <= n; i++)
		if (all[i] !~ /^([*.]|loop|ram|zram|lo$)/)
			name[++k] = all[i]
	return k
}

# A number of N bytes at PLACE of a structure; 0 behind its end.
function at(place, n) {
	if (place + n > byte[2] || place + n > length_of)
		return 0
	return byte[place + 1] + (n > 1 ? 256 * at(place + 1, n - 1) : 0)
}

# Structure 17 of the firmware's table (DMTF DSP0134, 7.18): its facts into one[],
# false for an empty socket.
function module(path, mib, i, text) {
	length_of = split(said("od -An -v -tu1 " quoted(path) " | tr -s ' \\n' '  '"), byte, " ")
	mib = at(12, 2)
	if (mib == 32767)
		mib = at(28, 4) % 2147483648
	else if (mib == 65535)
		mib = 0 # not known
	else if (mib >= 32768)
		mib = int((mib - 32768) / 1024) # in KiB
	one["size"] = mib * 1048576
	one["type"] = type[at(18, 1)]
	one["speed"] = number(at(32, 2) ? at(32, 2) : at(21, 2))
	# The texts stand behind the structure, each with a zero.
	one["name"] = ""
	for (i = byte[2] + 1; text < at(16, 1) && i <= length_of; i++)
		if (!byte[i])
			text++
		else if (text == at(16, 1) - 1)
			one["name"] = one["name"] sprintf("%c", byte[i])
	return mib
}

# One device: its comment, or its object.
function device(kind, name, says, members) {
	if (cpu == "")
		print "#   " plain(kind " " name ": " says)
	else
		item("\"name\": " json(name) ", " members)
}

function modules(i, n, all, path) {
	n = split("18 DDR 19 DDR2 24 DDR3 26 DDR4 27 LPDDR 28 LPDDR2 29 LPDDR3 30 LPDDR4 " \
		"32 HBM 33 HBM2 34 DDR5 35 LPDDR5", all, " ")
	for (i = 1; i < n; i += 2)
		type[all[i]] = all[i + 1]
	n = devices(path = "/sys/firmware/dmi/entries")
	for (i = 1; i <= n; i++)
		if (name[i] ~ /^17-/ && module(path "/" name[i] "/raw"))
			device("module", one["name"], bytes(one["size"]) ", " \
				(one["type"] ? one["type"] : "unknown") ", " \
				(one["speed"] == "null" ? "says no speed" : one["speed"] " MT/s"),
				sprintf("\"size_bytes\": %.0f, \"type\": %s, \"mt_s\": %s, \"width_bits\": %d",
				one["size"], json(one["type"]), one["speed"], at(10, 2)))
}

function disks(i, n, path, size, rotates) {
	n = devices("/sys/block")
	for (i = 1; i <= n; i++) {
		path = "/sys/block/" name[i]
		size = 512 * line(path "/size")
		rotates = line(path "/queue/rotational")
		rotates = !there ? "null" : rotates == "1" ? "true" : "false"
		if (size)
			device("disk", name[i], bytes(size) ", bus " bus(path) ", " says_it[rotates],
				sprintf("\"model\": %s, \"bus\": %s, \"size_bytes\": %.0f, \"rotates\": %s",
				json(line(path "/device/model")), json(bus(path)), size, rotates))
	}
}

# Those with a device: no bridges of containers.
function links(i, n, path, speed) {
	n = devices("/sys/class/net")
	for (i = 1; i <= n; i++) {
		path = "/sys/class/net/" name[i]
		speed = number(line(path "/speed"))
		line(path "/device/uevent")
		if (there)
			device("link", name[i],
				(speed == "null" ? "says no speed" : speed " Mbit/s") ", bus " bus(path),
				sprintf("\"bus\": %s, \"mbit_s\": %s", json(bus(path)), speed))
	}
}

# Arrays of objects, one behind the other.
function begin(key) {
	printf "%s,\n  \"%s\": [", key == "modules" ? "" : "]", key
	comma = ""
}
function item(text) {
	printf "%s\n    {%s}", comma, text
	comma = ","
}

function say(name, answer, value, file, fix) {
	item(sprintf("\"name\": \"%s\", \"answer\": \"%s\", \"value\": %s, \"file\": \"%s\", \"fix\": %s",
		name, answer, json(value), file, answer == "bad" ? json(fix) : "null"))
}

# Ok if the line of FILE is such; with UNLESS, if it is not.
function check(name, file, pattern, fix, unless, value, answer) {
	value = line(file)
	answer = !there ? "unknown" : (value ~ pattern) != unless ? "ok" : "bad"
	# A guest is told what its hypervisor likes.
	if (there && name == "SMT off" && guest) {
		answer = "unknown"
		value = value ": the guest's, not the host's"
	}
	say(name, answer, value, file, fix)
}

# Whether a list such as "1,3-5" has it.
function has(list, wanted, i, n, part, ends) {
	for (n = split(list, part, ","); n; n--) {
		i = split(part[n], ends, "-")
		if (i && ends[1] + 0 <= wanted && wanted <= ends[i] + 0)
			return 1
	}
	return 0
}

function checks(all, clock, source, tune) {
	tune = "sudo scripts/tune apply"
	guest = field("flags") ~ / hypervisor/
	clock = said("uname -m")
	clock = clock == "aarch64" ? "arch_sys_counter" : clock == "riscv64" ? "riscv_clocksource" : "tsc"
	source = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
	all = "/sys/devices/system/cpu"
	check("frequency governor", all "/cpu" cpu "/cpufreq/scaling_governor", "^performance$", tune)
	if (field("vendor_id") ~ /^(GenuineIntel)?$/)
		check("turbo off (Intel)", all "/intel_pstate/no_turbo", "^1", tune)
	check("turbo off (others)", all "/cpufreq/boost", "^0", tune)
	check("no throttling since the start", all "/cpu" cpu "/thermal_throttle/core_throttle_count", "^0",
		"cool the machine; a fixed lower frequency helps")
	check("SMT off", all "/smt/active", "^0", "echo off | sudo tee " all "/smt/control")
	check("huge pages only on request", "/sys/kernel/mm/transparent_hugepage/enabled", "[[]always]", tune, 1)
	check("address randomisation on", "/proc/sys/kernel/randomize_va_space", "^2", tune)
	check("measuring CPU isolated", all "/isolated", has(line(all "/isolated"), cpu) ? "" : "^no$",
		"start the kernel with isolcpus=N nohz_full=N rcu_nocbs=N")
	# The suite measures the system as it is used.
	check("mitigations as users have them", "/proc/cmdline", "mitigations=off",
		"start the kernel without mitigations=off", 1)
	check("clock source is the TSC", source, "^" clock "$", "echo " clock " | sudo tee " source)
	check("no other load (one minute)", "/proc/loadavg", "^0[.][0-4]", "stop what runs beside: top tells what")
	stolen()
}

# Grade A's bound: 0.1 % of the time since the start.
function stolen(share, all, i, n, word) {
	n = split(said("sed -n '/^cpu" cpu " /p' " quoted("/proc/stat")), word, " ")
	for (i = 2; i <= 9; i++)
		all += word[i]
	if (n > 8 && all > 0)
		share = sprintf("%.3f %%", 100 * word[9] / all)
	say("no steal since the start", share == "" ? "unknown" : share + 0 < 0.1 ? "ok" : "bad", share,
		"/proc/stat", "ask for a dedicated CPU, or measure when the host is idle")
}

function board(model, maker) {
	model = said("tr -d '\\0' <" quoted("/proc/device-tree/model"))
	maker = line("/sys/class/dmi/id/sys_vendor") " " line("/sys/class/dmi/id/product_name")
	gsub(/^ +| +$/, "", maker)
	return json(model == "" ? maker : model)
}

# "32.0 KiB".
function bytes(x, unit, u) {
	for (split("B KiB MiB GiB TiB", unit, " "); x >= 1024 && u < 4; u++)
		x /= 1024
	return sprintf(x < 10 ? "%.2f %s" : x < 100 ? "%.1f %s" : "%.0f %s", x, unit[u + 1])
}

function nominal(i, n, path, text, mhz) {
	print "# What this machine says of itself; none of it was measured:"
	text = field("model name")
	if (text == "")
		text = said("lscpu | sed -n 's/^Model name: *//p'")
	print "#   processor: " (text == "" ? "unknown" : plain(text))
	path = "/sys/devices/system/cpu/cpu0/cache"
	n = devices(path)
	for (i = 1; i <= n; i++)
		if (name[i] ~ /^index/)
			print "#   L" line(path "/" name[i] "/level") " " tolower(line(path "/" name[i] "/type")) \
				" cache: " bytes(1024 * line(path "/" name[i] "/size"))
	print "#   memory: " bytes(1024 * said("sed -n 's/^MemTotal: *//p' " quoted("/proc/meminfo")))
	modules()
	links()
	disks()
	mhz = field("cpu MHz")
	if (mhz > 0)
		printf "#   clock: %.6g MHz, says /proc/cpuinfo (in a virtual machine often the TSC's)\n", mhz
	print "\n[machine]\n# Cycles become time at the frequency that the core ran at, or at this one:\nclock ="
}

BEGIN {
	says_it["true"] = "says it rotates"
	says_it["false"] = "says it does not rotate"
	says_it["null"] = "does not say whether it rotates"
	read_devices()
	if (cpu == "") {
		nominal()
		exit
	}
	if (cpu == "last")
		cpu = said("sed -n 's/^Cpus_allowed_list:.*[^0-9]//p' " quoted("/proc/self/status"))
	cpu += 0
	printf "  \"board\": %s", board()
	begin("modules")
	modules()
	begin("disks")
	disks()
	begin("links")
	links()
	begin("checks")
	checks()
	print "]"
}
