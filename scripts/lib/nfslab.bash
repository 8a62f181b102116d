# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# An NFS server in user space (nfs-ganesha) in one of the two network
# namespaces of scripts/netlab, for the rows that read remote files.  Whoever
# holds the namespaces may have it; all but the data lies in $nfslab_place.

readonly nfslab_place=/run/oscost-nfs
nfslab_pid= # of the server
nfslab_cpu= # where the server runs; empty: anywhere

# The process that becomes the server, PLACE RPCBIND COMMAND..., where no other sees
# what is mounted.  It registers with an rpcbind on a socket in /run, which is not
# in a network namespace: this machine's would forget its own server.
# shellcheck disable=SC2016 # expands there
readonly nfslab_inside='
mount --bind "$1" "$1/run/${1##*/}" && mount --rbind "$1/run" /run || exit
if [ "$2" ]; then
	mount --bind "$1/passwd" /etc/passwd || exit
	setpriv --pdeathsig KILL "$2" -f &
	i=0
	while [ ! -S /run/rpcbind.sock ] && [ $((i += 1)) -lt 3000 ]; do
		sleep 0.02
	done
fi
shift 2
exec "$@"'

# nfslab_server: whether there can be a server: installed, or unpacked beside the
# programs by scripts/setup nfs.  Set nfslab_command, nfslab_libs, nfslab_plugins and,
# if there is one, nfslab_rpcbind; else nfslab_why.
nfslab_server() {
	local own

	nfslab_libs='' nfslab_plugins='' nfslab_why=
	nfslab_rpcbind=$(command -v rpcbind) || nfslab_rpcbind=
	own=$(realpath -m "${bin%/*}/nfs-server")
	if ((EUID)); then
		nfslab_why="an NFS server needs root here"
	elif nfslab_command=$(command -v ganesha.nfsd); then
		:
	elif nfslab_command=$own/usr/bin/ganesha.nfsd && [[ -x $nfslab_command ]]; then
		nfslab_plugins=$(find "$own/usr/lib" -name libfsalvfs.so -printf '%h\n' | head -n 1)
		nfslab_libs=$(find "$own/usr/lib" "$own/lib" -name 'lib*.so.*' -printf '%h\n' 2>/dev/null |
			sort -u | paste -sd :)
		[[ ! -x $own/sbin/rpcbind ]] || nfslab_rpcbind=$own/sbin/rpcbind
	else
		nfslab_why="no ganesha.nfsd here: type scripts/setup nfs, or install nfs-ganesha and nfs-ganesha-vfs"
	fi
	[[ -z $nfslab_why ]]
}

# nfslab_keep_off [CPU]: the server shall run beside CPU, on which the
# programs measure (if it is not given, as they choose it), as if it were
# another machine: set nfslab_cpu.
nfslab_keep_off() {
	local measures=${1:-}

	[[ $measures ]] || measures=$("$bin/file_remote" --json -n 1 2>/dev/null |
		sed -n '1s/.*"cpu":\([0-9]*\).*/\1/p') || :
	nfslab_cpu=$(taskset -cp $$ | awk -v measures="$measures" '{
		for (n = split($NF, part, ","); n; n--) {
			ends = split(part[n], cpu, "-")
			for (i = cpu[1]; i <= cpu[ends] + 0; i++)
				if (i != measures) other = i
		}
		print other }')
}

# nfslab_config DIR VERSIONS
nfslab_config() {
	local address=::

	[[ -e /proc/net/if_inet6 ]] || address=10.78.0.2
	cat <<EOF
NFS_CORE_PARAM {
	NFS_Port = 20049; Protocols = $2; Bind_addr = $address; Enable_UDP = false;
	MNT_Port = 20048; Mount_Path_Pseudo = true; Enable_NLM = false;
	Enable_RQUOTA = false; ${nfslab_plugins:+Plugins_Dir = "$nfslab_plugins";}
}
NFSv4 {
	Graceless = true; RecoveryBackend = fs_ng;
	RecoveryRoot = $nfslab_place/recovery;
	UseGetpwnam = true; Only_Numeric_Owners = true;
}
NFS_KRB5 { Active_krb5 = false; }
EXPORT {
	Export_Id = 1; Path = "$1"; Pseudo = /oscost; Access_Type = RO;
	Squash = No_Root_Squash; SecType = sys; Protocols = $2;
	Transports = TCP; FSAL { Name = VFS; }
}
EOF
}

