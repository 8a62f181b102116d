/* SPDX-License-Identifier: MIT */
#ifndef FILE_CREW_H
#define FILE_CREW_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Processes that read files when they are told to and say what they read.
 * They end with the program, however that ends.
 */
#define FILE_CREW_MAX 16

/* The file of a member's own, for file_data_get(): the printf format of its
 * name, and its size.  Ten of them and the file that everyone reads are less
 * than the 2 GiB of disk that all may take. */
#define FILE_CREW_NAME	"own-%u"
#define FILE_CREW_BYTES ((uint64_t)64 << 20)

struct bench;

/* What to do; its meaning is between the program and its worker. */
struct file_order {
	int what;
	uint64_t offset, bytes;
	uint64_t from, to; /* ticks */
};

struct file_report {
	int err; /* -errno */
	uint64_t ticks, blocks;
	uint64_t bytes, wrong; /* read, of which not what the file holds */
	int64_t stored;	       /* of them from storage; -1: not known */
};

/* Runs in the process. */
typedef void file_worker_fn(void *arg, unsigned int member,
			    const struct file_order *order,
			    struct file_report *report);

struct file_crew {
	struct {
		pid_t pid; /* 0: none */
		int orders, reports;
	} member[FILE_CREW_MAX];
	unsigned int size;
};

/**
 * file_crew_begin() - start @size processes that wait for orders.
 *
 * Return: 0 or -errno (as of fork() and pipe()); file_crew_end() in any case.
 */
int file_crew_begin(struct bench *b, struct file_crew *crew, unsigned int size,
		    file_worker_fn *fn, void *arg);

/* file_crew_order() - tell @member.  Return: 0 or -errno. */
int file_crew_order(struct file_crew *crew, unsigned int member,
		    const struct file_order *order);

/* file_crew_report() - wait for what @member did.  Return: 0, report->err,
 * -EINTR if the user asked to stop, or -ECHILD if it has ended. */
int file_crew_report(const struct bench *b, struct file_crew *crew,
		     unsigned int member, struct file_report *report);

/* file_crew_end() - end them and wait for them; none is fine. */
void file_crew_end(struct file_crew *crew);

#endif
