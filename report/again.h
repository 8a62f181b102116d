/* SPDX-License-Identifier: MIT */
#ifndef AGAIN_H
#define AGAIN_H

/*
 * Commands that the report gives to be typed, also under sudo.  What it reads
 * may be anybody's: a command names a program of this suite, everything else
 * in it is one quoted word, and what does not look as it must is no command.
 */

/* again_word() - @text as one word of a shell; NULL if it has a
 * character that a line cannot show. */
const char *again_word(const char *text);

/* again_program() - "build/bin/NAME"; NULL if @name is no name
 * that a program of ours could have. */
const char *again_program(const char *name);

/* again_run() - what measures as @recorded (a run's command line, quoted as
 * bash's %q does) did: scripts/run-all with those of its options that say what
 * is measured and how; where the results and the programs were is left out.
 * NULL if that is no command line of run-all, or if the rows
 * were in a file of the user's own (--suite). */
const char *again_run(const char *recorded);

#endif
