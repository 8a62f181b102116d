/* SPDX-License-Identifier: MIT */
#include "net_ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc_watch.h"

/* Until the server is there: a host that is far away, and slow to log in. */
#define START_MS 30000
#define LOOK_MS	 200

/* Until ssh has ended after the server's input was closed. */
#define END_MS	3000
#define STEP_MS 10

/* No character with a meaning for a shell: it goes through two of them. */
#define PLAIN                                                         \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456" \
	"789_./+@:%-"

static bool is_plain(const char *text)
{
	return *text && *text != '-' && text[strspn(text, PLAIN)] == '\0';
}

/* What is done there, by a shell that is none of the user's choice: say the
 * address at which we came in, and become the server, which says its port. */
static void write_command(char *text, size_t size, const char *server)
{
	snprintf(text, size,
		 "exec sh -c 'set -- $SSH_CONNECTION; echo $3; exec %s "
		 "--listen $3 --allow $1 --port 0 --idle-exit 60 --until-eof'",
		 server);
}

static _Noreturn void become_ssh(int in, int out, const char *who,
				 const char *command)
{
	/* The terminal's signals are for the program, which ends this. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c",
		      "exec ${OSCOST_SSH:-ssh} -T -o BatchMode=yes -- \"$1\" "
		      "\"$2\"",
		      "sh", who, command, (char *)NULL);
	_exit(127);
}

/* One line without its end.  Return: 0, -ETIMEDOUT, -ECANCELED, or -EIO where
 * there is none. */
static int read_line(const struct bench *b, int fd, char *line, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	size_t have = 0;

	for (int waited = 0; waited < START_MS; waited += LOOK_MS) {
		int n = poll(&ready, 1, LOOK_MS);

		if (bench_stopping(b))
			return -ECANCELED;
		while (n > 0) {
			if (have == size || read(fd, line + have, 1) != 1)
				return -EIO;
			if (line[have] == '\n') {
				line[have] = '\0';
				return 0;
			}
			have++;
			n = poll(&ready, 1, 0);
		}
	}
	return -ETIMEDOUT;
}

static int hear_address(struct bench *b, int fd, struct net_addr *addr)
{
	char host[64], line[16];
	unsigned int port;
	int err = read_line(b, fd, host, sizeof(host));

	if (!err)
		err = read_line(b, fd, line, sizeof(line));
	if (err)
		return err;
	if (sscanf(line, "%u", &port) != 1 || !port || port > UINT16_MAX)
		return -EPROTO;
	return net_addr_parse(addr, host, (uint16_t)port) ? -EPROTO : 0;
}

static int start(struct net_ssh *s, struct bench *b, const char *who,
		 const char *command, int *out)
{
	int down[2], up[2];

	if (pipe2(down, O_CLOEXEC))
		return -errno;
	if (pipe2(up, O_CLOEXEC)) {
		close(down[0]);
		close(down[1]);
		return -EMFILE;
	}
	s->pid = bench_fork(b);
	if (s->pid == 0)
		become_ssh(down[0], up[1], who, command);
	close(down[0]);
	close(up[1]);
	s->in = down[1];
	*out = up[0];
	if (s->pid > 0)
		return 0;
	s->pid = 0;
	return -EAGAIN;
}

int net_ssh_start(struct net_ssh *s, struct bench *b, const char *who,
		  const char *server, struct net_addr *addr)
{
	char command[512];
	int out = -1, err;

	s->pid = 0;
	s->in = -1;
	if (!is_plain(who) || !is_plain(server) || strlen(server) > 256)
		return bench_fail(b, 0,
				  "--peer, --peer-server: '%s', '%s' have "
				  "characters that are not taken",
				  who, server);
	write_command(command, sizeof(command), server);
	err = start(s, b, who, command, &out);
	if (!err)
		err = hear_address(b, out, addr);
	if (out >= 0)
		close(out);
	if (err == -ECANCELED)
		return 0;
	return err ? bench_fail(b, -err,
				"--peer %s: ssh has not started %s there", who,
				server)
		   : 0;
}

void net_ssh_stop(struct net_ssh *s)
{
	if (s->in >= 0)
		close(s->in);
	s->in = -1;
	for (int i = 0; s->pid > 0 && i < END_MS / STEP_MS; i++) {
		if (waitpid(s->pid, NULL, WNOHANG) == s->pid)
			s->pid = 0;
		else
			usleep(STEP_MS * 1000);
	}
	ipc_partner_kill(&s->pid);
}