# nfslab_start DIR [3]: export DIR, with 3 also by NFS version 3.  The
# server is our child and ends with us, also if we are killed.  Return: whether
# it serves; nfslab_why says why not.
nfslab_start() {
	local versions=${2:+3, }4 rpcbind='' i

	nfslab_stop
	nfslab_server || return
	# It has a /run of its own.
	if [[ $1 == *[\"\\$'\n']* || $(readlink -f "$1") == /run?(/*) ]]; then
		nfslab_why="cannot export '$1'"
		return 1
	fi
	if [[ -n ${2:-} ]]; then
		rpcbind=$nfslab_rpcbind
		nfslab_why="version 3 needs rpcbind, and there is none"
		[[ $rpcbind ]] || return 1
	fi
	mkdir -m 700 "$nfslab_place"
	mkdir -p "$nfslab_place"/{recovery,"run/${nfslab_place##*/}",run/rpcbind}
	# As Debian's is built it wants to become this one.
	{ grep -v '^_rpc:' /etc/passwd || :; echo '_rpc:x:0:0::/:/bin/false'; } \
		>"$nfslab_place/passwd"
	nfslab_config "$1" "$versions" >"$nfslab_place/conf"
	# No system bus: it would speak there for another server.
	DBUS_SYSTEM_BUS_ADDRESS=unix:path=$nfslab_place/none setsid \
		${nfslab_cpu:+taskset -c "$nfslab_cpu"} nsenter --net=/run/netns/oscost-b unshare --mount --propagation private \
		setpriv --pdeathsig KILL env "LD_LIBRARY_PATH=$nfslab_libs" \
		sh -c "$nfslab_inside" nfslab "$nfslab_place" "$rpcbind" \
		"$nfslab_command" -F -f "$nfslab_place/conf" -L "$nfslab_place/log" \
		-p "$nfslab_place/pid" -N NIV_EVENT \
		</dev/null >"$nfslab_place/talk" 2>&1 8>&- 9>&- &
	nfslab_pid=$!
	for ((i = 0; i < 1200; i++)); do
		! grep -q 'NFS SERVER INITIALIZED' "$nfslab_place/log" 2>/dev/null || break
		kill -0 "$nfslab_pid" 2>/dev/null || break
		sleep 0.05
	done
	nfslab_serves "$1" && return
	nfslab_why=$(grep -ahE ':(CRIT|FATAL|MAJ) :' "$nfslab_place/log" "$nfslab_place/talk" 2>/dev/null |
		grep -v DBUS | tail -n 1 | sed 's/.*:\(CRIT\|FATAL\|MAJ\) ://')
	nfslab_why="nfs-ganesha does not serve $1: ${nfslab_why:-no answer}"
	return 1
}

# nfslab_serves DIR: it runs and has the export; then the programs are told:
# CPU of the server, URL and path of the file, which in a run's directory is
# that of the other programs.
nfslab_serves() {
	local name=oscost-remote

	[[ ! -f $1/.oscost-run ]] || name=data
	kill -0 "$nfslab_pid" 2>/dev/null &&
		grep -q 'NFS SERVER INITIALIZED' "$nfslab_place/log" &&
		! grep -q 'export.*\(failed\|ERROR\)\|Could not create export' "$nfslab_place/log" ||
		return 1
	printf '%s nfs://10.78.0.2/oscost/%s?version=4&nfsport=20049 %s\n' \
		"${nfslab_cpu:--1}" "$name" "$1/$name" >"$nfslab_place/lab"
}

# nfslab_stop: end it and remove its files; also those that a killed run has left,
# whose server has ended with it.
nfslab_stop() {
	[[ -z $nfslab_pid ]] || { kill -KILL "$nfslab_pid" && wait "$nfslab_pid"; } 2>/dev/null || :
	nfslab_pid=
	rm -rf "$nfslab_place"
}
