/* SPDX-License-Identifier: MIT */
#ifndef COMMANDS_H
#define COMMANDS_H

/*
 * Commands of report beside make, summary and machine.  @root is where
 * plots/ is.  Each returns an exit status, see err.h.
 */

/* command_predictions() - print the template, or check @file if not NULL. */
int command_predictions(const char *root, const char *file);

/* command_coursework() - print the coursework table of a run. */
int command_coursework(const char *root, const char *dir);

#endif
