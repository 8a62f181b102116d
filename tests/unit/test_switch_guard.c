/* SPDX-License-Identifier: MIT */
/* Whoever waits for a partner that dies is taken out of the wait. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bench/task/lib/switch_guard.h"
#include "tap.h"

#define PATIENCE_S 300

struct box {
	pthread_mutex_t lock;
	pthread_cond_t filled;
};

static struct box *make_box(void)
{
	struct box *box = mmap(NULL, sizeof(*box), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;

	if (box == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&box->lock, &mutex);
	pthread_cond_init(&box->filled, &cond);
	return box;
}

/* It gets the lock when the other one waits, and takes it with it. */
static _Noreturn void die_with_the_lock(struct box *box)
{
	pthread_mutex_lock(&box->lock);
	_exit(0);
}

/* Return: 1 if the guard has ended it. */
static int wait_for_ever(struct box *box)
{
	getcontext(&switch_guard_exit);
	if (switch_guard_arm())
		return 1;
	for (;;)
		pthread_cond_wait(&box->filled, &box->lock);
}

int main(void)
{
	struct box *box = make_box();
	pid_t pid;
	int err;

	alarm(PATIENCE_S);
	switch_guard_reset();
	err = switch_guard_open();
	if (!box || err) {
		OK(0, "set up");
		return tap_done();
	}
	pthread_mutex_lock(&box->lock);
	pid = fork();
	if (!pid)
		die_with_the_lock(box);
	OK(pid > 0 && wait_for_ever(box) == 1,
	   "a partner that dies with the lock ends the wait");
	OK(waitpid(pid, NULL, 0) == pid, "it was the partner");
	OK(switch_guard_arm() == 1, "the death is remembered");
	switch_guard_reset();
	OK(switch_guard_arm() == 0, "until it is forgotten");
	switch_guard_close();
	return tap_done();
}
